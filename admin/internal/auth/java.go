package auth

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
)

// The rows that Java's releases ship: MD5 and SHA-256 of 123456. They never
// log in.
const (
	defaultMD5    = "e10adc3949ba59abbe56e057f20f883e"
	defaultSHA256 = "8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92"
)

// javaUsable reports whether Java's password column holds a hash that may log
// in: MD5 or SHA-256 in hex, and not one of the published default.
func javaUsable(hash string) bool {
	if len(hash) != hex.EncodedLen(md5.Size) && len(hash) != hex.EncodedLen(sha256.Size) {
		return false
	}
	if _, err := hex.DecodeString(hash); err != nil {
		return false
	}
	hash = strings.ToLower(hash)
	return hash != defaultMD5 && hash != defaultSHA256
}

// javaMatches reports whether the password belongs to Java's hash.
func javaMatches(hash, password string) bool {
	if !javaUsable(hash) {
		return false
	}
	have := sha256Hex(password)
	if len(hash) == hex.EncodedLen(md5.Size) {
		have = md5Hex(password)
	}
	return subtle.ConstantTimeCompare([]byte(have), []byte(strings.ToLower(hash))) == 1
}

func md5Hex(password string) string {
	sum := md5.Sum([]byte(password))
	return hex.EncodeToString(sum[:])
}

func sha256Hex(password string) string {
	sum := sha256.Sum256([]byte(password))
	return hex.EncodeToString(sum[:])
}

// unusable returns a text for Java's column that no password hashes to. It is
// random, see the package comment, and fits the narrowest column (50).
func unusable() string {
	b := make([]byte, 20)
	_, _ = rand.Read(b) // never fails
	return unusableMark + hex.EncodeToString(b)
}

// unusableMark begins what stands in Java's column where Java's way does not log
// in.
const unusableMark = "!"

// javaToken is the login cookie of Java releases since 3.2.0.
type javaToken struct {
	UserID    string `json:"userId"`
	Signature string `json:"signature"`
}

// parseJavaToken reads the cookie. ok is false for anything else.
func parseJavaToken(value string) (userID int32, signature string, ok bool) {
	if len(value) > 512 {
		return 0, "", false
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil {
		return 0, "", false
	}
	var t javaToken
	if json.Unmarshal(raw, &t) != nil || len(t.Signature) < 16 {
		return 0, "", false
	}
	id, err := strconv.ParseInt(t.UserID, 10, 32)
	if err != nil || id <= 0 {
		return 0, "", false
	}
	return int32(id), t.Signature, true
}
