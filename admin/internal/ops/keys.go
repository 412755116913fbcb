package ops

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

const (
	// KeyMark is how the secret of every API key begins.
	KeyMark = "xja_"

	keySecret   = 32 // random bytes of a secret
	keyPrefix   = len(KeyMark) + 6
	keyTouch    = time.Minute // how exactly the last use is kept
	maxKeyName  = 64
	maxKeyGroup = 100
)

// ErrNoKey is returned for a secret that belongs to no API key that counts.
var ErrNoKey = errors.New("ops: no such API key")

// KeyInput is an API key as an editor gives it.
type KeyInput struct {
	Name      string
	Verbs     []model.Verb
	AllGroups bool
	GroupIDs  []int32   // unless AllGroups
	Expires   time.Time // zero is never
}

func keyObject(id int64) string { return fmt.Sprintf("key %d", id) }

// CreateKey makes an API key and returns it with its secret, which is not shown
// again. For administrators.
func (s *Service) CreateKey(ctx context.Context, p Principal, in KeyInput) (*model.Key, string, error) {
	if err := s.needAdmin(ctx, p, "key.create", ""); err != nil {
		return nil, "", err
	}
	if e := s.checkKey(in); e != nil {
		return nil, "", e
	}
	raw := make([]byte, keySecret)
	_, _ = rand.Read(raw) // never fails
	secret := KeyMark + hex.EncodeToString(raw)
	k := &model.Key{
		Name: strings.TrimSpace(in.Name), Prefix: secret[:keyPrefix], Hash: hashKey(secret), Verbs: in.Verbs,
		AllGroups: in.AllGroups, CreatedBy: p.Name, Created: s.now().Truncate(time.Millisecond), Expires: in.Expires,
	}
	if !in.AllGroups {
		k.GroupIDs = slices.Compact(slices.Sorted(slices.Values(in.GroupIDs)))
	}
	if err := s.store.CreateKey(ctx, k); err != nil {
		return nil, "", fmt.Errorf("create an API key: %w", refused(err))
	}
	scope := "all groups"
	if !k.AllGroups {
		scope = fmt.Sprintf("groups %v", k.GroupIDs)
	}
	s.record(ctx, p, "key.create", keyObject(k.ID), fmt.Sprintf("name: %s; %s; %s",
		k.Name, model.JoinVerbs(k.Verbs), scope))
	return hideKey(k), secret, nil
}

func (s *Service) checkKey(in KeyInput) *Error {
	name := strings.TrimSpace(in.Name)
	switch {
	case name == "":
		return invalid("say what the key is for", key(i18n.SystemPleaseInput), key(i18n.KeyName))
	case markup(name) || control(name):
		return noMarkup(key(i18n.KeyName))
	case len(in.Verbs) == 0:
		return invalid("name at least one verb", key(i18n.SystemPleaseChoose), key(i18n.KeyVerbs))
	case !in.AllGroups && slices.Contains(in.Verbs, model.VerbAdmin):
		return invalid("the verb admin is for keys of all groups", key(i18n.KeyVerbs), key(i18n.SystemInvalid)).
			own("refused.key.admin")
	case !in.AllGroups && len(in.GroupIDs) == 0:
		return invalid("name at least one group", key(i18n.SystemPleaseChoose), key(i18n.UserPermission))
	case len(in.GroupIDs) > maxKeyGroup:
		return invalid(fmt.Sprintf("a key names at most %d groups", maxKeyGroup),
			key(i18n.UserPermission), key(i18n.SystemInvalid))
	case !in.Expires.IsZero() && !in.Expires.After(s.now()):
		return invalid("the end lies in the past", key(i18n.KeyExpires), key(i18n.SystemInvalid)).
			own("refused.key.past")
	}
	for _, v := range in.Verbs {
		if !slices.Contains(model.Verbs(), v) {
			return invalid("use read, run, edit or admin", key(i18n.KeyVerbs), key(i18n.SystemInvalid))
		}
	}
	return fits(field{key(i18n.KeyName), name, maxKeyName})
}

// hashKey is what is stored of a secret. It has 256 random bits, so nothing
// slower is needed.
func hashKey(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func hideKey(k *model.Key) *model.Key {
	view := *k
	view.Hash = ""
	return &view
}

// FindKey returns the API key with this secret, without its hash, and notes
// that it was used. It returns ErrNoKey for one that is unknown, revoked or
// expired.
func (s *Service) FindKey(ctx context.Context, secret string) (*model.Key, error) {
	if !strings.HasPrefix(secret, KeyMark) || len(secret) != len(KeyMark)+2*keySecret {
		return nil, ErrNoKey
	}
	hash := hashKey(secret)
	k, err := s.store.KeyByHash(ctx, hash)
	now := s.now()
	switch {
	case notFound(err):
		return nil, ErrNoKey
	case err != nil:
		return nil, fmt.Errorf("read an API key: %w", err)
	case subtle.ConstantTimeCompare([]byte(hash), []byte(k.Hash)) != 1 || !k.Valid(now):
		return nil, ErrNoKey
	}
	if now.Sub(k.Used) >= keyTouch {
		if err := s.store.TouchKey(context.WithoutCancel(ctx), k.ID, now); err != nil {
			s.log.WarnContext(ctx, "use of an API key not noted", slog.Int64("key_id", k.ID), slog.Any("err", err))
		}
	}
	return hideKey(k), nil
}

// ListKeys returns API keys without their hashes, newest first unless f.Order says
// otherwise. For administrators.
func (s *Service) ListKeys(ctx context.Context, p Principal, f model.KeyFilter) ([]*model.Key, error) {
	if err := s.needAdmin(ctx, p, "key.list", ""); err != nil {
		return nil, err
	}
	list, err := s.store.Keys(ctx, f)
	for i, k := range list {
		list[i] = hideKey(k)
	}
	return list, err
}

// Key returns an API key without its hash. For administrators.
func (s *Service) Key(ctx context.Context, p Principal, id int64) (*model.Key, error) {
	if err := s.needAdmin(ctx, p, "key.get", keyObject(id)); err != nil {
		return nil, err
	}
	k, err := s.store.Key(ctx, id)
	switch {
	case notFound(err):
		e := &Error{
			Kind: NotFound, Parts: []Part{key(i18n.SystemNotFound)}, Detail: fmt.Sprintf("there is no API key %d", id),
		}
		return nil, e.own("refused.key.gone", id)
	case err != nil:
		return nil, fmt.Errorf("read key %d: %w", id, err)
	}
	return hideKey(k), nil
}

// RevokeKey makes an API key count no more, at once. For administrators.
func (s *Service) RevokeKey(ctx context.Context, p Principal, id int64) error {
	k, err := s.Key(ctx, p, id)
	if err != nil {
		return err
	}
	if err := s.store.RevokeKey(ctx, id, s.now()); err != nil {
		return fmt.Errorf("revoke key %d: %w", id, err)
	}
	s.record(ctx, p, "key.revoke", keyObject(id), "name: "+k.Name)
	return nil
}
