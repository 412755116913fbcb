//go:build interop && linux

package interop

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	// mavenLimit bounds one Maven build, including what it fetches the first time.
	mavenLimit = 5 * time.Minute

	// javaProject is the folder of the executor's sources, which the root module
	// owns.
	javaProject = "../../../internal/interop/java"
)

// javaBuild returns the class path of the executor, compiled against a release.
// It builds it unless the cache has it. The cache is the one of the root
// module's internal/interop: same folder, same names, same locks.
func javaBuild(t *testing.T, rel release) string {
	t.Helper()
	for _, tool := range []string{"mvn", "java"} {
		_, err := exec.LookPath(tool)
		require.NoErrorf(t, err,
			"the interop tests need %s on the PATH; install a JDK 17 or later and Maven 3.8 or later", tool)
	}
	cache := javaCache(t)
	sum, err := hashProject()
	require.NoError(t, err)
	dir := filepath.Join(cache, rel.version+"-"+sum)
	done := filepath.Join(dir, "built")

	unlock := lockFile(t, filepath.Join(cache, rel.version+".lock"))
	defer unlock()
	if _, err := os.Stat(done); err != nil {
		runMaven(t, rel, dir)
		require.NoError(t, os.WriteFile(done, nil, 0o644))
	}
	out := filepath.Join(dir, rel.version)
	return filepath.Join(out, "classes") + string(os.PathListSeparator) + filepath.Join(out, "dependency", "*")
}

// javaCache returns the directory that keeps the builds; it exists.
func javaCache(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("XXLJOB_JAVA_CACHE")
	if dir == "" {
		user, err := os.UserCacheDir()
		require.NoError(t, err, "set XXLJOB_JAVA_CACHE to a directory for the Java builds")
		dir = filepath.Join(user, "xxljob-interop")
	}
	dir, err := filepath.Abs(dir)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	return dir
}

// runMaven builds into dir, from nothing.
func runMaven(t *testing.T, rel release, dir string) {
	t.Helper()
	require.NoError(t, os.RemoveAll(dir))
	// WaitDelay, because a JVM that Maven started could hold the output open.
	cmd := exec.CommandContext(t.Context(), "mvn", "-q", "-B", "-f", filepath.Join(javaProject, "pom.xml"),
		"-P", rel.profile, "-Dxxl.version="+rel.version, "-Dbuild.dir="+dir,
		"package", "dependency:copy-dependencies")
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	limit := time.AfterFunc(mavenLimit, func() { _ = cmd.Cancel() })
	defer limit.Stop()
	err := cmd.Run()
	require.NoErrorf(t, err,
		"mvn for xxl-job-core %s (at most %v; the first build fetches from the Maven repository):\n%s",
		rel.version, mavenLimit, out.String())
}

// lockFile waits for the lock on a file, which it creates, and returns what
// gives the lock back. Each call has a descriptor of its own, so it keeps other
// goroutines out too.
func lockFile(t *testing.T, name string) (unlock func()) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	require.NoError(t, err)
	require.NoError(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
	return func() { _ = f.Close() }
}

// hashProject returns a short hash of the names and contents of the Java
// project's files, without Maven's own output. Names begin with "java", as in
// the root module's tests, or neither would find the other's builds.
func hashProject() (string, error) {
	sum := sha256.New()
	root := os.DirFS(filepath.Dir(javaProject))
	err := fs.WalkDir(root, "java", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == "target" {
				return fs.SkipDir
			}
			return nil
		}
		f, err := root.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintf(sum, "%s\n", path)
		_, err = io.Copy(sum, f)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash of the Java sources: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}
