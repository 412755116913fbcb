//go:build linux

package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// mavenLimit bounds the build of Java's executor, including what it fetches the
// first time.
const mavenLimit = 3 * time.Minute

// buildOurs compiles examples/kitchensink. The binary stays in -dir, so that a
// profile of the run finds its symbols.
func buildOurs(ctx context.Context, root string, opt options) (kind, error) {
	binary, err := filepath.Abs(filepath.Join(opt.dir, "kitchensink"))
	if err != nil {
		return kind{}, err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "./examples/kitchensink")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return kind{}, fmt.Errorf("build of examples/kitchensink: %w\n%s", err, out)
	}
	return kind{name: "xxljob", ours: true, command: func(flags []string) *exec.Cmd {
		return exec.Command(binary, flags...) //nolint:noctx // ended by stop or kill, at the latest with us
	}}, nil
}

// buildJava compiles Java's own executor with Maven. Without -java it returns
// nil. The JVM has its default heap and collector, as a service's would.
func buildJava(ctx context.Context, root string, opt options) (*kind, error) {
	if opt.java == "" {
		return nil, fmt.Errorf("-java is empty")
	}
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, fmt.Errorf("it needs a JDK 17 or later and Maven 3.8 or later: %w", err)
		}
	}
	dir, err := filepath.Abs(filepath.Join(opt.dir, "java"))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, mavenLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", filepath.Join(root, "internal/interop/java/pom.xml"),
		"-P", mavenProfile(opt.java), "-Dxxl.version="+opt.java, "-Dbuild.dir="+dir,
		"package", "dependency:copy-dependencies")
	cmd.WaitDelay = 5 * time.Second // a JVM that Maven started could hold the output open
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mvn: %w: %.300s", err, strings.TrimSpace(string(out)))
	}
	classes := filepath.Join(dir, opt.java, "classes")
	classPath := classes + ":" + filepath.Join(dir, opt.java, "dependency", "*")
	return &kind{name: "Java " + opt.java, command: func(flags []string) *exec.Cmd {
		jvm := []string{
			"-Dfile.encoding=UTF-8", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
			"-cp", classPath, "interop.executor.Main",
		}
		return exec.Command("java", append(jvm, flags...)...) //nolint:noctx // as above
	}}, nil
}

// mavenProfile names the profile of internal/interop/java/pom.xml that compiles
// against a release.
func mavenProfile(release string) string {
	switch {
	case strings.HasPrefix(release, "2.2."):
		return "v22"
	case strings.HasPrefix(release, "2."), strings.HasPrefix(release, "3.1."), strings.HasPrefix(release, "3.2."):
		return "v23"
	default:
		return "v33"
	}
}
