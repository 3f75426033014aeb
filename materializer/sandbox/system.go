package sandbox

// Grant is a path and what may be done with it.
type Grant struct {
	Path  string `json:"path"`
	Write bool   `json:"write,omitempty"`
	// Optional grants are passed over when the path does not exist.
	Optional bool `json:"optional,omitempty"`
}

// Link is a symbolic link by which a granted path is also known.
type Link struct {
	Path string `json:"path"`
	To   string `json:"to"`
}

// SystemPaths lists what every sandbox may reach: programs, libraries, and the
// parts of /etc that programs need and that hold no secrets. /etc is granted
// by name because what else lies there is not ours to know. /proc is read-only
// and whole: the kernel itself keeps environments, memory and descriptors of
// processes outside the sandbox from those inside. Terminals (/dev/tty,
// /dev/pts) are left out: one could be typed into.
func SystemPaths() []Grant {
	var grants []Grant
	for _, p := range systemFolders {
		grants = append(grants, Grant{Path: p, Optional: true})
	}
	for _, name := range etcNames {
		grants = append(grants, Grant{Path: "/etc/" + name, Optional: true})
	}
	for _, p := range devices {
		grants = append(grants, Grant{Path: p, Write: true, Optional: true})
	}
	return grants
}

var systemFolders = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
	"/opt", "/nix/store", "/gnu/store", "/snap", "/home/linuxbrew/.linuxbrew",
	"/proc", "/sys/devices/system/cpu", "/sys/devices/system/node",
	"/sys/fs/cgroup", "/sys/kernel/mm/transparent_hugepage",
	"/var/lib/alternatives", "/var/cache/fontconfig", "/var/cache/ldconfig",
}

var etcNames = []string{
	"alternatives", "bash.bashrc", "ca-certificates", "ca-certificates.conf",
	"crypto-policies", "debian_version", "default/locale", "fonts", "gai.conf",
	"gitattributes", "group", "host.conf", "hosts", "inputrc", "java",
	"ld.so.cache", "ld.so.conf", "ld.so.conf.d", "locale.alias", "locale.conf",
	"localtime", "login.defs", "lsb-release", "magic", "mime.types",
	"nsswitch.conf", "os-release", "passwd", "pki/ca-trust", "pki/java",
	"pki/tls/cert.pem", "pki/tls/certs", "pki/tls/openssl.cnf", "protocols",
	"resolv.conf", "rpc", "services", "shells", "ssl/cert.pem", "ssl/certs",
	"ssl/openssl.cnf", "static", "terminfo", "timezone", "xattr.conf",
}

// deviceLinks exist wherever /proc does; shells use them.
var deviceLinks = []Link{
	{"/dev/fd", "/proc/self/fd"}, {"/dev/stdin", "/proc/self/fd/0"},
	{"/dev/stdout", "/proc/self/fd/1"}, {"/dev/stderr", "/proc/self/fd/2"},
}

var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
