package dispatch

// itemHeap orders entries by due time, then by log id: what was recorded first
// goes first.
type itemHeap []*entry

func (h itemHeap) Len() int { return len(h) }

func (h itemHeap) Less(i, j int) bool {
	if h[i].next.Equal(h[j].next) {
		return h[i].Run.LogID < h[j].Run.LogID
	}
	return h[i].next.Before(h[j].next)
}

func (h itemHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i, j
}

// Push is heap.Push's; use that.
func (h *itemHeap) Push(x any) {
	e := x.(*entry)
	e.at = len(*h)
	*h = append(*h, e)
}

// Pop is heap.Pop's; use that.
func (h *itemHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	e.at = -1
	return e
}
