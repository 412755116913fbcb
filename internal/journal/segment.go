package journal

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	formatVersion = 1
	segmentMagic  = "xxljrnl\n"
	rememberMagic = "xxljrem\n"
	headerSize    = 64

	firstStep = 64 << 10 // how far a new segment is written ahead
	lastStep  = 1 << 20  // and at most
)

// segment is one file of the journal. The mutex of the journal guards it, but
// size and file belong to the writer while it is the current one.
type segment struct {
	no    uint32
	salt  uint32
	path  string
	file  file          // nil until the first byte is written
	data  int64         // where the records end: the next write goes here, Next reads up to here
	size  int64         // how far the file is written ahead
	up    time.Duration // up-time at the last record
	dirty bool          // written and not yet synced

	states []runState // of the runs whose Seq names this segment
	ids    uint64     // position in the memory after the triggers accepted in it
	live   int        // runs that need this segment or later ones
	open   int        // those of them that have no result
}

func (s *segment) seq(index int) Seq { return Seq(s.no)<<32 | Seq(index) }

// home returns the number of the segment in which a run was accepted.
func (s Seq) home() uint32 { return uint32(s >> 32) }

func (s Seq) index() int { return int(uint32(s)) }

// header is the beginning of every segment and of every remember file.
type header struct {
	magic   string
	version uint32
	no      uint32
	up      time.Duration
}

func (h header) encode(now time.Time) []byte {
	b := make([]byte, 0, headerSize)
	b = append(b, h.magic...)
	b = binary.LittleEndian.AppendUint32(b, h.version)
	b = binary.LittleEndian.AppendUint32(b, h.no)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.up.Milliseconds()))
	b = binary.LittleEndian.AppendUint64(b, uint64(now.UnixMilli()))
	b = append(b, make([]byte, headerSize-4-len(b))...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// decodeHeader reports false if the header is not whole.
func decodeHeader(data []byte, magic string) (header, bool) {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return header{}, false
	}
	if binary.LittleEndian.Uint32(data[headerSize-4:]) != crc32.Checksum(data[:headerSize-4], castagnoli) {
		return header{}, false
	}
	return header{
		magic:   magic,
		version: binary.LittleEndian.Uint32(data[8:]),
		no:      binary.LittleEndian.Uint32(data[12:]),
		up:      time.Duration(binary.LittleEndian.Uint64(data[16:])) * time.Millisecond,
	}, true
}

// checkVersion refuses what a newer program wrote.
func (h header) checkVersion(path string) error {
	if h.version > formatVersion {
		return fmt.Errorf("journal: %s has format version %d, and this program knows versions up to %d: "+
			"start the newer program again, or move the folder away", path, h.version, formatVersion)
	}
	return nil
}

// fileName names a segment ("segment") or a remember file ("remember"). The
// salt of its sums is part of the name.
func fileName(prefix string, no, salt uint32) string {
	return fmt.Sprintf("%s-%08d-%08x.log", prefix, no, salt)
}

func parseFileName(name, prefix string) (no, salt uint32, ok bool) {
	parts := strings.Split(strings.TrimSuffix(name, ".log"), "-")
	if len(parts) != 3 || parts[0] != prefix || !strings.HasSuffix(name, ".log") {
		return 0, 0, false
	}
	n, err := strconv.ParseUint(parts[1], 10, 32)
	if err != nil {
		return 0, 0, false
	}
	s, err := strconv.ParseUint(parts[2], 16, 32)
	return uint32(n), uint32(s), err == nil
}

func newSegment(dir string, no, salt uint32) *segment {
	return &segment{no: no, salt: salt, path: filepath.Join(dir, fileName("segment", no, salt))}
}

// step is how far a segment that ends at size is written ahead: little while
// it is small, so that a small disk is enough.
func step(size int64) int64 { return min(max(firstStep, size/2), lastStep) }

var zeros [256 << 10]byte

// grow makes the file hold at least target bytes, written with zeros. After
// an error it may have grown in part.
func (s *segment) grow(target int64) error {
	for s.size < target {
		n, err := s.file.WriteAt(zeros[:min(int64(len(zeros)), target-s.size)], s.size)
		s.size += int64(n)
		if err != nil {
			return err
		}
	}
	return nil
}

// create makes the file, with nothing but its header.
func (s *segment) create(fs fileSystem, up time.Duration) (file, error) {
	f, err := fs.Open(s.path, true)
	if err != nil {
		return nil, err
	}
	head := header{magic: segmentMagic, version: formatVersion, no: s.no, up: up}.encode(time.Now())
	if _, err := f.WriteAt(head, 0); err != nil {
		_ = f.Close()
		_ = fs.Remove(s.path)
		return nil, err
	}
	return f, nil
}

// trim gives room back that no record will use.
func (s *segment) trim() {
	if s.file != nil && s.size > s.data && s.file.Truncate(s.data) == nil {
		s.size = s.data
	}
}
