package verb

import (
	"github.com/seed9cc7a46e/wf/dsl/schema"
	"github.com/seed9cc7a46e/wf/materializer/agent/replay"
	"github.com/seed9cc7a46e/wf/planner/planfile"
)

// SchemaNames are the files that Schema knows, the one people edit most first.
var SchemaNames = []string{"workflow", "settings", "replay", "plan"}

// Schema gives the JSON Schema of a kind of file.
func Schema(name string) ([]byte, error) {
	switch name {
	case "settings":
		return schema.Settings()
	case "replay":
		var keys []schema.Key
		for _, k := range replay.Keys() {
			keys = append(keys, schema.Key(k))
		}
		return schema.Script(keys)
	case "plan":
		return planfile.Schema()
	}
	return schema.Workflow()
}
