package route

// frequency is what LEAST_FREQUENTLY_USED remembers of a job.
type frequency struct {
	list   *list
	counts []int // by index of list.addrs
}

// pick returns the address with the smallest count, the first in the list of
// several, and counts it. An address that is new begins at a random count below
// the number of addresses, so that it is not flooded and jobs do not all begin
// with the first.
func (f *frequency) pick(l *list, intN func(int) int) string {
	if f.list != l {
		f.move(l, intN)
	}
	best := 0
	for i, n := range f.counts {
		if n > countLimit {
			f.counts[i] = intN(len(f.counts))
		}
		if f.counts[i] < f.counts[best] {
			best = i
		}
	}
	f.counts[best]++
	return l.addrs[best]
}

// move takes the counts over to another list.
func (f *frequency) move(l *list, intN func(int) int) {
	counts := make([]int, len(l.addrs))
	for i, a := range l.addrs {
		counts[i] = -1
		if f.list != nil {
			if old, known := f.list.index[a]; known {
				counts[i] = f.counts[old]
			}
		}
		if counts[i] < 0 {
			counts[i] = intN(len(counts))
		}
	}
	f.list, f.counts = l, counts
}

// recency is what LEAST_RECENTLY_USED remembers of a job.
type recency struct {
	list  *list
	order []int32 // indices of list.addrs, the eldest first
}

// pick returns the address whose last use is longest ago and makes it the
// latest.
func (u *recency) pick(l *list) string {
	if u.list != l {
		u.move(l)
	}
	eldest := u.order[0]
	copy(u.order, u.order[1:])
	u.order[len(u.order)-1] = eldest
	return l.addrs[eldest]
}

// move takes the order over to another list: what has gone is dropped, what is
// new counts as used just now, in the order of the list.
func (u *recency) move(l *list) {
	order := make([]int32, 0, len(l.addrs))
	for _, old := range u.order {
		if i, still := l.index[u.list.addrs[old]]; still {
			order = append(order, int32(i))
		}
	}
	for i, a := range l.addrs {
		known := false
		if u.list != nil {
			_, known = u.list.index[a]
		}
		if !known {
			order = append(order, int32(i))
		}
	}
	u.list, u.order = l, order
}
