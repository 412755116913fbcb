package wire

// JobRequest is the body of /idleBeat and of /kill.
type JobRequest struct {
	JobID int32
}

// DecodeJob reads the body of /idleBeat or /kill. It returns ErrNoBody or a
// *SyntaxError.
func DecodeJob(body []byte) (JobRequest, error) {
	var req JobRequest
	var r reader
	err := r.document(body, MaxBody, func(name []byte) error {
		if string(name) == "jobId" {
			return r.int32("jobId", &req.JobID)
		}
		return r.skip()
	})
	if err != nil {
		return JobRequest{}, err
	}
	return req, nil
}

// Append appends the body that an admin sends.
func (r *JobRequest) Append(dst []byte) []byte {
	o := newObject(dst)
	o.int("jobId", int64(r.JobID))
	return o.end()
}

// LogRequest is the body of /log.
type LogRequest struct {
	LogID       int64
	LogDateTime int64 // Unix milliseconds of the trigger, as the admin stored it
	FromLineNum int32 // first line wanted, from 1; 0 or below means all
}

// DecodeLog reads the body of /log. The time is taken from logDateTim
// (releases up to 3.4.2) or logDateTime (master); of two the last wins. It
// returns ErrNoBody or a *SyntaxError.
func DecodeLog(body []byte) (LogRequest, error) {
	var req LogRequest
	var r reader
	err := r.document(body, MaxBody, func(name []byte) error {
		switch string(name) {
		case "logId":
			return r.int64("logId", &req.LogID)
		case "logDateTim", "logDateTime":
			return r.int64("logDateTime", &req.LogDateTime)
		case "fromLineNum":
			return r.int32("fromLineNum", &req.FromLineNum)
		default:
			return r.skip()
		}
	})
	if err != nil {
		return LogRequest{}, err
	}
	return req, nil
}

// Append appends a body that executors of every generation understand: the
// time stands under both of its names.
func (r *LogRequest) Append(dst []byte) []byte {
	o := newObject(dst)
	o.int("logDateTim", r.LogDateTime)
	o.int("logDateTime", r.LogDateTime)
	o.int("logId", r.LogID)
	o.int("fromLineNum", int64(r.FromLineNum))
	return o.end()
}

// RegistryRequest is the body of /api/registry and /api/registryRemove. An
// admin answers TextIllegal if one of the three is null or blank.
type RegistryRequest struct {
	Group NullString // RegistryGroupExecutor
	Key   NullString // the executor's appname
	Value NullString // the executor's address, compared as a string everywhere
}

// DecodeRegistry reads the body of /api/registry or /api/registryRemove. It
// returns ErrNoBody or a *SyntaxError.
func DecodeRegistry(body []byte) (RegistryRequest, error) {
	var req RegistryRequest
	var r reader
	err := r.document(body, MaxBody, func(name []byte) error {
		switch string(name) {
		case "registryGroup":
			return r.str("registryGroup", &req.Group)
		case "registryKey":
			return r.str("registryKey", &req.Key)
		case "registryValue":
			return r.str("registryValue", &req.Value)
		default:
			return r.skip()
		}
	})
	if err != nil {
		return RegistryRequest{}, err
	}
	return req, nil
}

// Append appends the body that an executor sends, null strings left out.
func (r *RegistryRequest) Append(dst []byte) []byte {
	o := newObject(dst)
	o.str("registryGroup", r.Group)
	o.str("registryKey", r.Key)
	o.str("registryValue", r.Value)
	return o.end()
}
