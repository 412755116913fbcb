package console

const HereAddress = hereAddress

var (
	Files     = files
	GoProgram = goProgram
)
