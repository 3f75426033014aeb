// Command wf-hook is `wf hook` as a program of its own: the guard's client and
// nothing else, so that asking before each tool use costs milliseconds.
package main

import (
	"os"

	"github.com/seed9cc7a46e/wf/materializer/guard/hook"
)

func main() {
	os.Exit(hook.Main(os.Args[1:], os.Getenv(hook.Variable), os.Stdin, os.Stderr))
}
