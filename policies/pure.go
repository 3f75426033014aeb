package policies

import (
	"slices"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
)

// A builtin is allowed by name or by the prefix before its dot; one that a
// later OPA brings is refused until somebody has looked at it. Left out on
// purpose: the network (http.send, net.lookup_ip_addr, providers, JSON Schema
// with remote references), the clock and the host's time zones (time.now_ns,
// time.clock, time.date, time.format, time.parse_ns), randomness (rand, uuid),
// the process (opa.runtime, trace) and cryptography that no policy needs.
var pureFamilies = []string{"array", "base64", "base64url", "bits", "graph", "hex", "numbers", "object", "regex", "semver", "strings", "units", "urlquery"}

var pureNames = []string{
	"abs", "and", "assign", "ceil", "concat", "contains", "count", "div", "endswith", "eq", "equal", "floor", "format_int",
	"glob.match", "glob.quote_meta", "gt", "gte", "indexof", "indexof_n", "internal.member_2", "internal.member_3",
	"internal.print", "internal.template_string", "internal.test_case", "intersection", "is_array", "is_boolean", "is_null",
	"is_number", "is_object", "is_set", "is_string", "json.filter", "json.is_valid", "json.marshal", "json.patch", "json.remove",
	"json.unmarshal", "lower", "lt", "lte", "max", "min", "minus", "mul", "neq", "or", "plus", "print", "product",
	"crypto.sha256", "rego.metadata.chain", "rego.metadata.rule", "rem", "replace", "round", "sort", "split", "sprintf",
	"startswith", "substring", "sum", "time.parse_duration_ns", "time.parse_rfc3339_ns", "to_number", "trim", "trim_left",
	"trim_prefix", "trim_right", "trim_space", "trim_suffix", "type_name", "union", "upper", "uri.is_valid", "uri.parse", "walk",
}

func pure(b *ast.Builtin) bool {
	if b.Nondeterministic || b.IsDeprecated() {
		return false
	}
	family, _, dotted := strings.Cut(b.Name, ".")
	return slices.Contains(pureNames, b.Name) || dotted && slices.Contains(pureFamilies, family)
}

// pureCapabilities are those of this OPA without anything that could make the
// same plan judged twice give two verdicts.
var pureCapabilities = sync.OnceValue(func() *ast.Capabilities {
	caps := ast.CapabilitiesForThisVersion()
	caps.Builtins = slices.DeleteFunc(slices.Clone(caps.Builtins), func(b *ast.Builtin) bool { return !pure(b) })
	caps.AllowNet = []string{} // nil would let a schema be fetched from anywhere
	return caps
})

// impureBuiltin reports whether OPA knows name and wf does not allow it.
func impureBuiltin(name string) bool {
	b, known := ast.BuiltinMap[name]
	return known && !pure(b)
}
