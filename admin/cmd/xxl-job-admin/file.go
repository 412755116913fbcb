package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// configFlag names the file with flags. It loads it before flags are resolved.
type configFlag string

// BeforeResolve loads the file.
func (configFlag) BeforeResolve(k *kong.Kong, ctx *kong.Context, trace *kong.Path) error {
	path, ok := ctx.FlagValue(trace.Flag).(configFlag)
	if !ok {
		return errors.New("--config: no value")
	}
	resolver, err := k.LoadConfig(string(path))
	if err != nil {
		return err
	}
	ctx.AddResolver(resolver)
	return nil
}

// flagFile holds the flags of a file by their names.
type flagFile struct {
	name   string
	values map[string]any
}

// loadFile reads a JSON object whose keys are flags without their dashes.
func loadFile(r io.Reader) (kong.Resolver, error) {
	f := &flagFile{name: "the file"}
	if named, ok := r.(interface{ Name() string }); ok {
		f.name = named.Name()
	}
	decoder := json.NewDecoder(r)
	decoder.UseNumber()
	if err := decoder.Decode(&f.values); err != nil {
		return nil, fmt.Errorf("%s: a JSON object of flags is expected: %w", f.name, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: something follows the JSON object", f.name)
	}
	for key, value := range f.values {
		switch v := value.(type) {
		case string, bool:
		case json.Number:
			f.values[key] = v.String()
		default:
			return nil, fmt.Errorf("%s: the value of %q must be a text, a number, true or false", f.name, key)
		}
	}
	return f, nil
}

// Validate refuses keys that are no flags.
func (f *flagFile) Validate(app *kong.Application) error {
	known := map[string]bool{}
	var visit func(n *kong.Node)
	visit = func(n *kong.Node) {
		for _, flag := range n.Flags {
			known[flag.Name] = true
		}
		for _, child := range n.Children {
			visit(child)
		}
	}
	visit(app.Node)
	var unknown []string
	for _, key := range slices.Sorted(maps.Keys(f.values)) {
		if !known[key] || key == "config" || key == "help" {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("%s: there is no flag %s", f.name, strings.Join(unknown, ", "))
	}
	return nil
}

// Resolve returns the value of a flag, unless the environment has one.
func (f *flagFile) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, env := range flag.Envs {
		if os.Getenv(env) != "" {
			return nil, nil
		}
	}
	return f.values[flag.Name], nil
}
