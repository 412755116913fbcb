//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package execclient

// peekSocket sees nothing here: a parked connection still notices its end.
func peekSocket(uintptr, []byte) sockState { return sockQuiet }

// canWrite says that writeSocket writes.
const canWrite = false

func writeSocket(uintptr, []byte) int { return 0 }
