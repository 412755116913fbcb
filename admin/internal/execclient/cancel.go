package execclient

// Cancel takes back a call that waits in the queue of its lane, and reports
// whether it did: its done function is then never called. A call that has been
// given to a connection stays. It does not block.
func (c *Client) Cancel(call *Call) bool {
	if call.lane == nil {
		return false
	}
	call.lane.mu.Lock()
	defer call.lane.mu.Unlock()
	return call.lane.queue.remove(call)
}

// Native reports whether our own executor was last seen at the address.
func (c *Client) Native(address string) bool { return c.lane(address).traits.Load().native }
