package wire

import (
	"math"
	"strconv"
)

// CallbackItem is the result of one run.
type CallbackItem struct {
	LogID       int64
	LogDateTime int64 // Unix milliseconds, from the trigger; no admin uses it
	Code        int32 // above 0; an admin leaves a run open if it is not
	Msg         NullString
	// NoRetry asks the admin not to retry a failed run. It is a key of ours,
	// written only when true, which Java ignores.
	NoRetry bool
}

// CallbackForm is the shape of a callback body. No body satisfies both.
type CallbackForm int

const (
	// FormArray is an array of items that releases 2.2.0 to 3.4.2 all read:
	// the result stands in it as of 2.2.0 and as of 2.3.0.
	FormArray CallbackForm = iota
	// FormObject is master's object with a callbackList.
	FormObject
)

// CallbackEnvelope is the size in bytes of a callback body without items, in
// either form at most.
const CallbackEnvelope = len(`{"callbackList":[]}`)

// AppendCallbacks appends the body of /api/callback.
func AppendCallbacks(dst []byte, form CallbackForm, items []CallbackItem) []byte {
	if form == FormObject {
		dst = append(dst, `{"callbackList":`...)
	}
	dst = append(dst, '[')
	for i := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = items[i].append(dst, form)
	}
	dst = append(dst, ']')
	if form == FormObject {
		dst = append(dst, '}')
	}
	return dst
}

func (c *CallbackItem) append(dst []byte, form CallbackForm) []byte {
	o := newObject(dst)
	o.int("logId", c.LogID)
	if form == FormArray {
		o.int("logDateTim", c.LogDateTime)
	}
	o.int("logDateTime", c.LogDateTime)
	o.int("handleCode", int64(c.Code))
	o.str("handleMsg", c.Msg)
	if form == FormArray {
		o.name("executeResult")
		inner := newObject(o.dst)
		inner.int("code", int64(c.Code))
		inner.str("msg", c.Msg)
		o.dst = inner.end()
	}
	if c.NoRetry {
		o.bool("noRetry", true)
	}
	return o.end()
}

// CallbackSize returns how many bytes the item takes in a body, the comma
// behind it included. A body is never larger than the sum of its items and
// CallbackEnvelope. It allocates nothing.
func CallbackSize(form CallbackForm, item CallbackItem) int {
	var buf [20]byte
	digits := func(v int64) int { return len(strconv.AppendInt(buf[:0], v, 10)) }
	date, code, msg := digits(item.LogDateTime), digits(int64(item.Code)), 0
	if item.Msg.Valid {
		msg = QuotedLen(item.Msg.String)
	}
	size := len(`{"logId":,"logDateTime":,"handleCode":},`) + digits(item.LogID) + date + code
	if item.Msg.Valid {
		size += len(`,"handleMsg":""`) + msg
	}
	if form == FormArray {
		size += len(`"logDateTim":,,"executeResult":{"code":}`) + date + code
		if item.Msg.Valid {
			size += len(`,"msg":""`) + msg
		}
	}
	if item.NoRetry {
		size += len(`,"noRetry":true`)
	}
	return size
}

// DecodeCallbacks reads the body of /api/callback in either form, with items
// of every generation: handleCode and handleMsg, or else the code and msg of
// executeResult; logDateTim, logDateTime or none. Items that are null are
// left out. It returns ErrNoBody or a *SyntaxError, and then no items.
func DecodeCallbacks(body []byte) ([]CallbackItem, error) {
	var r reader
	t, err := r.top(body, MaxCallbackBody)
	if err != nil {
		return nil, err
	}
	var items []CallbackItem
	switch t.kind {
	case kindArray:
		items, err = r.callbackList()
	case kindObject:
		items, err = r.callbackObject()
	default:
		err = r.fail("Expected BEGIN_ARRAY but was %s", t.kind)
	}
	if err != nil {
		return nil, err
	}
	if err := r.close(); err != nil {
		return nil, err
	}
	return items, nil
}

// callbackObject reads master's object. An object without the list is refused
// with the text that makes a client try the array: answering success to a
// stray item would lose its result.
func (r *reader) callbackObject() (items []CallbackItem, err error) {
	found := false
	err = r.object(func(name []byte) error {
		if string(name) != "callbackList" {
			return r.skip()
		}
		r.key, found = "callbackList", true
		t, err := r.value()
		switch {
		case err != nil:
		case t.kind == kindArray:
			items, err = r.callbackList()
		case t.kind == kindNull:
			items = nil
		default:
			err = r.fail("Expected BEGIN_ARRAY but was %s", t.kind)
		}
		return err
	})
	if err == nil && !found {
		err = r.fail("Expected BEGIN_ARRAY but was BEGIN_OBJECT without callbackList")
	}
	return items, err
}

// callbackList reads the items of an array whose bracket is taken.
func (r *reader) callbackList() (items []CallbackItem, err error) {
	err = r.array(func(absent bool) error {
		if absent {
			return nil
		}
		t, err := r.value()
		if err != nil || t.kind == kindNull {
			return err
		}
		if t.kind != kindObject {
			return r.fail("Expected BEGIN_OBJECT but was %s", t.kind)
		}
		if len(items) == MaxCallbacks {
			return r.fail("More than %d items", MaxCallbacks)
		}
		item, err := r.callbackItem()
		items = append(items, item)
		return err
	})
	return items, err
}

// executeResult is the result as 2.2.0 nests it.
type executeResult struct {
	code int32
	msg  NullString
}

func (r *reader) callbackItem() (CallbackItem, error) {
	var item CallbackItem
	var old executeResult
	coded := false // handleCode was there, so executeResult.code is only a repetition
	err := r.object(func(name []byte) error {
		switch string(name) {
		case "logId":
			return r.int64("logId", &item.LogID)
		case "logDateTim", "logDateTime":
			return r.int64("logDateTime", &item.LogDateTime)
		case "handleCode":
			v, ok, err := r.integer("handleCode", math.MinInt32, math.MaxInt32)
			if ok {
				item.Code, coded = int32(v), true
			}
			return err
		case "handleMsg":
			return r.str("handleMsg", &item.Msg)
		case "executeResult":
			return r.executeResult(&old)
		case "noRetry":
			return r.bool("noRetry", &item.NoRetry)
		default:
			return r.skip()
		}
	})
	if !coded {
		item.Code = old.code
	}
	if !item.Msg.Valid {
		item.Msg = old.msg
	}
	return item, err
}

func (r *reader) executeResult(dst *executeResult) error {
	r.key = "executeResult"
	t, err := r.value()
	if err != nil {
		return err
	}
	*dst = executeResult{}
	switch t.kind {
	case kindNull:
		return nil
	case kindObject:
	default:
		return r.fail("Expected BEGIN_OBJECT but was %s", t.kind)
	}
	return r.object(func(name []byte) error {
		switch string(name) {
		case "code":
			return r.int32("code", &dst.code)
		case "msg":
			return r.str("msg", &dst.msg)
		default:
			return r.skip()
		}
	})
}
