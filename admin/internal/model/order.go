package model

import "strings"

// Order is the order of a list, and where in it to go on. The zero Order is the
// list's own, from its start.
type Order struct {
	By        string // a name that the list knows; "" and names that it does not know are its own order
	Ascending bool   // of By
	After     *Mark  // only what comes behind it; nil is from the start
}

// Mark is a place in a list: the value that its order goes by, as a text or a
// number, and the id, which decides where that is the same.
type Mark struct {
	ID     int64
	Text   string
	Number int64
}

// OrderOf reads an order as addresses write it: a name, descending behind a
// minus. The empty text is the zero Order.
func OrderOf(text string) Order {
	by, descending := strings.CutPrefix(text, "-")
	return Order{By: by, Ascending: by != "" && !descending}
}

// The names that lists are ordered by: those of the fields of the REST API.
const (
	OrderFirst   = "first_at"     // alarms: when they were raised first
	OrderLast    = "last_at"      // open alarms: when they were raised last
	OrderCount   = "count"        // open alarms: how often
	OrderEnded   = "recovered_at" // ended alarms: when
	OrderTime    = "at"           // audit lines, deletions
	OrderID      = "id"           // users, API keys: as they were made
	OrderName    = "name"         // API keys, deletions
	OrderRole    = "role"         // users: administrators apart
	OrderUsed    = "last_used_at" // API keys: when last; never is before all
	OrderExpires = "expires_at"   // API keys, logins: when; never is before all
	OrderSeen    = "seen_at"      // logins: when last
	OrderCreated = "created_at"   // logins
	OrderUser    = "username"     // users, logins
)
