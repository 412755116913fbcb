package main

import (
	"context"
	"log/slog"
	"net"
	"os"
	"strings"
)

// notify tells systemd about the state of the service, if it wants to know.
func notify(ctx context.Context, log *slog.Logger, state string) {
	socket := os.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return
	}
	if strings.HasPrefix(socket, "@") { // a socket without a file
		socket = "\x00" + socket[1:]
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unixgram", socket)
	if err != nil {
		log.WarnContext(ctx, "systemd not notified", slog.Any("err", err))
		return
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(state)); err != nil {
		log.WarnContext(ctx, "systemd not notified", slog.Any("err", err))
	}
}
