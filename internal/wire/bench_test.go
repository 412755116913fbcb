package wire

import (
	"strings"
	"testing"
)

func BenchmarkDecodeTrigger(b *testing.B) {
	body := []byte(appendixTrigger)
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := DecodeTrigger(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendTrigger(b *testing.B) {
	req, err := DecodeTrigger([]byte(appendixTrigger))
	if err != nil {
		b.Fatal(err)
	}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = req.Append(buf[:0])
	}
	b.SetBytes(int64(len(buf)))
}

func BenchmarkAppendResponse(b *testing.B) {
	var buf []byte
	res := Response{Code: CodeSuccess}
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendResponse(buf[:0], res)
	}
	b.SetBytes(int64(len(buf)))
}

func fifty() []CallbackItem {
	items := make([]CallbackItem, 50)
	for i := range items {
		items[i] = CallbackItem{
			LogID: 937062531813 + int64(i), LogDateTime: 1586629003729, Code: CodeSuccess,
			Msg: Str("processed 1,024 rows\nof table <orders> 订单"),
		}
	}
	return items
}

func BenchmarkAppendCallbacks(b *testing.B) {
	items := fifty()
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendCallbacks(buf[:0], FormArray, items)
	}
	b.SetBytes(int64(len(buf)))
}

func BenchmarkDecodeCallbacks(b *testing.B) {
	body := AppendCallbacks(nil, FormArray, fifty())
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := DecodeCallbacks(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkQuotedLen(b *testing.B) {
	line := strings.Repeat("2026-01-01 00:00:00 [a.B#c]-[1]-[t] some text of a log 日志\n", 1000)
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		QuotedLen(line)
	}
}
