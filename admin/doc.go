// Package admin is the companion scheduling centre of xxljob. Nothing of it is
// written yet; the package exists so that the module boundary is in place
// before code grows on either side of it.
package admin
