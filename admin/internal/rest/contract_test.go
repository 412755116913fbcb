package rest_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
)

var update = flag.Bool("update", false, "write openapi.json and the golden files")

// contract is openapi.yaml as a validator.
type contract struct {
	doc    *openapi3.T
	router routers.Router
}

func readContract(t *testing.T) *contract {
	t.Helper()
	openapi3filter.RegisterBodyDecoder("text/event-stream", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("application/x-ndjson", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("text/csv", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("application/yaml", openapi3filter.FileBodyDecoder)
	doc, err := openapi3.NewLoader().LoadFromFile("openapi.yaml")
	require.NoError(t, err)
	require.NoError(t, doc.Validate(t.Context(), openapi3.IsOpenAPI31OrLater()))
	router, err := gorillamux.NewRouter(doc)
	require.NoError(t, err)
	return &contract{doc: doc, router: router}
}

// check validates the answer, and the request where it was taken. Both must be
// in the document.
func (c *contract) check(t *testing.T, w *world, r *http.Request, rec *httptest.ResponseRecorder) {
	t.Helper()
	route, params, err := c.router.FindRoute(r)
	require.NoError(t, err, "%s %s is not in the document", r.Method, r.URL.Path)
	what := fmt.Sprintf("%s %s: %d %s", r.Method, r.URL, rec.Code, rec.Body)
	in := &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params, Route: route,
		Options: &openapi3filter.Options{
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true, MultiError: true,
		},
	}
	if rec.Code < http.StatusBadRequest {
		require.NoError(t, openapi3filter.ValidateRequest(t.Context(), in), what)
	}
	require.NoError(t, openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: rec.Code, Header: rec.Header(), Options: in.Options,
		Body: io.NopCloser(bytes.NewReader(rec.Body.Bytes())),
	}), what)
	noJava(t, what, rec)
	op := route.Operation.OperationID
	if w.seen[op] == nil {
		w.seen[op] = map[int]bool{}
	}
	w.seen[op][rec.Code] = true
}

// noJava: a problem speaks our words, never those of Java's admin, which are for her
// consoles and scripts.
func noJava(t *testing.T, what string, rec *httptest.ResponseRecorder) {
	t.Helper()
	if rec.Header().Get("Content-Type") != "application/problem+json" || rec.Header().Get("Content-Language") != "en" {
		return
	}
	p := object(t, rec)
	said := fmt.Sprint(p["title"], " | ", p["detail"], " | ", p["errors"])
	assert.Empty(t, i18n.OfJava(said), "%s: Java's words in %q", what, said)
	assert.NotEmpty(t, p["title"], what)
}

// TestDocumentJSON: the JSON form says what the YAML form says.
func TestDocumentJSON(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	var v any
	require.NoError(t, yaml.Unmarshal(text, &v))
	want, err := json.Marshal(v)
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile("openapi.json", append(want, '\n'), 0o600))
	}
	got, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	assert.JSONEq(t, string(want), string(got), "run with -update")
}

// TestContract drives every operation of the document against the real admin,
// validates requests and answers, and misses no status that is documented.
func TestContract(t *testing.T) {
	t.Parallel()
	for name, dsn := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testContract(t, newWorldOn(t, dsn(t)))
		})
	}
}

func testContract(t *testing.T, w *world) {
	t.Helper()
	w.keep = readContract(t)
	w.seen = map[string]map[int]bool{}
	o := w.objects(t)
	w.driveJobs(t, o)
	w.driveGroups(t, o)
	w.driveRuns(t, o)
	w.drivePeople(t, o)
	w.driveAlarms(t, o)
	w.driveSettings(t)
	w.driveSystem(t)
	w.driveRefusals(t)

	for path, item := range w.keep.doc.Paths.Map() {
		for method, op := range item.Operations() {
			for status := range op.Responses.Map() {
				if status == "default" || op.OperationID == "getHealth" && status == "503" { // TestHealthFaults
					continue
				}
				code, err := strconv.Atoi(status)
				require.NoError(t, err)
				assert.True(t, w.seen[op.OperationID][code], "%s %s was not answered with %s", method, path, status)
			}
		}
	}
}

// objects are what the operations work on.
type objects struct{ group, other, job int64 }

func (w *world) objects(t *testing.T) objects {
	t.Helper()
	o := objects{group: w.group(t, "orders"), other: w.group(t, "others")}
	o.job = id(t, w.must(t, http.StatusCreated, "POST", "/v1/jobs", job(o.group, "settle <b>雪</b>")))
	return o
}

