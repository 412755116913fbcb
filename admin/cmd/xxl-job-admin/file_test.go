package main

import (
	"strings"
	"testing"
)

// FuzzFile: whatever stands in the file, it is taken as texts, true and false,
// or refused.
func FuzzFile(f *testing.F) {
	f.Add(`{"listen":":8080","shards":16,"code-editing":true}`)
	f.Add(`{"a":null}`)
	f.Add(`[1e999]`)
	f.Fuzz(func(t *testing.T, text string) {
		resolver, err := loadFile(strings.NewReader(text))
		if err != nil {
			return
		}
		file, ok := resolver.(*flagFile)
		if !ok {
			t.Fatalf("%T", resolver)
		}
		for key, value := range file.values {
			switch value.(type) {
			case string, bool:
			default:
				t.Fatalf("%q is a %T", key, value)
			}
		}
	})
}
