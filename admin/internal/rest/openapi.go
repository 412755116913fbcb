package rest

import _ "embed"

// The description of the interface. The JSON form is made of the other one:
// go test ./internal/rest -update.
var (
	//go:embed openapi.yaml
	openapiYAML []byte
	//go:embed openapi.json
	openapiJSON []byte
)
