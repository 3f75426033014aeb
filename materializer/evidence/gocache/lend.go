package gocache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Lend makes the folder to a build cache that holds what from holds, for a
// program that may write to and not from. What lies in from is read through
// links, which a read-only from lets nobody write through; the small files that
// go may write anew are copied. Others may be filling from meanwhile.
//
// Results of tests are never taken from it. (EVID-07)
func Lend(ctx context.Context, from, to string, now time.Time) error {
	return spread(ctx, from, to, now, os.Symlink)
}

// Copy is Lend where nothing keeps the program from writing to from.
func Copy(ctx context.Context, from, to string, now time.Time) error {
	return spread(ctx, from, to, now, copyFile)
}

func spread(ctx context.Context, from, to string, now time.Time, content func(from, to string) error) error {
	parts, err := os.ReadDir(from)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, part := range parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !part.IsDir() || len(part.Name()) != 2 {
			continue
		}
		if err := spreadPart(filepath.Join(from, part.Name()), filepath.Join(to, part.Name()), content); err != nil {
			return err
		}
	}
	// go ignores results of tests that are older than the first, in nanoseconds,
	// which is the latest it can read; the second, in seconds, says that nothing
	// is old enough to be thrown away, which saves looking at each file.
	for _, f := range []struct{ name, text string }{{"testexpire.txt", "9223372036854775807\n"}, {"trim.txt", fmt.Sprint(now.Unix())}} {
		if err := os.WriteFile(filepath.Join(to, f.name), []byte(f.text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func spreadPart(from, to string, content func(from, to string) error) error {
	files, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, f := range files {
		source, target := filepath.Join(from, f.Name()), filepath.Join(to, f.Name())
		switch {
		case strings.HasSuffix(f.Name(), "-d"):
			err = content(source, target)
		case strings.HasSuffix(f.Name(), "-a") && f.Type().IsRegular():
			err = copyFile(source, target)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // go takes old files away
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, info.Mode().Perm()|0o600)
}
