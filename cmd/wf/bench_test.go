package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The same number of independent things, planned by wf and by Terraform as cold
// processes in one run: compare the lines of one size. Figures are of the whole
// process, git and policies included; maxRSS is in MiB.
func BenchmarkPlanBesideTerraform(b *testing.B) {
	wf := filepath.Join(b.TempDir(), "wf")
	started(b, ".", "go", "build", "-o", wf, ".")
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("wf/%d", n), func(b *testing.B) {
			dir := planned(b, n)
			measure(b, dir, n, wf, "plan", "many", "--json")
		})
		b.Run(fmt.Sprintf("wf-validate/%d", n), func(b *testing.B) {
			dir := planned(b, n)
			measure(b, dir, n, wf, "validate", "many")
		})
		b.Run(fmt.Sprintf("terraform/%d", n), func(b *testing.B) {
			terraform, err := exec.LookPath("terraform")
			if err != nil {
				b.Skip("Terraform is not installed")
			}
			dir := b.TempDir()
			text := fmt.Sprintf("resource \"terraform_data\" \"part\" {\n  count = %d\n  input = \"part ${count.index}\"\n}\n", n)
			write(b, filepath.Join(dir, "main.tf"), text)
			started(b, dir, terraform, "init", "-no-color")
			measure(b, dir, n, terraform, "plan", "-no-color")
		})
	}
}

func planned(b *testing.B, n int) string {
	dir := b.TempDir()
	var text strings.Builder
	text.WriteString("wf: 1\nname: many\nlimits: {budget: 1000000 USD, width: unlimited}\nroles: {r: {mode: chat, agent: replay, budget: 1 USD}}\ntickets:\n")
	for i := range n {
		fmt.Fprintf(&text, "  part%d: {role: r, brief: part %d, scope: [\"parts/%d/**\"], gates: [{name: tests, run: go test ./...}]}\n", i, i, i)
	}
	write(b, filepath.Join(dir, "workflows", "many.wf.yaml"), text.String())
	started(b, dir, "git", "init", "-q")
	started(b, dir, "git", "add", ".")
	started(b, dir, "git", "-c", "user.name=n", "-c", "user.email=n@example.com", "commit", "-qm", "parts")
	return dir
}

func write(b *testing.B, name, text string) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}

func started(b *testing.B, dir, name string, args ...string) *os.ProcessState {
	c := exec.Command(name, args...)
	c.Dir = dir
	var said strings.Builder
	c.Stderr = &said
	if err := c.Run(); err != nil {
		b.Fatalf("%s %v: %v\n%s", name, args, err, said.String())
	}
	return c.ProcessState
}

func measure(b *testing.B, dir string, n int, name string, args ...string) {
	var cpu, most float64
	for b.Loop() {
		state := started(b, dir, name, args...)
		cpu += (state.UserTime() + state.SystemTime()).Seconds()
		if use, ok := state.SysUsage().(*syscall.Rusage); ok {
			most = max(most, float64(use.Maxrss)/1024)
		}
	}
	b.ReportMetric(cpu/float64(b.N)*1e6/float64(n), "cpu-µs/ticket")
	b.ReportMetric(most, "MiB")
}
