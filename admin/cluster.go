package admin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/lease"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

const (
	nodeEvery   = 10 * time.Second // between two words of a node about itself
	nodeForget  = 24 * time.Hour   // then what a node that is gone said is forgotten
	javaLook    = 300              // newest triggers in which a Java admin is looked for
	javaTimeout = 5 * time.Second
)

// nodeWords are what a node says of itself, as JSON in the database.
type nodeWords struct {
	Host      string   `json:"host"`
	Version   string   `json:"version"`
	StartedMs int64    `json:"started_ms"`
	Faults    []string `json:"faults,omitempty"`
}

// sayNode writes what this node says of itself, until ctx ends.
func (s *system) sayNode(ctx context.Context) {
	tick := time.NewTicker(nodeEvery)
	defer tick.Stop()
	for {
		if err := s.saySelf(ctx); err != nil {
			s.report(ctx, "node info", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (s *system) saySelf(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, nodeEvery)
	defer cancel()
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	said := nodeWords{Host: host, Version: version(), StartedMs: s.started.UnixMilli()}
	if time.Since(s.started) > s.leases.TTL() { // before that it may not have begun
		said.Faults = s.faults(ctx)
	}
	raw, err := json.Marshal(said)
	if err != nil {
		return err
	}
	if err := s.store.SaveNodeInfo(ctx, s.node, string(raw)); err != nil {
		return err
	}
	if !s.leases.Holds(0) { // one node is enough
		return nil
	}
	return s.store.ForgetNodeInfos(ctx, nodeForget)
}

// Cluster tells of nodes, shards and leases.
func (s *system) Cluster(ctx context.Context) (*ops.ClusterView, error) {
	view, err := s.store.Leases(ctx)
	if err != nil {
		return nil, err
	}
	infos, err := s.store.NodeInfos(ctx)
	if err != nil {
		return nil, err
	}
	lag, err := s.store.ShardLag(ctx, int32(len(view.Shards)), view.NowMs)
	if err != nil {
		return nil, err
	}
	c := clusterOf(s.node, leaseView(view), s.leases.TTL(), 0)
	for _, info := range infos {
		c.tell(info)
	}
	for i := range c.Nodes {
		if c.Nodes[i].This {
			c.Nodes[i].Faults = s.faults(ctx) // now, and not when it last said so
		}
	}
	for _, l := range lag {
		if i := int(l.Index); i < len(c.Shards) {
			c.Shards[i].Due, c.Shards[i].Since = l.Jobs, time.UnixMilli(l.SinceMs)
		}
	}
	c.Java = ops.JavaView{Shared: s.shared, Adopted: s.adopted.Load()}
	if s.shared {
		err = s.lookForJava(ctx, &c.Java)
	}
	return c.ClusterView, err
}

// cluster is a ClusterView in the making.
type cluster struct {
	*ops.ClusterView
	this string
}

// clusterOf reads the record of the leases. A shard counts as held until grace
// after the end of its lease.
func clusterOf(this string, view lease.View, ttl, grace time.Duration) cluster {
	c := cluster{this: this, ClusterView: &ops.ClusterView{Now: time.UnixMilli(view.NowMs), Lease: ttl}}
	held := map[string]int{}
	for _, sh := range view.Shards {
		shard := ops.ShardView{Index: sh.Index}
		if sh.Owner != "" && sh.ExpiresMs+grace.Milliseconds() > view.NowMs {
			shard.Owner, shard.Expires = sh.Owner, time.UnixMilli(sh.ExpiresMs)
			held[sh.Owner]++
		}
		c.Shards = append(c.Shards, shard)
	}
	for _, n := range view.Nodes {
		node := ops.NodeView{
			Name: n.Name, This: n.Name == this, State: ops.NodeAlive, Seen: time.UnixMilli(n.SeenMs),
			Shards: held[n.Name],
		}
		if view.NowMs-n.SeenMs > ttl.Milliseconds() {
			node.State = ops.NodeSilent
		}
		c.Nodes = append(c.Nodes, node)
	}
	return c
}

// tell adds what a node has said of itself.
func (c cluster) tell(info store.NodeInfo) {
	var words nodeWords
	if json.Unmarshal([]byte(info.Info), &words) != nil {
		return // of a release to come
	}
	i := slices.IndexFunc(c.Nodes, func(n ops.NodeView) bool { return n.Name == info.Name })
	if i < 0 {
		c.Nodes = append(c.Nodes, ops.NodeView{
			Name: info.Name, This: info.Name == c.this, State: ops.NodeGone, Seen: time.UnixMilli(info.SeenMs),
		})
		i = len(c.Nodes) - 1
	}
	n := &c.Nodes[i]
	n.Host, n.Version, n.Started = words.Host, words.Version, time.UnixMilli(words.StartedMs)
	if n.State != ops.NodeGone {
		n.Faults = words.Faults
	}
}

// lookForJava finds the newest run that a Java admin has triggered. It writes its
// address where a node of ours writes its name.
func (s *system) lookForJava(ctx context.Context, v *ops.JavaView) error {
	ctx, cancel := context.WithTimeout(ctx, javaTimeout)
	defer cancel()
	heads, err := s.store.TriggerHeads(ctx, javaLook)
	if err != nil {
		return err
	}
	v.Looked = len(heads)
	for _, h := range heads {
		address, ok := triggeredBy(h.Text)
		if !ok || address == s.node {
			continue
		}
		if v.Runs++; v.Runs == 1 {
			v.Address, v.Last, v.LogID = address, h.At, h.LogID
		}
	}
	return nil
}

// triggeredBy returns the address of the Java admin in the second line of a
// trigger message, as all of its releases write it; ok is false for what a node
// of ours has written, which has a name there.
func triggeredBy(text string) (address string, ok bool) {
	lines := strings.SplitN(text, "<br>", 3)
	if len(lines) < 3 {
		return "", false
	}
	_, value, found := strings.Cut(lines[1], "：")
	if !found {
		return "", false
	}
	value = strings.TrimSpace(value)
	if _, err := netip.ParseAddr(value); err != nil {
		return "", false
	}
	return value, true
}

// About tells what this node is.
func (s *system) About(ctx context.Context) (*ops.AboutView, error) {
	migration, err := s.store.Migration(ctx)
	if err != nil {
		return nil, err
	}
	info := s.store.Info()
	v := &ops.AboutView{
		Version: version(), Go: fmt.Sprintf("%s, %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH),
		Node: s.node, Started: s.started, Restarts: s.loops.Restarts(), PublicURL: string(s.links()),
		Database: ops.DatabaseView{
			Kind: info.Dialect, Version: info.Version, Generation: info.Generation, Migration: migration,
			MadeByUs: info.MadeByUs,
		},
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		v.Revision, v.Built = builtFrom(build.Settings)
	}
	for _, l := range s.loops.Status() {
		v.Loops = append(v.Loops, ops.LoopView{Name: l.Name, Last: l.Last, Limit: l.Limit, Late: l.Late})
	}
	return v, nil
}

// builtFrom is the revision and its time; a tree with changes says so.
func builtFrom(settings []debug.BuildSetting) (revision string, at time.Time) {
	changed := ""
	for _, set := range settings {
		switch set.Key {
		case "vcs.revision":
			revision = set.Value
		case "vcs.time":
			at, _ = time.Parse(time.RFC3339, set.Value) // zero where it cannot be read
		case "vcs.modified":
			if set.Value == "true" {
				changed = "+"
			}
		}
	}
	if revision = cmp.Or(revision[:min(len(revision), 12)], ""); revision != "" {
		revision += changed
	}
	return revision, at
}
