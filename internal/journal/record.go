package journal

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"unicode/utf8"
)

// kind tells the records of a journal apart.
type kind uint8

const (
	kindAccepted     kind = iota + 1 // ID, payload
	kindStarted                      // ID
	kindFinished                     // ID, code, message
	kindAcknowledged                 // the Seqs, eight bytes each
	kindWithdrawn                    // ID; in remember files: forget it
	kindClock                        // up-time in milliseconds
	kindRemembered                   // up-time, then identities; only in remember files
	kindEnd
)

// kindNames are the names that failpoints and tests use.
var kindNames = [kindEnd]string{
	kindAccepted: "accepted", kindStarted: "started", kindFinished: "finished",
	kindAcknowledged: "acknowledged", kindWithdrawn: "withdrawn",
	kindClock: "clock", kindRemembered: "remembered",
}

const (
	flagStarted = 1 << 0 // accepted: it started at once
	flagCarried = 1 << 1 // accepted: copied from an older segment

	flagHasMsg  = 1 << 0 // finished
	flagNoRetry = 1 << 1 // finished
)

const (
	markerA  = 0xA7
	markerB  = 0x5A
	closing  = 0xE5 // ends every record, so that the last byte of the data is never zero
	headLen  = 20   // marker 2, kind 1, flags 1, length 4, seq 8, sum 4
	frameLen = headLen + 1
	idLen    = 20

	startedLen  = frameLen + idLen
	finishedLen = frameLen + idLen + 4 // without the message

	// maxBody bounds a record, so that a damaged length is recognised.
	maxBody = 64 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// record is one decoded record. Its body is a slice of the bytes it was read
// from.
type record struct {
	kind  kind
	flags uint8
	seq   Seq
	body  []byte
	at    int // offset in the bytes scanned
	size  int // with header and closing byte
}

// beginRecord appends a header whose length and sum endRecord fills in.
func beginRecord(dst []byte, k kind, flags uint8, seq Seq) []byte {
	dst = append(dst, markerA, markerB, byte(k), flags, 0, 0, 0, 0)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(seq))
	return append(dst, 0, 0, 0, 0)
}

// endRecord completes the record that begins at start.
func endRecord(dst []byte, start int, salt uint32) []byte {
	rec := dst[start:]
	binary.LittleEndian.PutUint32(rec[4:], uint32(len(rec)-headLen))
	binary.LittleEndian.PutUint32(rec[16:], checksum(rec, salt))
	return append(dst, closing)
}

// checksum covers everything but the marker, the sum itself and the closing byte.
func checksum(rec []byte, salt uint32) uint32 {
	sum := crc32.Update(salt, castagnoli, rec[2:16])
	return crc32.Update(sum, castagnoli, rec[headLen:])
}

func appendID(dst []byte, id ID) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(id.JobID))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(id.LogID))
	return binary.LittleEndian.AppendUint64(dst, uint64(id.At))
}

func appendAccepted(dst []byte, salt uint32, seq Seq, id ID, flags uint8, payload []byte) []byte {
	start := len(dst)
	dst = beginRecord(dst, kindAccepted, flags, seq)
	dst = append(appendID(dst, id), payload...)
	return endRecord(dst, start, salt)
}

// appendMark appends a started or a withdrawn record.
func appendMark(dst []byte, salt uint32, k kind, seq Seq, id ID) []byte {
	start := len(dst)
	dst = appendID(beginRecord(dst, k, 0, seq), id)
	return endRecord(dst, start, salt)
}

func appendFinished(dst []byte, salt uint32, seq Seq, id ID, r Result) []byte {
	start := len(dst)
	var flags uint8
	if r.HasMsg {
		flags |= flagHasMsg
	}
	if r.NoRetry {
		flags |= flagNoRetry
	}
	dst = appendID(beginRecord(dst, kindFinished, flags, seq), id)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(r.Code))
	dst = append(dst, r.Msg...)
	return endRecord(dst, start, salt)
}

func appendAcknowledged(dst []byte, salt uint32, seqs []Seq) []byte {
	start := len(dst)
	dst = beginRecord(dst, kindAcknowledged, 0, seqs[0])
	for _, seq := range seqs {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(seq))
	}
	return endRecord(dst, start, salt)
}

func appendClock(dst []byte, salt uint32, upMillis uint64) []byte {
	start := len(dst)
	dst = beginRecord(dst, kindClock, 0, 0)
	dst = binary.LittleEndian.AppendUint64(dst, upMillis)
	return endRecord(dst, start, salt)
}

// id returns the identity in the body of any record that has one.
func (r record) id() ID {
	return ID{
		JobID: int32(binary.LittleEndian.Uint32(r.body)),
		LogID: int64(binary.LittleEndian.Uint64(r.body[4:])),
		At:    int64(binary.LittleEndian.Uint64(r.body[12:])),
	}
}

// payload returns what Accept was given. It shares memory with the record.
func (r record) payload() []byte { return r.body[idLen:] }

// finished decodes a finished record; it copies the message.
func (r record) finished() Finished {
	return Finished{Seq: r.seq, ID: r.id(), Result: Result{
		Code:    int32(binary.LittleEndian.Uint32(r.body[idLen:])),
		Msg:     string(r.body[idLen+4:]),
		HasMsg:  r.flags&flagHasMsg != 0,
		NoRetry: r.flags&flagNoRetry != 0,
	}}
}

// seqs calls f for every run in an acknowledged record.
func (r record) seqs(f func(Seq)) {
	for b := r.body; len(b) >= 8; b = b[8:] {
		f(Seq(binary.LittleEndian.Uint64(b)))
	}
}

