package wire

// What an admin does with jobs that an executor declares, the values of
// HeaderDeclare.
const (
	DeclareOff    = "off"    // they are refused
	DeclareCreate = "create" // missing ones are created, and never touched again
	DeclareUpdate = "update" // besides, those are changed that nobody else has changed
)

// Outcomes of a declared job.
const (
	OutcomeCreated   = "created"
	OutcomeUpdated   = "updated"
	OutcomeUnchanged = "unchanged"
	OutcomeKept      = "kept"    // a person has changed it, and that stays
	OutcomeRefused   = "refused" // it is faulty
)

// MaxDeclared bounds the jobs of one declaration, and the children of one job.
const MaxDeclared = 1000

// DeclaredJob is a job as an executor's code wants it. Its code is always BEAN.
type DeclaredJob struct {
	JobFields
	TimeZone NullString // IANA name; null is the admin's zone
	Children []string   // names of jobs of the same executor
	Start    bool       // start it when it is created
}

// DeclareRequest is the body of declareJobs. The executor is the one that the
// headers name.
type DeclareRequest struct {
	Jobs []DeclaredJob
}

// DecodeDeclare reads the body of declareJobs. It returns ErrNoBody or a
// *SyntaxError.
func DecodeDeclare(body []byte) (DeclareRequest, error) {
	var req DeclareRequest
	var r reader
	err := r.document(body, MaxBody, func(name []byte) error {
		if string(name) != "jobs" {
			return r.skip()
		}
		req.Jobs = nil
		return r.list("jobs", func(t token) error {
			if t.kind == kindNull {
				return nil
			}
			if t.kind != kindObject {
				return r.fail("Expected BEGIN_OBJECT but was %s", t.kind)
			}
			if len(req.Jobs) == MaxDeclared {
				return r.fail("More than %d jobs", MaxDeclared)
			}
			var j DeclaredJob
			err := r.object(func(name []byte) error { return j.field(&r, name) })
			req.Jobs = append(req.Jobs, j)
			return err
		})
	})
	if err != nil {
		return DeclareRequest{}, err
	}
	return req, nil
}

// list reads an array, or null, and calls item with the first token of each
// element, which must then read the rest of it.
func (r *reader) list(key string, item func(t token) error) error {
	r.key = key
	t, err := r.value()
	if err != nil || t.kind == kindNull {
		return err
	}
	if t.kind != kindArray {
		return r.fail("Expected BEGIN_ARRAY but was %s", t.kind)
	}
	return r.array(func(absent bool) error {
		if absent {
			return nil
		}
		t, err := r.value()
		if err != nil {
			return err
		}
		return item(t)
	})
}

// field reads one field; an unknown name is skipped.
func (j *DeclaredJob) field(r *reader, name []byte) error {
	switch string(name) {
	case "timeZone":
		return r.str("timeZone", &j.TimeZone)
	case "start":
		return r.bool("start", &j.Start)
	case "children":
		j.Children = nil
		return r.list("children", func(t token) error {
			switch {
			case t.kind == kindNull:
				return nil
			case t.kind == kindObject || t.kind == kindArray:
				return r.fail("Expected a string but was %s", t.kind)
			case len(j.Children) == MaxDeclared:
				return r.fail("More than %d children", MaxDeclared)
			}
			j.Children = append(j.Children, r.text(t))
			return nil
		})
	default:
		return j.JobFields.field(r, name)
	}
}

// Append appends the body, null strings left out.
func (r *DeclareRequest) Append(dst []byte) []byte {
	o := newObject(dst)
	o.name("jobs")
	o.dst = append(o.dst, '[')
	for i := range r.Jobs {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		o.dst = r.Jobs[i].append(o.dst)
	}
	o.dst = append(o.dst, ']')
	return o.end()
}

func (j *DeclaredJob) append(dst []byte) []byte {
	o := newObject(dst)
	j.write(&o)
	o.str("timeZone", j.TimeZone)
	if len(j.Children) > 0 {
		o.name("children")
		o.dst = append(o.dst, '[')
		for i, name := range j.Children {
			if i > 0 {
				o.dst = append(o.dst, ',')
			}
			o.dst = AppendQuoted(o.dst, name)
		}
		o.dst = append(o.dst, ']')
	}
	o.bool("start", j.Start)
	return o.end()
}

// Declared is what became of a declared job.
type Declared struct {
	Name    string `json:"name"`
	Outcome string `json:"outcome"`        // an Outcome constant
	ID      int32  `json:"id,omitempty"`   // 0 for one that does not exist
	Note    string `json:"note,omitempty"` // what a person should know
}

// DeclareResult is the payload of a successful answer to declareJobs, written
// as the JSON text of itself.
type DeclareResult struct {
	Policy string     `json:"policy"` // a Declare constant
	Jobs   []Declared `json:"jobs"`   // in the order of the request
	// Gone are the names of jobs that were declared once and are no more. They
	// are left as they are.
	Gone []string `json:"gone,omitempty"`
}
