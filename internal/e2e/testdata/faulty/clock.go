package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// The build that has this file also has a package time whose wall clock can be
// stepped: 49 hours ahead on SIGUSR1, 49 hours back on SIGUSR2, both from the
// true time.
func init() {
	steps := make(chan os.Signal, 1)
	signal.Notify(steps, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for sig := range steps {
			const step = 49 * 60 * 60
			if sig == syscall.SIGUSR1 {
				time.StepClock(step)
			} else {
				time.StepClock(-step)
			}
			println("clock stepped to", time.Now().UTC().Format(time.DateOnly))
		}
	}()
}
