// Package alarm tells people that a job fails and that it runs again: by mail,
// by a generic webhook, and in the chats DingTalk, WeCom, Feishu and Slack.
//
// # Who does what
//
// The Manager takes alarms with Notify, which never blocks, and decides what
// becomes of each. Every channel has a lane: a bounded queue and one goroutine
// that sends, so that a mail server that swallows everything delays no chat, and
// nothing of this delays a run. Run starts the lanes, and ends them in order.
//
//	Notify ─▶ collapse ─▶ lane ─▶ rate ─▶ send, three retries ─▶ Mark
//	                        └─ one for each channel
//
// # Few messages that say much
//
// A failure of a job is sent at once. Failures of the same kind and code within
// the window that follows (ten minutes) are counted, and make one message at its
// end. The first success after a failure that was sent makes a recovery notice.
// Each channel has a token bucket; an alarm that has waited two minutes for its
// turn is dropped, and the next message of the channel says how many were. What
// is remembered of jobs is bounded, lies in memory, and belongs to one node.
//
// # What strangers can do with it
//
// Texts of executors are escaped for the place where they are shown, never
// executed: the template of a webhook knows fields and nothing else. Requests go
// to http and https only, follow no redirect, and never reach link-local and
// metadata addresses, which is checked on the resolved address. Secrets and URLs
// of chats, which hold secrets, print as six stars everywhere.
package alarm
