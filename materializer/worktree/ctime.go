package worktree

import "golang.org/x/sys/unix"

func ctimeSeconds(st unix.Stat_t) int64 { return st.Ctim.Sec }
