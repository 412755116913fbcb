//go:build interop && linux

package interop

// dialect is a generation of the Java console (admin.md 0).
type dialect int

const (
	dialectA dialect = iota // up to 3.1.1
	dialectC                // 3.3.0 and later; 3.2.0 logs in like it
)

// release is a version of com.xuxueli:xxl-job-core.
type release struct {
	version string
	profile string  // of internal/interop/java/pom.xml
	dialect dialect // of the scripts that come with it
}

// releases are the ends of the protocol's generations and what is most in use
// between them. The executor of 2.2.0 has handlers of another signature.
var releases = []release{
	{version: "2.3.1", profile: "v23", dialect: dialectA},
	{version: "2.4.1", profile: "v23", dialect: dialectA},
	{version: "2.5.0", profile: "v23", dialect: dialectA},
	{version: "3.1.1", profile: "v23", dialect: dialectA},
	{version: "3.2.0", profile: "v23", dialect: dialectC},
	{version: "3.3.2", profile: "v33", dialect: dialectC},
}

// releaseOf returns the release of a version.
func releaseOf(version string) release {
	for _, r := range releases {
		if r.version == version {
			return r
		}
	}
	panic("interop: no release " + version)
}
