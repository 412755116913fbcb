package rest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/strictjson"
)

// anybody is the verb of endpoints that every caller may use who is known.
const anybody model.Verb = "any"

// The verbs of endpoints whose users need another role than keys need a verb.
const (
	// switching is for keys with model.VerbEdit, and for operators.
	switching model.Verb = "start"
	// owning is for keys with model.VerbAdmin, and for admins of the group.
	owning model.Verb = "own"
)

// keyVerb is the verb that a key needs for an endpoint.
func keyVerb(v model.Verb) model.Verb {
	switch v {
	case switching:
		return model.VerbEdit
	case owning:
		return model.VerbAdmin
	}
	return v
}

// maxBody bounds request bodies, in bytes.
const maxBody = 1 << 20

// The cookies that a session may be in, and the header for its CSRF token,
// which is that of the console's forms.
const (
	sessionCookie = "xxl_job_login_token"
	olderCookie   = "XXL_JOB_LOGIN_IDENTITY"
	csrfHeader    = "X-CSRF-Token"
	csrfPurpose   = "console form"
)

// endpoint is an operation of openapi.yaml.
type endpoint struct {
	method, path string
	verb         model.Verb // "" is for everybody, also who is unknown
	query        []string   // the parameters that it takes
	secret       bool       // its answer is shown once and not kept
	do           func(ctx context.Context, c *call) error
}

func (e endpoint) permission() httpx.Permission {
	switch e.verb {
	case "":
		return httpx.Anonymous
	case anybody:
		return httpx.LoggedIn
	case model.VerbAdmin:
		return httpx.Admin
	case model.VerbRead:
		return httpx.Viewer
	case model.VerbRun, switching:
		return httpx.Operator
	case owning:
		return httpx.GroupAdmin
	}
	return httpx.Editor
}

// call is one request on its way.
type call struct {
	s       *Server
	w       http.ResponseWriter
	r       *http.Request
	key     *model.Key  // nil for a session
	user    *model.User // nil for a key
	session string      // the session id of user
	who     ops.Principal
	owner   string // of limits and idempotency keys: "key 7", "user 3"
	body    []byte
}

// callKey is under which the guard leaves its call for the handler behind it.
type callKey struct{}

// guard does for a route what comes before its endpoint.
func (s *Server) guard(route httpx.Route) httpx.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		c := &call{s: s, w: w, r: r}
		err := c.admit(r.Context(), s.byRoute[route.Methods[0]+" "+route.Path])
		if err == nil {
			c.r = r.WithContext(context.WithValue(r.Context(), callKey{}, c))
			return route.Handler(w, c.r)
		}
		httpx.Drain(w, r)
		return s.answer(w, r, err)
	}
}

// answer writes a refusal; anything else is returned.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, err error) error {
	if p, ok := refusal(err); ok {
		s.write(w, r, p)
		return nil
	}
	return err
}

// serve is the handler of an endpoint, behind the guard where it has one.
func (s *Server) serve(e endpoint) httpx.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		c, ok := r.Context().Value(callKey{}).(*call)
		if !ok {
			c = &call{s: s, w: w, r: r}
			if err := c.checkQuery(e); err != nil {
				return s.answer(w, r, err)
			}
		}
		ctx := r.Context()
		if r.Method == http.MethodPost && r.Header.Get("Idempotency-Key") != "" {
			return s.answer(w, r, c.once(ctx, e))
		}
		return s.answer(w, r, e.do(ctx, c))
	}
}

// admit finds out who asks, and whether that may go on to the endpoint.
func (c *call) admit(ctx context.Context, e endpoint) error {
	if err := c.recognise(ctx); err != nil {
		return err
	}
	if wait := c.s.rates.take(c.owner, c.s.now()); wait > 0 {
		p := problem(kindRate, fmt.Sprintf("at most %d requests a second", c.s.cfg.Rate))
		p.retry = wait
		return p
	}
	unsafe := c.r.Method != http.MethodGet && c.r.Method != http.MethodHead
	if unsafe && c.user != nil && !c.tokenMatches() {
		return problem(kindForbidden, "send the csrf_token of GET /v1/session",
			fieldFault{csrfHeader, "missing or of another session"})
	}
	if err := c.may(e); err != nil {
		return err
	}
	if err := c.checkQuery(e); err != nil {
		return err
	}
	if !unsafe {
		return nil
	}
	return c.readBody()
}

// recognise finds the API key or the session of the request.
func (c *call) recognise(ctx context.Context) error {
	if given := c.r.Header.Get("Authorization"); given != "" {
		scheme, secret, _ := strings.Cut(given, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return problem(kindAnonymous, "send Authorization: Bearer and an API key")
		}
		k, err := c.s.cfg.Ops.FindKey(ctx, strings.TrimSpace(secret))
		if errors.Is(err, ops.ErrNoKey) {
			return problem(kindAnonymous, "the API key is unknown, revoked or expired")
		}
		if err != nil {
			return err
		}
		c.key, c.who, c.owner = k, ops.KeyPrincipal(k), "key "+strconv.FormatInt(k.ID, 10)
		return nil
	}
	for _, name := range []string{sessionCookie, olderCookie} {
		cookie, err := c.r.Cookie(name)
		if err != nil || cookie.Value == "" {
			continue
		}
		u, err := c.s.cfg.Auth.Authenticate(ctx, cookie.Value)
		if err != nil && c.s.cfg.NoSession(err) {
			continue
		}
		if err != nil {
			return err
		}
		c.user, c.session, c.who = u, cookie.Value, ops.UserPrincipal(u)
		c.owner = "user " + strconv.Itoa(int(u.ID))
		return nil
	}
	return problem(kindAnonymous, "send Authorization: Bearer and an API key, or log in")
}

