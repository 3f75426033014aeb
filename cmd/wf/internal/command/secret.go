package command

import (
	"fmt"
	"os"

	"golang.org/x/term"
)

// passphrase reads a key's passphrase from the terminal without showing it.
func (a *app) passphrase() ([]byte, error) {
	in, ok := a.Stdin.(*os.File)
	if !ok {
		return nil, usagef("the key has a passphrase, and there is no terminal to type it")
	}
	fmt.Fprint(a.Stderr, "Passphrase of the key: ")
	defer fmt.Fprintln(a.Stderr)
	return term.ReadPassword(int(in.Fd()))
}
