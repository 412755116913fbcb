package auth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Bounds of the administrator's password, in bytes.
const (
	minAdminPassword = 8
	maxAdminPassword = 64
)

// EnsureAdmin makes sure that somebody can administrate: where no administrator
// of the database can log in, the user name (default "admin") becomes one with
// the given password, or with a generated one that is returned as printed, once.
// Where one can, nothing changes and created is false, also when a password is
// given. The user's sessions end. A generated password is good for the setup
// alone ([Service.Setup]); a given one is the administrator's own.
//
// It is meant for the opening of a database. Of two nodes that open one at the
// same time the last one's password counts, and the other one prints none.
func (s *Service) EnsureAdmin(ctx context.Context, name, password string) (printed string, created bool, err error) {
	if name = strings.TrimSpace(name); name == "" {
		name = "admin"
	}
	have, err := s.hasAdmin(ctx)
	if err == nil && have {
		err = s.rememberSetup(ctx)
	}
	if err != nil || have {
		return "", false, err
	}
	if password == "" {
		printed = generatePassword()
		password = printed
	}
	if err := checkAdminPassword(name, password); err != nil {
		return "", false, err
	}
	javaHash, ownHash, err := s.HashPassword(ctx, password)
	if err != nil {
		return "", false, err
	}
	if printed != "" { // before the password is good for anything
		if err := s.openSetup(ctx, name, ownHash); err != nil {
			return "", false, fmt.Errorf("open the setup: %w", err)
		}
	}
	u, err := s.makeAdmin(ctx, name, javaHash, ownHash)
	if err != nil {
		return "", false, fmt.Errorf("create administrator %q: %w", name, err)
	}
	if now, err := s.cfg.Users.User(ctx, u.ID); err != nil || now.Hash != ownHash {
		return "", false, errors.Join(err, s.rememberSetup(ctx)) // another node was at it too
	}
	if printed != "" { // that node may have opened it for a password that did not last
		if err := s.openSetup(ctx, name, ownHash); err != nil {
			return "", false, fmt.Errorf("open the setup: %w", err)
		}
	}
	s.log.InfoContext(ctx, "administrator set up", slog.String("user", name))
	return printed, true, nil
}

// hasAdmin reports whether some administrator can log in.
func (s *Service) hasAdmin(ctx context.Context) (bool, error) {
	admin := true
	for f := (model.UserFilter{Admin: &admin, Limit: 1000}); ; f.Offset += f.Limit {
		list, total, err := s.cfg.Users.Users(ctx, f)
		if err != nil {
			return false, err
		}
		for _, u := range list {
			full, err := s.cfg.Users.User(ctx, u.ID) // a list may be without hashes
			if err != nil && !s.cfg.NotFound(err) {
				return false, err
			}
			if err == nil && full.Admin && usable(full) {
				return true, nil
			}
		}
		if len(list) == 0 || f.Offset+f.Limit >= total {
			return false, nil
		}
	}
}

func (s *Service) makeAdmin(ctx context.Context, name, javaHash, ownHash string) (*model.User, error) {
	u, err := s.cfg.Users.UserByName(ctx, name)
	if err != nil && !s.cfg.NotFound(err) {
		return nil, err
	}
	if err != nil {
		u = &model.User{Username: name, JavaHash: javaHash, Hash: ownHash, Admin: true}
		if err := s.cfg.Users.CreateUser(ctx, u); err != nil {
			return nil, err
		}
		return u, s.cfg.Users.SetPassword(ctx, u.ID, javaHash, ownHash)
	}
	if !u.Admin {
		u.Admin = true
		if err := s.cfg.Users.UpdateUser(ctx, u); err != nil {
			return nil, err
		}
	}
	if err := s.cfg.Users.SetPassword(ctx, u.ID, javaHash, ownHash); err != nil {
		return nil, err
	}
	return u, s.cfg.Sessions.DeleteUserSessions(ctx, u.ID)
}

// SetPassword sets the password of a user and ends the user's sessions, for
// the command line. It returns the store's error for a user who is not there.
func (s *Service) SetPassword(ctx context.Context, userID int32, password string) error {
	javaHash, ownHash, err := s.HashPassword(ctx, password)
	if err != nil {
		return err
	}
	if err := s.cfg.Users.SetPassword(ctx, userID, javaHash, ownHash); err != nil {
		return err
	}
	return s.EndSessions(ctx, userID)
}

// generatePassword returns 20 letters and digits of 100 random bits, none that
// look alike. It fits Java's limit of 20 characters.
func generatePassword() string {
	const letters = "abcdefghjkmnpqrstuvwxyz23456789x"
	raw := make([]byte, 20)
	_, _ = rand.Read(raw) // never fails
	for i, b := range raw {
		raw[i] = letters[b%32]
	}
	return string(raw)
}
