package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/client"
)

// KeyCmd manages API keys.
type KeyCmd struct {
	List   keyList   `cmd:"" help:"List API keys."`
	Create keyCreate `cmd:"" help:"Create an API key and print its secret, once."`
	Revoke keyRevoke `cmd:"" help:"Revoke API keys at once. It asks only before it revokes its own."`
}

// keyList lists keys.
type keyList struct {
	Remote
	Form

	Sort string `help:"${key_sort}" enum:"${key_sorts}" default:"-id" env:"-"`
}

// Run prints them without their secrets.
func (l *keyList) Run(ctx context.Context, con Console) error {
	return l.With(func(c *client.Client) error {
		list := []*client.Key{}
		for k, err := range c.Keys(ctx, client.KeyFilter{Sort: l.Sort}) {
			if err != nil {
				return err
			}
			list = append(list, k)
		}
		return l.Print(con, list, func(w io.Writer) {
			Row(w, "ID", "NAME", "BEGINS", "VERBS", "GROUPS", "LAST USED", "STATE")
			for _, k := range list {
				groups := "all"
				if k.GroupIDs != nil {
					groups = strings.Trim(fmt.Sprint(k.GroupIDs), "[]")
				}
				Row(w, k.ID, k.Name, k.Prefix, strings.Join(k.Verbs, " "), groups, clock(k.LastUsedAt), keyState(k))
			}
		})
	})
}

func keyState(k *client.Key) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked " + clock(k.RevokedAt)
	case k.ExpiresAt != nil && k.ExpiresAt.Before(time.Now()):
		return "expired " + clock(k.ExpiresAt)
	case k.ExpiresAt != nil:
		return "until " + clock(k.ExpiresAt)
	}
	return "valid"
}

// keyCreate creates a key.
type keyCreate struct {
	Remote
	Form

	Name    string        `arg:"" help:"What it is for."`
	Verbs   []string      `name:"verb" help:"${key_verbs}" enum:"${verbs}" required:"" env:"-" placeholder:"VERB"`
	Groups  []string      `name:"group" help:"${key_groups}" env:"-" placeholder:"GROUP"`
	Login   string        `help:"${key_login}" env:"-" placeholder:"USER"`
	Expires time.Duration `help:"How long it is valid, such as 720h. Default: for ever." env:"-" placeholder:"TIME"`
}

// Run prints the secret.
func (k *keyCreate) Run(ctx context.Context, con Console) error {
	if k.Expires < 0 {
		return UsageError{Err: fmt.Errorf("--expires %v must be above 0", k.Expires)}
	}
	with := k.With
	if k.Login != "" {
		password, _, err := PasswordFlag{PasswordStdin: true}.Get(con)
		if err != nil {
			return err
		}
		with = func(f func(*client.Client) error) error { return k.asUser(ctx, k.Login, password, f) }
	}
	return with(func(c *client.Client) error {
		in := client.KeyInput{Name: k.Name, Verbs: k.Verbs}
		if k.Expires > 0 {
			at := time.Now().Add(k.Expires).Truncate(time.Second).UTC()
			in.ExpiresAt = &at
		}
		for _, name := range k.Groups {
			g, err := findGroup(ctx, c, name)
			if err != nil {
				return err
			}
			in.GroupIDs = append(in.GroupIDs, g.ID)
		}
		key, err := c.CreateKey(ctx, in)
		if err != nil {
			return err
		}
		return k.Print(con, key, func(w io.Writer) { fmt.Fprintf(w, "key %d: %s\n", key.ID, key.Secret) })
	})
}

// keyRevoke revokes keys.
type keyRevoke struct {
	Remote
	Sure

	IDs []string `arg:"" name:"id" help:"Ids of keys."`
}

// Run revokes them. What has leaked cannot wait for an answer; but the key that the
// command itself has is asked about, because nothing more can be done with it then.
func (k *keyRevoke) Run(ctx context.Context, con Console) error {
	ids := make([]int64, len(k.IDs))
	for i, text := range k.IDs {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id < 1 {
			return UsageError{Err: fmt.Errorf("%q is no id: xxl-job-admin key list shows them", text)}
		}
		ids[i] = id
	}
	return k.With(func(c *client.Client) error {
		for _, id := range ids {
			key, err := c.Key(ctx, id)
			if err != nil {
				return err
			}
			if strings.HasPrefix(k.Key, key.Prefix) {
				text := fmt.Sprintf("Key %d %s is the one that asks. Revoke it?", id, Safe(key.Name))
				if err := k.ask(con, known(text)); err != nil {
					return err
				}
			}
			if err := c.RevokeKey(ctx, id); err != nil {
				return err
			}
			fmt.Fprintf(con.Out, "revoked key %d %s\n", id, Safe(key.Name))
		}
		return nil
	})
}
