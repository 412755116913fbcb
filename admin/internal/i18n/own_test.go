package i18n

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestOwnWords: every text of Java's admin that a refusal can have is in words of our
// own, in three languages, and is told from them.
func TestOwnWords(t *testing.T) {
	t.Parallel()
	for _, key := range javaKeys {
		if key == LoginParamEmpty || key == LoginParamInvalid || key == JoblogRollingLogFailoften {
			continue // of pages that have other ones
		}
		for _, l := range Langs() {
			assert.NotEmpty(t, ownWords[key][l], "%v %s", l, key)
		}
		assert.NotEqual(t, En.Text(key), En.Own(key), key)
		assert.NotEmpty(t, OfJava(En.Text(key)), key)
	}
	for key, words := range ownWords {
		assert.Empty(t, OfJava(words[En]), key)
	}
	assert.Equal(t, "Task scheduling centre XXL-JOB", En.Own(AdminNameFull), "what is not told otherwise")
	assert.Equal(t, "illegal", OfJava("Cronillegal"))
}
