package sandbox

import (
	"encoding/json"
	"os"
	"testing"
)

func TestProbe(t *testing.T) {
	self, _ := os.Executable()
	f := Probe(t.Context(), self)
	b, _ := json.MarshalIndent(f, "", "  ")
	t.Log(string(b), f.Network(None), f.Network(Model))
}
