package xxljob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// JavaJobs says how declared jobs come into an admin of Java's master branch
// (3.5.0 and later), through its job API. The zero value sends none.
//
// That API can add and change jobs, and cannot list them. So the executor keeps
// the ids of what it has added in its LogPath, and adds nothing twice as long as
// that survives. Set it on one executor of a group only: several would add every
// job several times. What people change in the console it cannot see.
type JavaJobs struct {
	// Group is the id of the executor's group in that admin, as its console
	// shows it in addresses (jobGroup=…). Default 0: no job is added.
	Group int
	// Update also changes jobs that were added, when their declaration has
	// changed. It overwrites what people have changed in them, and the API then
	// takes away their child jobs. Default false: a warning says what differs.
	Update bool
}

// javaPolicy stands for a policy in results of the job API.
const javaPolicy = "job API of a Java admin"

// javaJob is what is kept of one declared job.
type javaJob struct {
	ID     int32  `json:"id"`               // 0: adding it was begun, and its outcome is not known
	Digest string `json:"digest"`           // of the declaration that the admin has
	Start  bool   `json:"start,omitempty"`  // it is to be started yet
	Update bool   `json:"update,omitempty"` // a change was begun, and its outcome is not known
}

// javaBook is what is kept of all jobs, in a file.
type javaBook struct {
	Admins []string            `json:"admins"` // to which the ids belong
	Group  int                 `json:"group"`
	Jobs   map[string]*javaJob `json:"jobs"` // by name

	path string
}

// javaAdder adds declared jobs through the job API. It belongs to the declarer's
// goroutine.
type javaAdder struct {
	cfg  JavaJobs
	path string // of the book
	list []wire.DeclaredJob
	log  *slog.Logger
}

// errNoJobAPI is what a Java admin before 3.5.0 answers.
var errNoJobAPI = errors.New("this Java admin has no job API")

// settle adds what is missing. An error means that it is to be tried again.
func (a *javaAdder) settle(ctx context.Context, node *adminClient, admins []string) (*wire.DeclareResult, error) {
	book, err := readJavaBook(a.path)
	if err != nil {
		return nil, err
	}
	admins = slices.Sorted(slices.Values(admins))
	if len(book.Jobs) == 0 {
		book.Admins, book.Group = admins, a.cfg.Group
	}
	result := &wire.DeclareResult{Policy: javaPolicy}
	other := book.Group != a.cfg.Group || !slices.Equal(book.Admins, admins)
	for i := range a.list {
		j := &a.list[i]
		out := wire.Declared{Name: j.Name.String, Outcome: wire.OutcomeRefused}
		switch {
		case other:
			out.Note = fmt.Sprintf("%s holds ids of another admin or group: remove it to add the jobs here", a.path)
		case j.TimeZone.Valid:
			out.Note = "it has a TimeZone, which a Java admin does not know: its jobs fire in the admin's zone"
		default:
			err = a.job(ctx, node, book, j, &out)
		}
		if err != nil {
			return nil, err
		}
		result.Jobs = append(result.Jobs, out)
	}
	return result, nil
}

// job brings one job in line.
func (a *javaAdder) job(
	ctx context.Context, node *adminClient, book *javaBook, j *wire.DeclaredJob, out *wire.Declared,
) error {
	digest := javaDigest(j)
	rec := book.Jobs[out.Name]
	var err error
	switch {
	case rec == nil:
		rec, err = a.add(ctx, node, book, j, out)
	case rec.ID == 0:
		out.Note = fmt.Sprintf("nobody knows whether it was added, for the answer was lost: if the console has it, "+
			"write its id into %s, else take it out of there", a.path)
		return nil
	case rec.Digest == digest && !rec.Update:
		out.Outcome = wire.OutcomeUnchanged
	case !a.cfg.Update:
		out.Outcome, out.Note = wire.OutcomeKept, "its declaration has changed since it was added: "+
			"change it in the console, or set Config.JavaJobs.Update"
	default:
		err = a.update(ctx, node, book, j, out)
	}
	if rec == nil || err != nil {
		return err
	}
	out.ID = rec.ID
	if rec.Start {
		err = a.start(ctx, node, book, rec, out)
	}
	if err == nil && len(j.Children) > 0 && out.Outcome == wire.OutcomeCreated {
		out.Note = "its children have to be set in the console: the job API does not know them"
	}
	return err
}

