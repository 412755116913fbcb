package i18n

import (
	"fmt"
	"strings"
)

// Key names a text.
type Key string

// Lang is a language. The zero value is simplified Chinese, the default.
type Lang uint8

// The languages.
const (
	ZhCN Lang = iota // simplified Chinese; what other languages lack is taken from it
	ZhTC             // traditional Chinese
	En               // English
)

// langs holds name and texts of each language, by its value.
var langs = [...]struct {
	name  string
	texts map[Key]string
}{
	ZhCN: {"zh_CN", zhCN},
	ZhTC: {"zh_TC", zhTC},
	En:   {"en", english},
}

// Langs lists all languages.
func Langs() []Lang { return []Lang{ZhCN, ZhTC, En} }

// String returns the name in the spelling of the Java admin: zh_CN, zh_TC, en.
func (l Lang) String() string {
	if int(l) < len(langs) {
		return langs[l].name
	}
	return fmt.Sprintf("Lang(%d)", uint8(l))
}

// Parse reads the name of a language, in any case and with a hyphen or an
// underscore; zh_TW and zh_HK are traditional Chinese, and zh alone is
// simplified. The empty name is the default. For anything else it returns an
// error that lists the names; the Java admin would silently speak Chinese.
func Parse(name string) (Lang, error) {
	switch strings.ToLower(strings.ReplaceAll(name, "-", "_")) {
	case "", "zh", "zh_cn", "zh_hans":
		return ZhCN, nil
	case "zh_tc", "zh_tw", "zh_hk", "zh_hant":
		return ZhTC, nil
	case "en", "en_us", "en_gb":
		return En, nil
	}
	return ZhCN, fmt.Errorf("language %q is not known: use zh_CN, zh_TC or en", name)
}

// Text returns the text of key. A text that the language lacks comes from
// simplified Chinese; a key that does not exist is returned as it is.
func (l Lang) Text(key Key) string {
	if int(l) < len(langs) {
		if text, ok := langs[l].texts[key]; ok {
			return text
		}
	}
	if text, ok := zhCN[key]; ok {
		return text
	}
	return string(key)
}

// Format returns the text of key with {0}, {1} … replaced by args. Args are
// put in as they are and not looked at again.
func (l Lang) Format(key Key, args ...string) string {
	pairs := make([]string, 0, 2*len(args))
	for i, arg := range args {
		pairs = append(pairs, fmt.Sprintf("{%d}", i), arg)
	}
	return strings.NewReplacer(pairs...).Replace(l.Text(key))
}

// Lookup returns the text of the key with this name, in either spelling, or ""
// when there is none.
func (l Lang) Lookup(name string) string {
	key := Key(respell.Replace(name))
	if _, ok := zhCN[key]; !ok {
		return ""
	}
	return l.Text(key)
}

// respell turns the names of older releases into those of 3.4.0 and later.
var respell = strings.NewReplacer("unvalid", "invalid", "lengh_", "length_")
