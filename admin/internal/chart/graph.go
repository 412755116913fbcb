package chart

import (
	"html/template"
	"strconv"
)

// graphMax is how many nodes a graph has at most.
const graphMax = 100

// Node is a job in a graph.
type Node struct {
	ID    int64
	Label string
	Href  string // path of its page; "" is none
	Class Class  // of its last run; Plain for none
}

// Edge leads from a job to its child.
type Edge struct{ From, To int64 }

// Graph shows which jobs start which others, from left to right. Circles are
// drawn too: an edge that leads back is dashed.
type Graph struct {
	Frame
	Nodes []Node // at most 100 are drawn, the first
	Edges []Edge // those between nodes that are not drawn are left out
	Heads [2]string
}

const (
	nodeWidth, nodeHeight = 170, 28
	nodeGapX, nodeGapY    = 50, 12
	nodeLabel             = 22 // characters
)

// place is where a node stands.
type place struct{ column, row int }

func (p place) x() float64 { return float64(1 + p.column*(nodeWidth+nodeGapX)) }
func (p place) y() float64 { return float64(1 + p.row*(nodeHeight+nodeGapY)) }

// HTML draws the graph.
func (g *Graph) HTML() template.HTML {
	nodes := g.Nodes[:min(len(g.Nodes), graphMax)]
	byID := make(map[int64]*Node, len(nodes))
	for i := range nodes {
		byID[nodes[i].ID] = &nodes[i]
	}
	var edges []Edge
	seen := make(map[Edge]bool)
	var rows [][]string
	for _, e := range g.Edges {
		if byID[e.From] != nil && byID[e.To] != nil && !seen[e] {
			seen[e] = true
			edges = append(edges, e)
			rows = append(rows, []string{byID[e.From].Label, byID[e.To].Label})
		}
	}
	places := layout(nodes, edges)
	columns, height := 0, 0
	for _, p := range places {
		columns, height = max(columns, p.column+1), max(height, p.row+1)
	}
	width := columns*(nodeWidth+nodeGapX) - nodeGapX
	return g.figure("graph", float64(max(width, 0)+2), float64(max(height*(nodeHeight+nodeGapY)-nodeGapY, 0)+2),
		func(c *canvas) {
			for _, e := range edges {
				if e.From == e.To {
					continue // the table has it
				}
				drawEdge(c, places[e.From], places[e.To])
			}
			for i := range nodes {
				drawNode(c, &nodes[i], places[nodes[i].ID])
			}
		}, g.Heads[:], rows)
}

// layout puts every node one column behind the last of its parents, as far as
// there is no circle.
func layout(nodes []Node, edges []Edge) map[int64]place {
	column := make(map[int64]int, len(nodes))
	for range nodes { // the longest way has one node a round
		moved := false
		for _, e := range edges {
			if want := column[e.From] + 1; e.From != e.To && column[e.To] < want && want < len(nodes) {
				column[e.To], moved = want, true
			}
		}
		if !moved {
			break
		}
	}
	used := make(map[int]int) // columns that hold anything, closed up
	for _, n := range nodes {
		used[column[n.ID]]++
	}
	index, rows := make(map[int]int, len(used)), make(map[int]int, len(used))
	for c := range len(nodes) + 1 {
		if used[c] > 0 {
			index[c] = len(index)
		}
	}
	places := make(map[int64]place, len(nodes))
	for _, n := range nodes {
		if _, twice := places[n.ID]; twice {
			continue
		}
		c := column[n.ID]
		places[n.ID] = place{index[c], rows[c]}
		rows[c]++
	}
	return places
}

func drawEdge(c *canvas, from, to place) {
	x1, y1 := from.x()+nodeWidth, from.y()+nodeHeight/2
	x2, y2 := to.x(), to.y()+nodeHeight/2
	class := "chart-edge"
	if to.column <= from.column {
		class += " chart-dashed"
	}
	mid := nodeGapX / 2.0
	c.tag("path", "class", class, "d", "M"+num(x1)+" "+num(y1)+"C"+num(x1+mid)+" "+num(y1)+" "+
		num(x2-mid)+" "+num(y2)+" "+num(x2-5)+" "+num(y2))
	c.tag("path", "class", "chart-arrow", "d", "M"+num(x2)+" "+num(y2)+"l-6 -3.5v7z")
}

func drawNode(c *canvas, n *Node, p place) {
	linked := c.link(n.Href, n.Label)
	if !linked {
		c.open("g")
	}
	c.text("title", n.Label+" (#"+strconv.FormatInt(n.ID, 10)+")")
	c.tag("rect", "class", "chart-node", "x", num(p.x()), "y", num(p.y()), "width", num(nodeWidth),
		"height", num(nodeHeight), "rx", "4")
	c.shape(n.Class, p.x()+6, p.y()+8, 4, nodeHeight-16)
	// A picture of its own cuts off what is wider than letters usually are.
	c.open("svg", "x", num(p.x()+16), "y", num(p.y()), "width", num(nodeWidth-20), "height", num(nodeHeight))
	c.text("text", shorten(n.Label, nodeLabel), "class", "chart-label", "x", "0", "y", num(nodeHeight/2+4))
	c.end("svg")
	if linked {
		c.end("a")
	} else {
		c.end("g")
	}
}
