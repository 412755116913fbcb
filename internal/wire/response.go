package wire

// Response is an answer of an executor or an admin. Judge it by its code.
type Response struct {
	Code    int32
	Msg     NullString
	Payload NullString // text under content (up to 3.2.0) or data (since 3.3.0)
}

// AppendResponse appends an executor's answer for admins of every generation:
// the payload stands under content and under data, nulls are left out, and a
// success without a message says "Success".
func AppendResponse(dst []byte, r Response) []byte {
	o := beginResponse(dst, r)
	o.str("content", r.Payload)
	o.str("data", r.Payload)
	return o.end()
}

func beginResponse(dst []byte, r Response) object {
	o := newObject(dst)
	o.int("code", int64(r.Code))
	if r.Code == CodeSuccess {
		o.text("msg", r.Msg.Or(TextSuccess))
	} else {
		o.str("msg", r.Msg)
	}
	return o
}

// AppendAdminResponse appends an admin's answer for executors of every
// generation: all four keys are there, null if they have no value.
func AppendAdminResponse(dst []byte, r Response) []byte {
	o := newObject(dst)
	o.int("code", int64(r.Code))
	o.strOrNull("msg", r.Msg)
	o.strOrNull("content", r.Payload)
	o.strOrNull("data", r.Payload)
	return o.end()
}

// DecodeResponse reads an answer to anything but /log. Of content and data
// the one that is not null counts, the last of two. An object or array there
// is an error, as it is in Java; so is a body of null or nothing. It returns
// ErrNoBody or a *SyntaxError.
func DecodeResponse(body []byte) (Response, error) {
	var res Response
	var r reader
	err := r.document(body, MaxAnswer, func(name []byte) error {
		switch string(name) {
		case "code":
			return r.int32("code", &res.Code)
		case "msg":
			return r.str("msg", &res.Msg)
		case "content", "data":
			var payload NullString
			err := r.str("data", &payload)
			if payload.Valid {
				res.Payload = payload
			}
			return err
		default:
			return r.skip()
		}
	})
	if err != nil {
		return Response{}, err
	}
	return res, nil
}

// LogResult is the payload of an answer to /log.
type LogResult struct {
	FromLineNum int32  // the first line asked for, as in the request
	ToLineNum   int32  // the last line returned; below FromLineNum if there is none
	LogContent  string // the lines, each with its line end; "" stands for null too
	IsEnd       bool   // no more lines will come
}

// AppendLogResponse appends a successful answer to /log, with the object under
// content and under data.
func AppendLogResponse(dst []byte, l LogResult) []byte {
	o := beginResponse(dst, Response{Code: CodeSuccess})
	o.name("content")
	start := len(o.dst)
	o.dst = l.append(o.dst)
	end := len(o.dst)
	o.name("data")
	o.dst = append(o.dst, o.dst[start:end]...)
	return o.end()
}

func (l *LogResult) append(dst []byte) []byte {
	o := newObject(dst)
	o.int("fromLineNum", int64(l.FromLineNum))
	o.int("toLineNum", int64(l.ToLineNum))
	o.text("logContent", l.LogContent)
	o.bool("isEnd", l.IsEnd)
	return o.end()
}

// DecodeLogResponse reads an answer to /log. The payload of the Response is
// never set; without an object under content or data the LogResult is zero.
// Text there is an error, as it is in Java. It returns ErrNoBody or a
// *SyntaxError.
func DecodeLogResponse(body []byte) (Response, LogResult, error) {
	var res Response
	var log LogResult
	var r reader
	err := r.document(body, MaxAnswer, func(name []byte) error {
		switch string(name) {
		case "code":
			return r.int32("code", &res.Code)
		case "msg":
			return r.str("msg", &res.Msg)
		case "content", "data":
			return r.logResult(&log)
		default:
			return r.skip()
		}
	})
	if err != nil {
		return Response{}, LogResult{}, err
	}
	return res, log, nil
}

// logResult reads the payload of /log; a null leaves dst as it is.
func (r *reader) logResult(dst *LogResult) error {
	r.key = "data"
	t, err := r.value()
	if err != nil || t.kind == kindNull {
		return err
	}
	if t.kind != kindObject {
		return r.fail("Expected BEGIN_OBJECT but was %s", t.kind)
	}
	*dst = LogResult{}
	var content NullString
	err = r.object(func(name []byte) error {
		switch string(name) {
		case "fromLineNum":
			return r.int32("fromLineNum", &dst.FromLineNum)
		case "toLineNum":
			return r.int32("toLineNum", &dst.ToLineNum)
		case "logContent":
			return r.str("logContent", &content)
		case "isEnd":
			return r.bool("isEnd", &dst.IsEnd)
		default:
			return r.skip()
		}
	})
	dst.LogContent = content.String
	return err
}
