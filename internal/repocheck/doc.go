// Package repocheck holds the tests over the tree itself: who may import whom,
// what has to be documented, what must not be written into the repository, and
// the proof that a service which imports the library stays light. It exports
// nothing and is never imported.
package repocheck
