package console

import "embed"

//go:embed static templates
var files embed.FS
