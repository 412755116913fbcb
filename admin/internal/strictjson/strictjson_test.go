package strictjson

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type common struct {
	Name  string `json:"name"`
	Limit int64  `json:"limit_ms"`
}

type inner struct {
	Cron string `json:"cron"`
	Zone string `json:"-"`
}

type outer struct {
	common

	Limit   int               `json:"limit_ms"`
	Tags    []string          `json:"tags,omitempty"`
	Inner   *inner            `json:"inner"`
	List    []inner           `json:"list"`
	Headers map[string]string `json:"headers"`
	At      time.Time         `json:"at"`
	Any     any               `json:"any"`
	Plain   bool
	hidden  int
}

func TestDecode(t *testing.T) {
	t.Parallel()
	var got outer
	require.NoError(t, Decode([]byte(` {"name": "a", "limit_ms": 5, "tags": ["x"], "inner": {"cron": "c"},
		"list": [{"cron": "d"}, {}], "headers": {"A": "1", "a": "2"}, "at": "2026-11-22T00:00:00Z",
		"any": {"b": [{"c": 1}], "B": 2}, "Plain": true} `), &got))
	assert.Equal(t, outer{
		common: common{Name: "a"}, Limit: 5, Tags: []string{"x"}, Inner: &inner{Cron: "c"},
		List: []inner{{Cron: "d"}, {}}, Headers: map[string]string{"A": "1", "a": "2"},
		At:    time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC),
		Any:   map[string]any{"b": []any{map[string]any{"c": 1.0}}, "B": 2.0},
		Plain: true,
	}, got)
	assert.Zero(t, got.hidden)
	var words map[string][]string
	require.NoError(t, Decode([]byte(`{"a": ["b"]}`), &words))
	assert.Equal(t, map[string][]string{"a": {"b"}}, words)
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		body string
		want FieldError
	}{
		{"unknown", `{"nome": 1}`, FieldError{Pointer: "/nome", Name: "nome"}},
		{"another case", `{"Name": "a"}`, FieldError{Pointer: "/Name", Name: "Name", Meant: "name"}},
		{"case that folds beyond ASCII", `{"limit_m\u017f": 1}`, FieldError{Pointer: "/limit_mſ", Name: "limit_mſ", Meant: "limit_ms"}},
		{"twice", `{"name": "a", "name": "b"}`, FieldError{Pointer: "/name", Name: "name", Twice: true}},
		{"twice, escaped", `{"name": "a", "n\u0061me": "b"}`, FieldError{Pointer: "/name", Name: "name", Twice: true}},
		{"twice of an embedded struct", `{"limit_ms": 1, "limit_ms": 1}`, FieldError{Pointer: "/limit_ms", Name: "limit_ms", Twice: true}},
		{"below a pointer", `{"inner": {"Cron": ""}}`, FieldError{Pointer: "/inner/Cron", Name: "Cron", Meant: "cron"}},
		{"in a list", `{"list": [{}, {"x": 1}]}`, FieldError{Pointer: "/list/1/x", Name: "x"}},
		{"left out of JSON", `{"inner": {"Zone": ""}}`, FieldError{Pointer: "/inner/Zone", Name: "Zone"}},
		{"not exported", `{"hidden": 1}`, FieldError{Pointer: "/hidden", Name: "hidden"}},
		{"twice in a map", `{"headers": {"a": "", "a": ""}}`, FieldError{Pointer: "/headers/a", Name: "a", Twice: true}},
		{"twice below any", `{"any": [{"b/~": 1, "b/~": 1}]}`, FieldError{Pointer: "/any/0/b~1~0", Name: "b/~", Twice: true}},
		{"twice where it decodes itself", `{"at": {"a": 1, "a": 1}}`, FieldError{Pointer: "/at/a", Name: "a", Twice: true}},
		{"long", `{"` + strings.Repeat("x", 500) + `": 1}`, FieldError{
			Pointer: "/" + strings.Repeat("x", 100) + "…", Name: strings.Repeat("x", 100) + "…",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var v, zero outer
			var fault *FieldError
			require.ErrorAs(t, Decode([]byte(tt.body), &v), &fault)
			assert.Equal(t, tt.want, *fault)
			assert.Equal(t, zero, v)
			assert.Contains(t, fault.Error(), fault.Name)
		})
	}
	var v outer
	var wrong *json.UnmarshalTypeError
	require.ErrorAs(t, Decode([]byte(`{"name": {"a": 1}}`), &v), &wrong)
	require.ErrorAs(t, Decode([]byte(`[]`), &v), &wrong)
	require.ErrorIs(t, Decode([]byte(`{} {}`), &v), ErrTrailing)
	require.ErrorIs(t, Decode([]byte(`{}]`), &v), ErrTrailing)
	for _, body := range []string{"", "{", `{"name":}`, `{"name"}`, strings.Repeat("[", 20_000)} {
		require.Error(t, Decode([]byte(body), &v), body)
	}
}

// FuzzDecode: what is taken is what encoding/json takes, each of its fields has
// a name of the type, and none stands there twice.
func FuzzDecode(f *testing.F) {
	f.Add(`{"name": "a", "limit_ms": 5, "list": [{"cron": "d"}], "any": {"b": [1, {"c": ":"}]}}`)
	f.Add(`{"Name": "a", "inner": {"cron": "\"", "cron": "\\"}}`)
	f.Add(`{"headers": {"a": "b", "\u0061": "c"}} x`)
	f.Fuzz(func(t *testing.T, body string) {
		var v outer
		if Decode([]byte(body), &v) != nil {
			return
		}
		var same outer
		var tree any
		if err := json.Unmarshal([]byte(body), &same); err != nil || !reflect.DeepEqual(v, same) {
			t.Fatalf("%q was read as %+v, by encoding/json as %+v, %v", body, v, same, err)
		}
		if err := json.Unmarshal([]byte(body), &tree); err != nil {
			t.Fatal(err)
		}
		if members(tree) != colons(body) {
			t.Errorf("%q has a field twice", body)
		}
		object, _ := tree.(map[string]any)
		for name := range object {
			if !strings.Contains(" name limit_ms tags inner list headers at any Plain ", " "+name+" ") {
				t.Errorf("%q has the field %q", body, name)
			}
		}
	})
}

// members counts the fields of all objects.
func members(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		n = len(v)
		for _, below := range v {
			n += members(below)
		}
	case []any:
		for _, below := range v {
			n += members(below)
		}
	}
	return n
}

// colons counts those of JSON that are outside of its texts.
func colons(body string) int {
	n, text := 0, false
	for i := 0; i < len(body); i++ {
		switch {
		case text && body[i] == '\\':
			i++
		case body[i] == '"':
			text = !text
		case !text && body[i] == ':':
			n++
		}
	}
	return n
}
