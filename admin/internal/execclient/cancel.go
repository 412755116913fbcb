package execclient

// Cancel takes back a call that waits in the queue of its lane, and reports
// whether it did: its done function is then never called. A call that has been
// given to a connection stays. It does not block.
func (c *Client) Cancel(call *Call) bool {
	call.lane.mu.Lock()
	defer call.lane.mu.Unlock()
	return call.lane.queue.remove(call)
}

// Native reports whether our own executor was last seen at the address.
func (c *Client) Native(address string) bool {
	key := laneKey(address)
	c.mu.RLock()
	l := c.lanes[key]
	c.mu.RUnlock()
	if l == nil {
		return c.recall(key).native
	}
	return l.traits.Load().native
}
