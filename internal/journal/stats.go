package journal

// Stats is a snapshot of a Journal.
type Stats struct {
	Open         int   // runs without a result
	Unsent       int   // results that no admin has acknowledged
	InMemory     int   // results among them that the disk refused
	Remembered   int   // triggers known
	MemoryBytes  int   // memory used for knowing them
	Bytes        int64 // size of the journal: records and remembered triggers
	Segments     int
	SetAside     int64 // results set aside since Open
	Damaged      int64 // damaged stretches found since Open, told or not
	AppendErrors int64 // writes that the disk refused since Open
	Timeouts     int64 // groups of triggers refused because the disk was too slow
	// LastSyncError is the error of the last sync, nil if it succeeded.
	LastSyncError error
}

// Stats returns a snapshot.
func (j *Journal) Stats() Stats {
	j.mu.Lock()
	defer j.mu.Unlock()
	segments := 0
	for _, s := range j.segs {
		if s.file != nil {
			segments++
		}
	}
	return Stats{
		Open: j.open, Unsent: j.unsent, InMemory: len(j.inMemory),
		Remembered: j.memory.len(), MemoryBytes: j.memory.bytes(),
		Bytes: j.bytes + j.kept, Segments: segments,
		SetAside: j.setAside, Damaged: j.damaged,
		AppendErrors: j.refusals, Timeouts: j.timeouts, LastSyncError: j.syncError,
	}
}
