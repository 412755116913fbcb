package httpx

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// The forms of a file of audit records.
const (
	FormatCSV    = "csv"
	FormatNDJSON = "ndjson" // one JSON object a line; the default
)

const (
	auditTime  = "2006-01-02T15:04:05.000Z07:00"
	auditWrite = 30 * time.Second // for one batch; who reads slower is cut off
)

// AuditRecord is an audit record as programs read it.
type AuditRecord struct {
	ID     int64  `json:"id"`
	At     string `json:"at"` // RFC 3339 with milliseconds
	User   string `json:"user"`
	Action string `json:"action"`
	Object string `json:"object"`
	Detail string `json:"detail"`
}

// AuditOf is a record with its time in a zone.
func AuditOf(a model.Audit, zone *time.Location) AuditRecord {
	return AuditRecord{a.ID, a.At.In(zone).Format(auditTime), a.User, a.Action, a.Object, a.Detail}
}

// AuditFile is an answer that holds audit records as a file. All fields are
// required but Format.
type AuditFile struct {
	Format string         // FormatCSV, or else FormatNDJSON
	Zone   *time.Location // of the times in it
	// Next returns the records behind an id, newest first, 0 being the newest;
	// none at the end.
	Next func(beforeID int64) ([]model.Audit, error)
	// Failed is told of an error of Next in the middle of the file, which then
	// is cut off, so that nobody takes a part for the whole.
	Failed func(error)
}

// Serve writes the file as it is read. An error means that nothing was written.
// It blocks until the client has everything, or is gone.
func (f AuditFile) Serve(w http.ResponseWriter) error {
	list, err := f.Next(0)
	if err != nil {
		return err
	}
	put, flush := f.begin(w)
	ctl := http.NewResponseController(w)
	for len(list) > 0 {
		_ = ctl.SetWriteDeadline(time.Now().Add(auditWrite)) // not every writer has deadlines
		for _, a := range list {
			if put(AuditOf(a, f.Zone)) != nil {
				return nil // the client has gone
			}
		}
		flush()
		_ = ctl.Flush() // what is read is sent: nobody waits for the whole
		if list, err = f.Next(list[len(list)-1].ID); err != nil {
			f.Failed(err)
			panic(http.ErrAbortHandler)
		}
	}
	flush()
	return nil
}

// begin writes the head of the file.
func (f AuditFile) begin(w http.ResponseWriter) (put func(AuditRecord) error, flush func()) {
	name, kind := "audit.ndjson", "application/x-ndjson"
	if f.Format == FormatCSV {
		name, kind = "audit.csv", "text/csv;charset=UTF-8"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	if f.Format != FormatCSV {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return func(r AuditRecord) error { return enc.Encode(r) }, func() {}
	}
	out := csv.NewWriter(w)
	_ = out.Write([]string{"id", "at", "user", "action", "object", "detail"}) // kept by out: Error says it
	return func(r AuditRecord) error {
		_ = out.Write([]string{
			strconv.FormatInt(r.ID, 10), r.At, Cell(r.User), Cell(r.Action), Cell(r.Object), Cell(r.Detail),
		})
		return out.Error()
	}, out.Flush
}
