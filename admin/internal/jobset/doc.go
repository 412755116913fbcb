// Package jobset is what package jobfile needs of the admin itself: its jobs as
// documents, and plans carried out. It does so for somebody who is logged in,
// with the permissions and the history of package ops.
package jobset
