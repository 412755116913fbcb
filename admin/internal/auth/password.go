package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// ErrBusy is returned when too many passwords are being checked at once. The
// caller should try again in some seconds.
var ErrBusy = errors.New("auth: too many logins at once")

// errFormat is returned for a stored hash that is none of ours.
var errFormat = errors.New("auth: not an argon2id hash")

// Parameters of our hashes: about 30 ms and 19 MiB on one small core, the
// lowest of the settings that OWASP recommends.
const (
	argonTime    = 2
	argonMemory  = 19 * 1024 // KiB
	argonThreads = 1
	argonSalt    = 16 // bytes
	argonKey     = 32 // bytes
)

// Limits of what a stored hash may ask for, so that a row written by somebody
// else cannot take the memory of the process.
const (
	maxArgonTime    = 16
	maxArgonMemory  = 256 * 1024 // KiB
	maxArgonThreads = 8
	maxArgonBytes   = 64 // of salt and of key
)

// hasher makes and checks hashes, few at once. It is safe for concurrent use.
type hasher struct {
	slots chan struct{} // one token for each hash under way
	queue chan struct{} // one token for each caller, waiting or under way
	decoy phc           // what the check of an unknown user costs
}

func newHasher(parallel, waiting int) *hasher {
	h := &hasher{
		slots: make(chan struct{}, parallel),
		queue: make(chan struct{}, parallel+waiting),
		decoy: phc{time: argonTime, memory: argonMemory, threads: argonThreads, key: make([]byte, argonKey)},
	}
	h.decoy.salt = make([]byte, argonSalt)
	_, _ = rand.Read(h.decoy.salt) // never fails
	return h
}

// enter waits for a slot. It returns ErrBusy at once when too many wait.
func (h *hasher) enter(ctx context.Context) (leave func(), err error) {
	select {
	case h.queue <- struct{}{}:
	default:
		return nil, ErrBusy
	}
	select {
	case h.slots <- struct{}{}:
		return func() { <-h.slots; <-h.queue }, nil
	case <-ctx.Done():
		<-h.queue
		return nil, context.Cause(ctx)
	}
}

// hash returns the encoded hash of a password.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	p := phc{time: argonTime, memory: argonMemory, threads: argonThreads, salt: make([]byte, argonSalt)}
	_, _ = rand.Read(p.salt) // never fails
	p.key = p.derive(password, argonKey)
	return p.String(), nil
}

// matches reports whether the password belongs to the encoded hash. A hash
// that cannot be read matches nothing, and costs as much.
func (h *hasher) matches(ctx context.Context, encoded, password string) (bool, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return false, err
	}
	defer leave()
	p, err := parsePHC(encoded)
	if err != nil {
		h.decoy.derive(password, argonKey)
		return false, nil //nolint:nilerr // a damaged hash is a password that does not match
	}
	key := p.derive(password, len(p.key))
	return subtle.ConstantTimeCompare(key, p.key) == 1, nil
}

// phc is a hash in the PHC string format of argon2.
type phc struct {
	time, memory uint32
	threads      uint8
	salt, key    []byte
}

func (p phc) derive(password string, size int) []byte {
	return argon2.IDKey([]byte(password), p.salt, p.time, p.memory, p.threads, uint32(size)) //nolint:gosec // small
}

// String encodes the hash.
func (p phc) String() string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, p.memory, p.time, p.threads, b64.EncodeToString(p.salt), b64.EncodeToString(p.key))
}

// parsePHC reads a hash and refuses parameters beyond the limits.
func parsePHC(s string) (phc, error) {
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return phc{}, errFormat
	}
	var p phc
	var err error
	var tail string
	n, err := fmt.Sscanf(parts[3]+" .", "m=%d,t=%d,p=%d %s", &p.memory, &p.time, &p.threads, &tail)
	if err != nil || n != 4 || tail != "." {
		return phc{}, errFormat
	}
	if p.time < 1 || p.time > maxArgonTime || p.threads < 1 || p.threads > maxArgonThreads ||
		p.memory < 8*uint32(p.threads) || p.memory > maxArgonMemory {
		return phc{}, errFormat
	}
	b64 := base64.RawStdEncoding.Strict()
	if p.salt, err = b64.DecodeString(parts[4]); err != nil || len(p.salt) < 8 || len(p.salt) > maxArgonBytes {
		return phc{}, errFormat
	}
	if p.key, err = b64.DecodeString(parts[5]); err != nil || len(p.key) < 16 || len(p.key) > maxArgonBytes {
		return phc{}, errFormat
	}
	return p, nil
}

// bindMark separates a hash from the fingerprint of Java's column.
const bindMark = ";java="

// bind returns the hash as it is stored beside what Java's column holds.
func bind(encoded, javaHash string) string { return encoded + bindMark + fingerprint(javaHash) }

// bound returns the hash part of what is stored. ok is false when there is
// none, or when Java's column has changed since it was made.
func bound(stored, javaHash string) (encoded string, ok bool) {
	encoded, mark, found := strings.Cut(stored, bindMark)
	if !found || encoded == "" {
		return "", false
	}
	return encoded, subtle.ConstantTimeCompare([]byte(mark), []byte(fingerprint(javaHash))) == 1
}

// Carry makes of what two password columns hold in one database what they are to
// hold in another, so that the password goes on working there. ok is false when
// there is no password of our own. A hash of Java's that logs in is not carried
// over: it is a weak one.
func Carry(javaHash, ownHash string) (java, own string, ok bool) {
	encoded, ok := bound(ownHash, javaHash)
	if !ok {
		return "", "", false
	}
	if _, err := parsePHC(encoded); err != nil {
		return "", "", false
	}
	if !strings.HasPrefix(javaHash, unusableMark) {
		javaHash = unusable()
	}
	return javaHash, bind(encoded, javaHash), true
}

func fingerprint(javaHash string) string {
	sum := sha256.Sum256([]byte("xxljob java column\x00" + javaHash))
	return hex.EncodeToString(sum[:8])
}
