package i18n

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// pageTexts are texts of the console by key, in the order of [Langs]:
// simplified Chinese, traditional Chinese, English.
type pageTexts map[string][3]string

// consoleParts are the texts of the console, a part of it a file.
var consoleParts = []pageTexts{
	consoleJobList, consoleAudit,
	consoleFrame, consoleHome, consoleJobs, consoleEdit, consoleAdmin, consoleHelp, consoleRuns, consoleExecutors,
	consoleAlarms, consoleHistory, consoleCode, consoleSetup, consoleSystem,
}

// console holds all of them.
var console = merged(consoleParts)

func merged(parts []pageTexts) pageTexts {
	all := pageTexts{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

// Console returns a text of the console with {0}, {1} … replaced by args, which
// are put in as they are. A key that does not exist is returned as it is.
func (l Lang) Console(key string, args ...any) string {
	texts, ok := console[key]
	if !ok {
		return key
	}
	text := texts[ZhCN]
	if int(l) < len(texts) {
		text = texts[l]
	}
	if len(args) == 0 {
		return text
	}
	pairs := make([]string, 0, 2*len(args))
	for i, arg := range args {
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", fmt.Sprint(arg))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// HasConsole reports whether the console has a text of this key.
func HasConsole(key string) bool {
	_, ok := console[key]
	return ok
}
