// Package browser looks at the console with a real Chromium: a real admin on
// SQLite, a real executor, every page in light and dark, Chinese and English,
// wide and narrow. It notes every error of the console, every violation of the
// content security policy and every page that scrolls sideways, and leaves
// pictures in build/screens.
//
// Its tests have the build tag browser:
//
//	admin/internal/dbtest/install.sh chromium
//	go test -tags browser ./internal/e2e/browser
package browser
