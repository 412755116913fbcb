package i18n

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// declared reads the values of all Key constants from the source, so that no
// constant is forgotten in any bundle.
func declared(t *testing.T) []Key {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "keys.go", nil, 0)
	require.NoError(t, err)
	var keys []Key
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
			value, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			keys = append(keys, Key(value))
		}
		return true
	})
	require.Greater(t, len(keys), 100)
	return keys
}

func TestEveryLanguageHasEveryKey(t *testing.T) {
	t.Parallel()
	keys := declared(t)
	for _, l := range Langs() {
		for _, key := range keys {
			assert.NotEmpty(t, langs[l].texts[key], "%v lacks %s", l, key)
		}
		for key := range langs[l].texts {
			assert.True(t, slices.Contains(keys, key), "%v has %s, which no constant names", l, key)
		}
	}
}

func TestKeysAreUnique(t *testing.T) {
	t.Parallel()
	keys := declared(t)
	slices.Sort(keys)
	assert.Len(t, slices.Compact(slices.Clone(keys)), len(keys))
}

// A text keeps its placeholders and its line breaks in every language.
func TestPlaceholdersAgree(t *testing.T) {
	t.Parallel()
	marks := regexp.MustCompile(`\{\d\}|<br>`)
	found := func(text string) []string {
		list := marks.FindAllString(text, -1)
		slices.Sort(list)
		return list
	}
	for key, text := range zhCN {
		for _, l := range Langs() {
			assert.Equal(t, found(text), found(langs[l].texts[key]), "%v %s", l, key)
		}
	}
}

func TestScriptOfEachLanguage(t *testing.T) {
	t.Parallel()
	han := func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
	}
	for key := range zhCN {
		assert.False(t, han(english[key]), "English text of %s", key)
		if key != ScheduleTypeCron {
			assert.True(t, han(zhCN[key]), "Chinese text of %s", key)
			assert.True(t, han(zhTC[key]), "Chinese text of %s", key)
		}
	}
}

// The texts that the Java admin was recorded with.
func TestEnglishOfJava(t *testing.T) {
	t.Parallel()
	tests := []struct {
		parts []Key
		want  string
	}{
		{[]Key{LoginParamInvalid}, "Username or password error"},
		{[]Key{LoginParamEmpty}, "Username or password is empty"},
		{[]Key{SystemPleaseChoose, JobinfoFieldJobgroup}, "please choose Executor"},
		{[]Key{SystemPleaseChoose, SystemOne, SystemData}, "please choose OneData"},
		{[]Key{SystemPleaseInput, JobinfoFieldJobdesc}, "please input Job description"},
		{[]Key{SystemPleaseInput, JobinfoFieldAuthor}, "please input Author"},
		{[]Key{ScheduleType, SystemInvalid}, "Schedule Typeillegal"},
		{[]Key{JobinfoFieldExecutorRouteStrategy, SystemInvalid}, "Route Strategyillegal"},
		{[]Key{JobinfoFieldID, SystemNotFound}, "Job IDnot exist"},
		{[]Key{JobgroupFieldRegistryList, SystemInvalid}, "machine addressillegal"},
		{[]Key{ChangePwdFieldOldpwd, SystemInvalid}, "old passwordillegal"},
		{[]Key{JoblogKillLogByman}, "Manual operation, kill job"},
		{[]Key{JobconfTriggerExeRegtype}, "Execotor-Registry Type"},
	}
	for _, tt := range tests {
		var got strings.Builder
		for _, key := range tt.parts {
			got.WriteString(En.Text(key))
		}
		assert.Equal(t, tt.want, got.String())
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Lang{
		"": ZhCN, "zh_CN": ZhCN, "zh-cn": ZhCN, "zh_TC": ZhTC, "zh-TW": ZhTC, "en": En, "EN": En, "en-US": En,
	} {
		got, err := Parse(name)
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
	_, err := Parse("fr")
	require.EqualError(t, err, `language "fr" is not known: use zh_CN, zh_TC or en`)
	for _, l := range Langs() {
		got, err := Parse(l.String())
		require.NoError(t, err)
		assert.Equal(t, l, got)
	}
	assert.Equal(t, "Lang(9)", Lang(9).String())
}

func TestTextAndLookup(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "no_such_key", En.Text("no_such_key"))
	assert.Equal(t, "非法", Lang(9).Text(SystemInvalid), "an unknown language speaks the default")
	assert.Equal(t, "illegal", En.Lookup("system_unvalid"))
	assert.Equal(t, "illegal", En.Lookup("system_invalid"))
	assert.Equal(t, "Length limit", En.Lookup("system_lengh_limit"))
	assert.Equal(t, "AppName length is limited to 4~64", En.Lookup("jobgroup_field_appname_length"))
	assert.Empty(t, En.Lookup("no_such_key"))
	assert.Equal(t, "Missed 3 fires from {2} to b: nobody was there to plan them",
		En.Format(JoblogMisfireGap, "3", "{2}", "b"), "arguments are not looked at again")
}

func TestTitles(t *testing.T) {
	t.Parallel()
	for _, r := range model.Routes() {
		assert.NotEqual(t, string(r), En.Text(RouteKey(r)))
	}
	assert.Equal(t, "First", En.Text(RouteKey(model.RouteFirst)))
	assert.Equal(t, "Manual trigger", En.Text(TriggerKey(model.TriggerManual)))
	assert.Equal(t, "Serial execution", En.Text(BlockKey(model.BlockSerial)))
	assert.Equal(t, "X", En.Text(RouteKey("X")))
	for _, b := range []model.Block{model.BlockSerial, model.BlockDiscardLater, model.BlockCoverEarly} {
		assert.NotEqual(t, string(b), En.Text(BlockKey(b)))
	}
	for _, tr := range []model.TriggerType{
		model.TriggerManual, model.TriggerCron, model.TriggerRetry, model.TriggerParent, model.TriggerAPI,
		model.TriggerMisfire,
	} {
		assert.NotEqual(t, string(tr), En.Text(TriggerKey(tr)))
	}
	for _, m := range []model.Misfire{model.MisfireDoNothing, model.MisfireFireOnceNow} {
		assert.NotEqual(t, string(m), En.Text(MisfireKey(m)))
	}
	for _, s := range []model.ScheduleType{model.ScheduleNone, model.ScheduleFixRate} {
		assert.NotEqual(t, string(s), En.Text(ScheduleKey(s)))
	}
	assert.Equal(t, "X", En.Text(TriggerKey("X"))+En.Text(BlockKey(""))+En.Text(MisfireKey(""))+En.Text(ScheduleKey("")))
}

func FuzzParse(f *testing.F) {
	f.Add("zh_CN")
	f.Add("en-GB")
	f.Fuzz(func(t *testing.T, name string) {
		l, err := Parse(name)
		if err != nil {
			return
		}
		again, err := Parse(l.String())
		if err != nil || again != l {
			t.Errorf("Parse(%q) = %v, whose name parses to %v, %v", name, l, again, err)
		}
	})
}
