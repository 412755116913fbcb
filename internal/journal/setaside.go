package journal

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// setAsideFile is where results lie that no admin takes.
const setAsideFile = "set-aside.jsonl"

// setAsideLine is one line of that file.
type setAsideLine struct {
	Time    time.Time `json:"time"`
	Reason  string    `json:"reason"`
	JobID   int32     `json:"jobId"`
	LogID   int64     `json:"logId"`
	LogTime int64     `json:"logDateTime"`
	Code    int32     `json:"handleCode"`
	Msg     string    `json:"handleMsg,omitempty"`
}

// SetAside appends a result that no admin takes to the file set-aside.jsonl of
// the folder, one JSON object a line, syncs it, and acknowledges the result.
// After an error it is not acknowledged. It blocks on the disk.
func (j *Journal) SetAside(f Finished, reason string) error {
	line, err := json.Marshal(setAsideLine{
		Time: time.Now(), Reason: reason,
		JobID: f.ID.JobID, LogID: f.ID.LogID, LogTime: f.ID.At, Code: f.Result.Code, Msg: f.Result.Msg,
	})
	if err != nil {
		return fmt.Errorf("journal: set a result aside: %w", err)
	}
	j.setAsideMu.Lock()
	err = appendDurably(filepath.Join(j.cfg.Dir, setAsideFile), append(line, '\n'))
	j.setAsideMu.Unlock()
	if err != nil {
		return fmt.Errorf("journal: set a result aside: %w", err)
	}
	if err := j.Ack([]Finished{f}); err != nil {
		return err
	}
	j.mu.Lock()
	j.setAside++
	j.mu.Unlock()
	return nil
}

// appendDurably appends data to the file at path, and takes a part that was
// written before an error back.
func appendDurably(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	end, err := f.Seek(0, 2)
	if err == nil {
		if _, err = f.Write(data); err == nil {
			err = f.Sync()
		}
		if err != nil {
			_ = f.Truncate(end)
		}
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
