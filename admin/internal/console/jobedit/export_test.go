package jobedit

var (
	FormOf  = formOf
	Version = version
)
