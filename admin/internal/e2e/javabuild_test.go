//go:build linux

package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// javaProject is the folder of the Java executor's sources, which the root
// module owns.
const javaProject = "../../../internal/interop/java"

// javaRelease is a version of xxl-job-core and the profile that compiles
// against it.
type javaRelease struct{ version, profile string }

// classPath returns the class path of the Java executor. It builds it unless
// the cache that the interop tests of both modules share has it.
func (r javaRelease) classPath(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"mvn", "java"} {
		_, err := exec.LookPath(tool)
		require.NoErrorf(t, err, "the crash loop with a Java executor needs %s: install a JDK 17 or later and Maven", tool)
	}
	cache := os.Getenv("XXLJOB_JAVA_CACHE")
	if cache == "" {
		user, err := os.UserCacheDir()
		require.NoError(t, err, "set XXLJOB_JAVA_CACHE to a directory for the Java builds")
		cache = filepath.Join(user, "xxljob-interop")
	}
	cache, err := filepath.Abs(cache)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(cache, 0o755))
	lock, err := os.OpenFile(filepath.Join(cache, r.version+".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	require.NoError(t, err)
	defer lock.Close()
	require.NoError(t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX))
	dir := filepath.Join(cache, r.version+"-"+javaSum(t))
	if _, err := os.Stat(filepath.Join(dir, "built")); err != nil {
		require.NoError(t, os.RemoveAll(dir))
		output, err := exec.CommandContext(t.Context(), "mvn", "-q", "-B", "-f", filepath.Join(javaProject, "pom.xml"),
			"-P", r.profile, "-Dxxl.version="+r.version, "-Dbuild.dir="+dir, "package", "dependency:copy-dependencies",
		).CombinedOutput()
		require.NoErrorf(t, err, "mvn for xxl-job-core %s:\n%s", r.version, output)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "built"), nil, 0o644))
	}
	out := filepath.Join(dir, r.version)
	return filepath.Join(out, "classes") + string(os.PathListSeparator) + filepath.Join(out, "dependency", "*")
}

// javaSum is the short hash of the Java sources that names a build in the
// cache: of each file's name, from "java" on, and content.
func javaSum(t *testing.T) string {
	t.Helper()
	sum := sha256.New()
	root := os.DirFS(filepath.Dir(javaProject))
	require.NoError(t, fs.WalkDir(root, "java", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "target":
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		content, err := fs.ReadFile(root, path)
		fmt.Fprintf(sum, "%s\n%s", path, content)
		return err
	}))
	return hex.EncodeToString(sum.Sum(nil))[:12]
}
