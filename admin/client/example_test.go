package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/xxljob-go/xxljob/admin/client"
)

// admin stands for a scheduling centre.
func admin() *httptest.Server {
	mux := http.NewServeMux()
	answer := func(pattern, kind, body string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, body)
		})
	}
	answer("GET /v1/jobs", "application/json", `{"items":[{"id":7,"name":"settle","state":"started"}],"next_cursor":null}`)
	answer("POST /v1/jobs/7/run", "application/json", `{"run_ids":[42]}`)
	answer("GET /v1/runs/42/log/stream", "text/event-stream",
		"id: 1\nevent: log\ndata: {\"from_line\":1,\"to_line\":1,\"text\":\"settled\\n\"}\n\nevent: end\ndata: {}\n\n")
	return httptest.NewServer(mux)
}

// Run the jobs of a name once, and watch what they write.
func Example() {
	server := admin()
	defer server.Close()
	c, err := client.New(client.Config{BaseURL: server.URL, Key: "xja_…"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	ctx := context.Background()
	for job, err := range c.Jobs(ctx, client.JobFilter{Name: "settle"}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		runs, err := c.RunJob(ctx, job.ID, client.RunInput{})
		if err != nil {
			fmt.Println(err)
			return
		}
		for part, err := range c.Follow(ctx, runs[0], 1) {
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Print(part.Text)
		}
	}
	// Output: settled
}
