//go:build interop && (linux || darwin)

package interop

// release is a version of com.xuxueli:xxl-job-core and the profile in
// java/pom.xml that compiles against it.
type release struct {
	version string
	profile string
}

// releases are the ends of every generation of the protocol, and what is most
// in use between them.
var releases = []release{
	{version: "2.2.0", profile: "v22"}, // callback item with executeResult
	{version: "2.3.1", profile: "v23"}, // handleCode and handleMsg
	{version: "2.4.1", profile: "v23"},
	{version: "2.5.0", profile: "v23"}, // timeouts configurable
	{version: "3.1.1", profile: "v23"},
	{version: "3.2.0", profile: "v23"}, // kill text in content, no HTML escapes
	{version: "3.3.2", profile: "v33"}, // data instead of content, other client
}

// controls are the releases whose own executor is put through the checks. The
// executor of 2.2.0 could not be: its handlers have another signature.
var controls = []release{
	{version: "2.4.1", profile: "v23"},
	{version: "3.3.2", profile: "v33"},
}
