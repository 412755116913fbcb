package console

import (
	"context"
	"net/http"

	"github.com/xxljob-go/xxljob/admin/internal/console/web"
)

// What a Server is made of is described where every package of pages sees it.
type (
	// Config describes a Server. Ops, Auth and History are required.
	Config = web.Config
	// Cluster is what the foot line says of this node.
	Cluster = web.Cluster
	// ClusterNode is a node of the admin that is alive.
	ClusterNode = web.ClusterNode
	// Executors is what the pages of executors ask of the admin.
	Executors = web.Executors
	// Setup is what the setup of a new database shows.
	Setup = web.Setup
	// App is an executor that has registered.
	App = web.App
)

// Server answers with the pages of the console. It owns no goroutine and is
// safe for concurrent use.
type Server struct{ *web.Server }

// New returns a Server. A template that cannot be read is an error.
func New(cfg Config) (*Server, error) {
	s, err := web.New(cfg, files)
	if err != nil {
		return nil, err
	}
	register(s)
	return &Server{s}, nil
}

// Pages returns the handler for the addresses of the Java console's pages,
// which another interface owns: it checks who asks, and leads to the new pages.
func (s *Server) Pages() http.Handler {
	return s.Open(func(ctx context.Context, c *web.Call) error { return of(c).oldPage(ctx) })
}
