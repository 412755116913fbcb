package client

import (
	"context"
	"iter"
	"net/http"
)

// Member is a user with a role in a group.
type Member struct {
	UserID   int32  `json:"user_id"`
	Username string `json:"username"`
	Role     string `json:"role"` // RoleViewer …
	// Administrator says that the user may do everything, whatever Role is.
	Administrator bool `json:"administrator"`
}

// Members lists who has which role in a group. It returns ErrForbidden to who is
// neither an administrator nor an admin of the group, and ErrNotFound.
func (c *Client) Members(ctx context.Context, groupID int32) iter.Seq2[*Member, error] {
	return pages[Member](ctx, c, at("/groups/", groupID, "/members"), nil)
}

// SetMember gives a user a role in a group, in the place of the one there was. It
// returns ErrNotFound when there is no such user or group, and ErrConflict for
// one's own role.
func (c *Client) SetMember(ctx context.Context, groupID int32, username, role string) (*Member, error) {
	in := struct {
		Username string `json:"username"`
		Role     string `json:"role"`
	}{username, role}
	return object[Member](ctx, c, &call{method: http.MethodPut, path: at("/groups/", groupID, "/members"), in: in})
}

// RemoveMember takes the role of a user in a group away. It returns ErrNotFound
// when there is none.
func (c *Client) RemoveMember(ctx context.Context, groupID int32, username string) error {
	return c.do(ctx, &call{
		method: http.MethodDelete, path: at("/groups/", groupID, "/members"), query: values("username", username),
	})
}
