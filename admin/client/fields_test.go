package client

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// TestEveryField: the types have the fields of the document, under their names.
func TestEveryField(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../internal/rest/openapi.yaml")
	require.NoError(t, err)
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]any `yaml:"properties"`
			} `yaml:"schemas"`
		} `yaml:"components"`
	}
	require.NoError(t, yaml.Unmarshal(raw, &doc))
	for name, typ := range map[string]reflect.Type{
		"Problem": reflect.TypeFor[Error](), "Schedule": reflect.TypeFor[Schedule](), "JobInput": reflect.TypeFor[JobInput](),
		"JobCreate": reflect.TypeFor[JobCreate](), "Job": reflect.TypeFor[Job](), "RunInput": reflect.TypeFor[RunInput](),
		"Times": reflect.TypeFor[Times](), "Code": reflect.TypeFor[Code](), "CodeVersion": reflect.TypeFor[CodeVersion](),
		"Deleted": reflect.TypeFor[Deleted](), "Deletion": reflect.TypeFor[Deletion](), "Parent": reflect.TypeFor[Parent](),
		"RestoredGroup": reflect.TypeFor[RestoredGroup](),
		"Difference":    reflect.TypeFor[Difference](), "Change": reflect.TypeFor[Change](),
		"GroupInput": reflect.TypeFor[GroupInput](), "Group": reflect.TypeFor[Group](), "Address": reflect.TypeFor[Address](),
		"AddressFault": reflect.TypeFor[AddressFault](), "AddressDetail": reflect.TypeFor[AddressDetail](),
		"ProbeStep": reflect.TypeFor[ProbeStep](), "Evidence": reflect.TypeFor[Evidence](),
		"ProbeResult": reflect.TypeFor[ProbeResult](), "Shard": reflect.TypeFor[Shard](), "Run": reflect.TypeFor[Run](),
		"RunResult": reflect.TypeFor[RunResult](), "ClearInput": reflect.TypeFor[ClearInput](), "RunLog": reflect.TypeFor[RunLog](),
		"UserCreate": reflect.TypeFor[UserCreate](), "UserInput": reflect.TypeFor[UserInput](), "User": reflect.TypeFor[User](),
		"KeyInput": reflect.TypeFor[KeyInput](), "Key": reflect.TypeFor[Key](), "KeyCreated": reflect.TypeFor[KeyCreated](),
		"AuditRecord": reflect.TypeFor[AuditRecord](), "Day": reflect.TypeFor[Day](), "Overview": reflect.TypeFor[Overview](),
		"Node": reflect.TypeFor[Node](), "ShardLease": reflect.TypeFor[ShardLease](), "Cluster": reflect.TypeFor[Cluster](),
		"Health": reflect.TypeFor[Health](), "Moved": reflect.TypeFor[Moved](), "JobRefusal": reflect.TypeFor[JobRefusal](),
		"TagCount": reflect.TypeFor[TagCount](), "View": reflect.TypeFor[View](), "Delivery": reflect.TypeFor[Delivery](),
		"Alarm": reflect.TypeFor[Alarm](), "Channel": reflect.TypeFor[Channel](), "Trying": reflect.TypeFor[Trying](), "Rule": reflect.TypeFor[Rule](),
		"RuleInput": reflect.TypeFor[RuleInput](), "Mute": reflect.TypeFor[Mute](), "Login": reflect.TypeFor[Login](),
		"MuteInput": reflect.TypeFor[MuteInput](), "Retention": reflect.TypeFor[Retention](),
		"RetentionInput": reflect.TypeFor[RetentionInput](), "Cleaned": reflect.TypeFor[Cleaned](),
		"RetentionEffect": reflect.TypeFor[RetentionEffect](), "Expiry": reflect.TypeFor[Expiry](),
		"ClearEffect": reflect.TypeFor[ClearEffect](), "Counted": reflect.TypeFor[Counted](),
		"JavaNodes": reflect.TypeFor[JavaNodes](), "Loop": reflect.TypeFor[Loop](),
		"Database": reflect.TypeFor[Database](), "About": reflect.TypeFor[About](),
	} {
		var want []string
		for field := range doc.Components.Schemas[name].Properties {
			want = append(want, field)
		}
		slices.Sort(want)
		assert.Equal(t, want, slices.Sorted(slices.Values(jsonFields(typ))), name)
	}
}

func jsonFields(typ reflect.Type) (names []string) {
	for f := range typ.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			names = append(names, jsonFields(f.Type)...)
		case name != "-" && f.IsExported():
			names = append(names, name)
		}
	}
	return names
}
