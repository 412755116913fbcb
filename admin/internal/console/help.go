package console

import (
	"context"
	_ "embed" // the programs
	"encoding/json"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/console/web"
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
	p := helpPage{Address: c.address()}
	p.Go, p.Java = programs(p.Address, "")
	return c.Render(ctx, "help", web.Head{Title: c.T("nav.help"), Section: "help"}, p)
}

// address is the public one of this admin, or else that under which the visitor
// sees it, as executors want it: those of Java up to 3.4.0 need the context path.
func (c *call) address() string {
	if public := string(c.Cfg.Links); public != "" {
		return strings.TrimSuffix(public, httpx.Prefixes()[1]) + httpx.Prefixes()[1]
	}
	scheme := "http://"
	if c.Cfg.Proxies.Secure(c.R) {
		scheme = "https://"
	}
	return scheme + c.R.Host + httpx.Prefixes()[1]
}

// programs are those of the help for an admin at an address, with a token in
// them where one is given, and else read from the environment.
func programs(address, token string) (goText, javaText string) {
	pairs := []string{strconv.Quote(hereAddress), literal(address)}
	if token != "" {
		pairs = append(pairs, `os.Getenv("XXL_JOB_TOKEN")`, literal(token),
			`System.getenv("XXL_JOB_TOKEN")`, literal(token))
	}
	put := strings.NewReplacer(pairs...)
	return put.Replace(goProgram), put.Replace(javaProgram)
}

// literal is a text as Go and Java both write it.
func literal(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return `""`
	}
	return strings.TrimSpace(b.String())
}