// add adds a job. That it is begun is on disk before, so that a lost answer does
// not add it once more. The record is nil for one that was refused.
func (a *javaAdder) add(
	ctx context.Context, node *adminClient, book *javaBook, j *wire.DeclaredJob, out *wire.Declared,
) (*javaJob, error) {
	rec := &javaJob{Digest: javaDigest(j), Start: j.Start}
	book.Jobs[out.Name] = rec
	if err := book.save(); err != nil {
		return nil, err
	}
	req := wire.JobAddRequest{JobGroup: int32(a.cfg.Group), JobFields: j.JobFields} //nolint:gosec // validated
	payload, err := node.askOnce(ctx, wire.PathAddJob, req.Append(nil))
	if err == nil {
		id, bad := strconv.ParseInt(payload, 10, 32)
		if bad != nil || id < 1 {
			out.Note = fmt.Sprintf("the admin answered no id, but %.40q", payload)
			return nil, nil
		}
		rec.ID, out.Outcome = int32(id), wire.OutcomeCreated
		return rec, book.save()
	}
	if !notDone(err) {
		return nil, err // the next attempt says what is to be done
	}
	delete(book.Jobs, out.Name)
	if saved := book.save(); saved != nil {
		return nil, errors.Join(err, saved)
	}
	return nil, refusedNote(err, out)
}

// update changes a job that was added.
func (a *javaAdder) update(
	ctx context.Context, node *adminClient, book *javaBook, j *wire.DeclaredJob, out *wire.Declared,
) error {
	rec := book.Jobs[out.Name]
	if !rec.Update { // an answer that is lost must not leave the former digest behind
		rec.Update = true
		if err := book.save(); err != nil {
			return err
		}
	}
	req := wire.JobUpdateRequest{ID: rec.ID, JobFields: j.JobFields}
	if _, err := node.askOnce(ctx, wire.PathUpdateJob, req.Append(nil)); err != nil {
		if notDone(err) {
			return refusedNote(err, out)
		}
		return err // the same change twice is one
	}
	rec.Update, rec.Digest, out.Outcome = false, javaDigest(j), wire.OutcomeUpdated
	return book.save()
}

// start starts a job that was just added.
func (a *javaAdder) start(
	ctx context.Context, node *adminClient, book *javaBook, rec *javaJob, out *wire.Declared,
) error {
	body := fmt.Appendf(nil, `{"id":%d}`, rec.ID)
	if _, err := node.askOnce(ctx, wire.PathStartJob, body); err != nil {
		if !notDone(err) {
			return err // a job that runs already is started all the same
		}
		if err := refusedNote(err, out); err != nil {
			return err
		}
		out.Note = "it was added, but not started: " + out.Note
	}
	rec.Start = false
	return book.save()
}

// refusedNote makes the admin's refusal the outcome of a job. What is worth another
// attempt, or concerns all jobs, is an error.
func refusedNote(err error, out *wire.Declared) error {
	var refused *refusedError
	switch {
	case !errors.As(err, &refused), refused.code == wire.CodeTimeout, // too many requests
		refused.msg == wire.TextTokenInvalid: // also of a group that is about to be made
		return err
	case strings.Contains(refused.msg, "uri-mapping("):
		return errNoJobAPI
	}
	out.Outcome, out.Note = wire.OutcomeRefused, refused.msg
	return nil
}

// notDone reports whether a call has surely changed nothing: the admin has refused
// it, or no connection was made.
func notDone(err error) bool {
	var refused *refusedError
	if errors.As(err, &refused) {
		return refused.code != 0
	}
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// javaDigest tells one declaration from another.
func javaDigest(j *wire.DeclaredJob) string {
	req := wire.JobAddRequest{JobFields: j.JobFields}
	sum := sha256.Sum256(req.Append(nil))
	return hex.EncodeToString(sum[:12])
}

// javaBookPath is where the ids of an executor's jobs are kept.
func javaBookPath(cfg *Config) string {
	return filepath.Join(cfg.LogPath, "java-jobs-"+url.PathEscape(cfg.AppName)+".json")
}

// readJavaBook reads what was kept; there may be nothing.
func readJavaBook(path string) (*javaBook, error) {
	book := &javaBook{path: path, Jobs: map[string]*javaJob{}}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return book, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, book)
	}
	if err != nil {
		return nil, fmt.Errorf("ids of the jobs that were added: %w", err)
	}
	for name, rec := range book.Jobs {
		if rec == nil {
			delete(book.Jobs, name)
		}
	}
	return book, nil
}

// save replaces the file, so that after a power loss it is the former or this one.
func (b *javaBook) save() error {
	raw, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(b.path), filepath.Base(b.path)+".")
	if err != nil {
		return fmt.Errorf("keep the ids of jobs: %w", err)
	}
	_, err = file.Write(append(raw, '\n'))
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), b.path)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // of no use to anybody
		return fmt.Errorf("keep the ids of jobs: %w", err)
	}
	return syncFolder(filepath.Dir(b.path))
}

// syncFolder makes a renaming last.
func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	_ = dir.Sync() // Windows cannot, and there it is not needed
	return dir.Close()
}