// csrf is the token of the session's forms.
func (c *call) csrf() string {
	mac := hmac.New(sha256.New, []byte(c.session))
	mac.Write([]byte(csrfPurpose))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (c *call) tokenMatches() bool {
	return subtle.ConstantTimeCompare([]byte(c.r.Header.Get(csrfHeader)), []byte(c.csrf())) == 1
}

// may refuses a key without the verb, and a user who has the role of the endpoint
// in no group. For the group of an object it is package ops that says it. Who has
// no role at all may read lists, which are empty then.
func (c *call) may(e endpoint) error {
	need := e.permission()
	switch {
	case e.verb == anybody:
		return nil
	case c.key != nil:
		if v := keyVerb(e.verb); !c.key.Can(v) {
			return problem(kindForbidden, "this takes the verb "+string(v))
		}
	case need == httpx.Admin && !c.user.Admin:
		return problem(kindForbidden, "this is for administrators")
	case need.Role() > model.RoleViewer && !c.personal(e) && !c.who.CanAnywhere(need.Role()):
		return problem(kindForbidden, "this takes the role "+need.Role().String()+" in the group")
	}
	return nil
}

// personal reports whether an endpoint is about what belongs to the user alone,
// for which users need no role.
func (c *call) personal(e endpoint) bool { return c.user != nil && e.path == "/v1/views" }

// checkQuery refuses query parameters that the endpoint does not know, or that
// are given twice.
func (c *call) checkQuery(e endpoint) error {
	var faults []fieldFault
	for name, values := range c.r.URL.Query() {
		switch {
		case !slices.Contains(e.query, name):
			faults = append(faults, fieldFault{name, "there is no such query parameter"})
		case len(values) > 1:
			faults = append(faults, fieldFault{name, "give it once"})
		}
	}
	if len(faults) == 0 {
		return nil
	}
	slices.SortFunc(faults, func(a, b fieldFault) int { return strings.Compare(a.Pointer, b.Pointer) })
	return problem(kindBad, "see errors", faults...)
}

func (c *call) readBody() error {
	body, err := httpx.ReadBody(c.w, c.r, maxBody)
	if err != nil {
		return err
	}
	c.body = bytes.TrimSpace(body)
	if len(c.body) == 0 {
		return nil
	}
	kind, _, _ := strings.Cut(c.r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(kind), httpx.TypeJSON) {
		return problem(kindMedia, "send Content-Type: application/json")
	}
	return nil
}

// decode reads the body into v: unknown fields, names in another case and fields
// that are given twice are refused.
func (c *call) decode(v any) error {
	if len(c.body) == 0 {
		return problem(kindBad, "the body is empty: send a JSON object")
	}
	return c.decodeIf(v)
}

// decodeIf is decode for a body that may be left out.
func (c *call) decodeIf(v any) error {
	if len(c.body) == 0 {
		return nil
	}
	if c.body[0] != '{' {
		return problem(kindBad, "the body is no JSON object")
	}
	err := strictjson.Decode(c.body, v)
	var field *strictjson.FieldError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, strictjson.ErrTrailing):
		return problem(kindBad, "there is something behind the JSON object")
	case errors.As(err, &field) && field.Twice:
		return problem(kindBad, err.Error(), fieldFault{field.Pointer, "give it once"})
	case errors.As(err, &field):
		fault := "there is no such field"
		if field.Meant != "" {
			fault += ": it is called " + field.Meant
		}
		return problem(kindBad, err.Error(), fieldFault{field.Pointer, fault})
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		field := embedded.ReplaceAllString(wrong.Field, "")
		pointer := "/" + strings.ReplaceAll(field, ".", "/")
		return problem(kindBad, "see errors", fieldFault{pointer, "a JSON " + wrong.Value + " cannot be taken here"})
	}
	return problem(kindBad, "the body is no JSON object: "+err.Error())
}

// embedded is how encoding/json names fields of embedded structs.
var embedded = regexp.MustCompile(`^(jobInput|userInput|Retention)\.`)

// json answers with v.
func (c *call) json(status int, v any) error {
	body, err := httpx.EncodeJSON(v)
	if err != nil {
		return err
	}
	httpx.WriteBody(c.w, status, httpx.TypeJSON, body)
	return nil
}

// created answers with a new object and where it is.
func (c *call) created(status int, where string, v any) error {
	c.w.Header().Set("Location", httpx.Prefix(c.r)+where)
	return c.json(status, v)
}

// gone answers that something is deleted.
func (c *call) gone() error {
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