// claimedSize returns the size that the header at the start of data gives, and
// false if these bytes cannot be a header.
func claimedSize(data []byte) (int, bool) {
	if len(data) < headLen || data[0] != markerA || data[1] != markerB {
		return 0, false
	}
	n := binary.LittleEndian.Uint32(data[4:])
	return int(n) + frameLen, n <= maxBody
}

// parse decodes the record at the start of data. It reports false if there is
// none that is whole and undamaged.
func parse(data []byte, salt uint32) (record, bool) {
	size, ok := claimedSize(data)
	if !ok || size > len(data) || data[size-1] != closing {
		return record{}, false
	}
	rec := record{
		kind: kind(data[2]), flags: data[3], size: size,
		seq:  Seq(binary.LittleEndian.Uint64(data[8:])),
		body: data[headLen : size-1 : size-1],
	}
	if !rec.wellFormed() {
		return record{}, false
	}
	return rec, binary.LittleEndian.Uint32(data[16:]) == checksum(data[:size-1], salt)
}

func (r record) wellFormed() bool {
	switch r.kind {
	case kindAccepted:
		return len(r.body) >= idLen
	case kindStarted, kindWithdrawn:
		return len(r.body) == idLen
	case kindFinished:
		return len(r.body) >= idLen+4
	case kindAcknowledged:
		return len(r.body) > 0 && len(r.body)%8 == 0
	case kindClock:
		return len(r.body) == 8
	case kindRemembered:
		return len(r.body) >= 8
	default:
		return false
	}
}

// scanner walks over the records of a file, past what is damaged.
type scanner struct {
	data []byte // ends with the last byte that is not zero
	pos  int
	salt uint32
	gap  func(from, to int, torn bool) // told about every damaged stretch; may be nil

	budget int // bytes that may still be summed while looking for the next record
}

// newScanner returns a scanner over the records in data after skip bytes.
// Zeros at the end are room that was never written.
func newScanner(data []byte, skip int, salt uint32) *scanner {
	data = bytes.TrimRight(data, "\x00")
	return &scanner{data: data, pos: min(skip, len(data)), salt: salt, budget: 64 * (len(data) + 4096)}
}

// next returns the next undamaged record, and false at the end.
func (s *scanner) next() (record, bool) {
	for s.pos < len(s.data) {
		if rec, ok := parse(s.data[s.pos:], s.salt); ok {
			rec.at = s.pos
			s.pos += rec.size
			return rec, true
		}
		from := s.pos
		s.pos = s.resync(from)
		if s.gap != nil {
			s.gap(from, s.pos, s.pos == len(s.data) && s.torn(from))
		}
	}
	return record{}, false
}

// resync returns the offset of the first record after from, or the end. The
// budget keeps bytes made to look like headers from costing quadratic time.
func (s *scanner) resync(from int) int {
	for pos := from + 1; pos < len(s.data); pos++ {
		i := bytes.IndexByte(s.data[pos:], markerA)
		if i < 0 {
			break
		}
		pos += i
		if size, ok := claimedSize(s.data[pos:]); ok && pos+size <= len(s.data) {
			if s.budget -= size; s.budget < 0 {
				break
			}
			if _, ok := parse(s.data[pos:], s.salt); ok {
				return pos
			}
		}
	}
	return len(s.data)
}

// torn reports whether the bytes at from are the beginning of a record that
// was not written to its end.
func (s *scanner) torn(from int) bool {
	rest := s.data[from:]
	if len(rest) < headLen {
		return true
	}
	size, ok := claimedSize(rest)
	return ok && size > len(rest)
}

// dropAccepted removes the accepted records from buf, in place.
func dropAccepted(buf []byte, salt uint32) []byte {
	return rewrite(buf, salt, func(dst []byte, rec record, raw []byte) []byte {
		if rec.kind == kindAccepted {
			return dst
		}
		return append(dst, raw...)
	})
}

// cutMark ends a message that was cut because the disk was full.
const cutMark = " … (cut: the journal's disk was full)"

// cutMessages shortens the messages of finished records to limit bytes each.
func cutMessages(buf []byte, salt uint32, limit int) []byte {
	return rewrite(buf, salt, func(dst []byte, rec record, raw []byte) []byte {
		if rec.kind != kindFinished || len(rec.body)-idLen-4 <= limit {
			return append(dst, raw...)
		}
		f := rec.finished()
		f.Result.Msg = cut(f.Result.Msg, limit, cutMark)
		return appendFinished(dst, salt, f.Seq, f.ID, f.Result)
	})
}

// rewrite passes every record of buf, which is undamaged, through f. The
// output is never longer than the input, so it may take its place.
func rewrite(buf []byte, salt uint32, f func(dst []byte, rec record, raw []byte) []byte) []byte {
	out := make([]byte, 0, len(buf))
	for pos := 0; pos < len(buf); {
		rec, ok := parse(buf[pos:], salt)
		if !ok {
			break
		}
		out = f(out, rec, buf[pos:pos+rec.size])
		pos += rec.size
	}
	return append(buf[:0], out...)
}

// cut shortens s to at most limit bytes, mark included, without splitting a
// character.
func cut(s string, limit int, mark string) string {
	if len(s) <= limit {
		return s
	}
	keep := limit - len(mark)
	if keep < 0 {
		mark, keep = "", max(limit, 0)
	}
	for keep > 0 && !utf8.RuneStart(s[keep]) {
		keep--
	}
	return s[:keep] + mark
}
