package console

import (
	"context"
	_ "embed" // the programs
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
)

// The programs that the help shows: goProgram is that of examples/basic, with
// the address of this admin in the place of hereAddress.
var (
	//go:embed help_go.txt
	goProgram string
	//go:embed help_java.txt
	javaProgram string
)

// hereAddress stands in the programs for the address of this admin.
const hereAddress = "http://127.0.0.1:8080/xxl-job-admin"

// helpPage says how to connect an executor.
type helpPage struct {
	Address  string
	Go, Java string
}

// help shows how to connect an executor, with the address under which the
// visitor sees this admin.
func (c *call) help(ctx context.Context) error {
	scheme := "http://"
	if c.s.cfg.Proxies.Secure(c.r) {
		scheme = "https://"
	}
	// Java's executors up to 3.4.0 want the context path.
	address := scheme + c.r.Host + httpx.Prefixes()[1]
	put := strings.NewReplacer(hereAddress, address)
	return c.render(ctx, "help", head{Title: c.t("nav.help"), Section: "help"}, helpPage{
		Address: address, Go: put.Replace(goProgram), Java: put.Replace(javaProgram),
	})
}
