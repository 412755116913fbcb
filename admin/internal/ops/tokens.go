package ops

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// The bounds of an overlap of two tokens.
const (
	// OverlapEndless is an overlap that lasts until EndOldToken.
	OverlapEndless time.Duration = -1
	// MaxOverlap is the longest one that ends by itself.
	MaxOverlap = 90 * 24 * time.Hour
)

// SetGroupToken gives a group an access token of its own; the empty one takes
// it away, so that the global one counts again. Its executors must be given
// the same, and have so long for it as overlap says: until then they may show
// the old one, and are sent it. 0 ends the old one at once, as it does one from
// an earlier change. For admins of the group.
func (s *Service) SetGroupToken(ctx context.Context, p Principal, id int32, token string, overlap time.Duration) error {
	if err := s.needOwner(ctx, p, id, "group.token"); err != nil {
		return err
	}
	if e := checkToken(token); e != nil {
		return e
	}
	return s.setToken(ctx, p, id, token, overlap)
}

// RotateToken gives a group a new random access token and returns it: it is
// not shown again. overlap is as in SetGroupToken. For admins of the group.
func (s *Service) RotateToken(ctx context.Context, p Principal, id int32, overlap time.Duration) (string, error) {
	if err := s.needOwner(ctx, p, id, "group.token"); err != nil {
		return "", err
	}
	token := strings.ToLower(rand.Text())
	if err := s.setToken(ctx, p, id, token, overlap); err != nil {
		return "", err
	}
	return token, nil
}

// EndOldToken ends the token that a group had before, if it still counts. For
// admins of the group.
func (s *Service) EndOldToken(ctx context.Context, p Principal, id int32) error {
	if err := s.needOwner(ctx, p, id, "group.token"); err != nil {
		return err
	}
	if _, err := s.group(ctx, id); err != nil {
		return err
	}
	if err := s.store.EndOldToken(ctx, id); err != nil {
		return err
	}
	s.record(ctx, p, "group.token", groupObject(id), "old one ended")
	s.cfg.Registry.GroupsChanged()
	return nil
}

func (s *Service) setToken(ctx context.Context, p Principal, id int32, token string, overlap time.Duration) error {
	if overlap > MaxOverlap || overlap < 0 && overlap != OverlapEndless {
		days := MaxOverlap / (24 * time.Hour)
		return invalid(fmt.Sprintf("an overlap lasts for 0 to %d days, or until it is ended", days),
			key(i18n.JobgroupToken), key(i18n.SystemInvalid)).own("refused.overlap", int(days))
	}
	unlock, err := s.lockEdits(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	g, err := s.group(ctx, id)
	if err != nil {
		return err
	}
	what := "set"
	if token == "" {
		what = "taken away"
	}
	var old *model.OldToken
	if overlap != 0 && g.AccessToken != token {
		old = &model.OldToken{Token: g.AccessToken}
		if old.Token == publicToken {
			old.Token = "" // it does not count: the common one does
		}
		if what += ", the old one counts until it is ended"; overlap > 0 {
			old.Until = s.now().Add(overlap)
			what = strings.Replace(what, "it is ended", old.Until.UTC().Format(time.RFC3339), 1)
		}
	}
	if err := s.store.SetGroupToken(ctx, id, token, old, s.seconds()); err != nil {
		return fmt.Errorf("set the token of group %d: %w", id, refused(err))
	}
	s.record(ctx, p, "group.token", groupObject(id), what)
	s.cfg.Registry.GroupsChanged()
	return nil
}

// checkToken refuses a token that can be guessed or not be sent in a header.
func checkToken(token string) *Error {
	bad := strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f })
	switch {
	case token == "":
		return nil
	case token == publicToken || bad || len(token) < minToken || len(token) > maxToken:
		return invalid(fmt.Sprintf("a token has %d to %d visible ASCII characters without blanks, and is not %q",
			minToken, maxToken, publicToken), key(i18n.JobgroupToken), key(i18n.SystemInvalid)).
			own("refused.token", minToken, maxToken, publicToken)
	}
	return nil
}