// fill puts an id into the parameters of a path.
func fill(path, id string) string {
	for {
		i := strings.IndexByte(path, '{')
		if i < 0 {
			return path
		}
		j := strings.IndexByte(path, '}')
		path = path[:i] + id + path[j+1:]
	}
}

// driveRefusals produces what every operation refuses in the same way.
func (w *world) driveRefusals(t *testing.T) {
	t.Helper()
	none := map[string]string{"read": "run", "run": "read", "edit": "read", "admin": "edit"}
	keys := map[string]string{}
	for _, verb := range []string{"read", "run", "edit"} {
		keys[verb] = w.key(t, "only "+verb, []string{verb})
	}
	for path, item := range w.keep.doc.Paths.Map() {
		for method, op := range item.Operations() {
			documented := func(status int) bool { return op.Responses.Status(status) != nil }
			send := func(path string, body any, header map[string]string) *httptest.ResponseRecorder {
				return w.send(t, request{
					method: method, path: path, body: body, cookie: w.cookie, csrf: w.csrf, header: header,
				})
			}
			at := fill(path, "999999")
			anyMatch := map[string]string{"If-Match": "*"}
			verb, _ := op.Extensions["x-verb"].(string)
			if documented(http.StatusForbidden) {
				rec := w.send(t, request{method: method, path: at, key: keys[none[verb]], header: anyMatch})
				assert.Equal(t, http.StatusForbidden, rec.Code, "%s %s", method, path)
			}
			if documented(http.StatusBadRequest) {
				assert.Equal(t, http.StatusBadRequest, send(at+"?nonsense=1", nil, anyMatch).Code, "%s %s", method, path)
			}
			if strings.Contains(path, "{") {
				assert.Equal(t, http.StatusBadRequest, send(fill(path, "x"), nil, anyMatch).Code, "%s %s", method, path)
			}
			body := validBody(op.OperationID)
			if documented(http.StatusNotFound) {
				assert.Equal(t, http.StatusNotFound, send(at, body, anyMatch).Code, "%s %s", method, path)
			}
			if documented(http.StatusRequestEntityTooLarge) {
				big := `{"name":"` + strings.Repeat("x", 1<<20) + `"}`
				assert.Equal(t, http.StatusRequestEntityTooLarge, send(at, big, nil).Code)
			}
			if documented(http.StatusUnsupportedMediaType) {
				rec := send(at, "x=1", map[string]string{"Content-Type": "text/plain", "If-Match": "*"})
				assert.Equal(t, http.StatusUnsupportedMediaType, rec.Code)
			}
			rec := w.send(t, request{method: method, path: at, body: body, header: anyMatch})
			if verb == "none" {
				assert.NotEqual(t, http.StatusUnauthorized, rec.Code)
			} else {
				assert.Equal(t, http.StatusUnauthorized, rec.Code, "%s %s", method, path)
				assert.NotEmpty(t, rec.Header().Get("WWW-Authenticate"))
			}
			w.checkOptions(t, at, item)
		}
	}
}

// validBody is a body that an operation takes, but for the object that is not
// there.
func validBody(op string) any {
	switch op {
	case "updateJob":
		return job(1, "settle")
	case "saveCode":
		return map[string]any{"code": "echo", "remark": "some remark"}
	case "updateGroup":
		return map[string]any{"app_name": "nobody", "title": "nobody"}
	case "setMember":
		return map[string]any{"username": "anna", "role": "viewer"}
	case "updateUser":
		return map[string]any{"role": "user"}
	case "testAlarm":
		return map[string]any{"channel": "none"}
	case "setRule":
		return map[string]any{"kind": "job", "object_id": 999_999, "what": "late", "limit_ms": 1000}
	case "setMute":
		return map[string]any{"kind": "group", "object_id": 999_999, "until": "2126-01-01T00:00:00Z"}
	}
	return nil
}

// checkOptions: OPTIONS names the methods of a path, and others are refused.
func (w *world) checkOptions(t *testing.T, path string, item *openapi3.PathItem) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodOptions, path, nil)
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	assert.Equal(t, http.StatusNoContent, rec.Code, path)
	allow := strings.Split(rec.Header().Get("Allow"), ", ")
	want := []string{"OPTIONS"}
	for method := range item.Operations() {
		if want = append(want, method); method == http.MethodGet {
			want = append(want, http.MethodHead)
		}
	}
	assert.ElementsMatch(t, want, allow, path)
	if !slices.Contains(want, http.MethodPatch) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPatch, path, nil)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		assert.Equal(t, http.StatusMethodNotAllowed, rec.Code, path)
		assert.Equal(t, "application/problem+json", rec.Header().Get("Content-Type"))
	}
}
