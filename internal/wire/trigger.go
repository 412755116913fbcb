package wire

// TriggerRequest is the body of /run and of master's /trigger. Its fields are
// the same in every release.
type TriggerRequest struct {
	JobID                 int32
	ExecutorHandler       NullString // name of the handler of a BEAN job
	ExecutorParams        NullString
	ExecutorBlockStrategy NullString // a Block constant; null or unknown means serial
	ExecutorTimeout       int32      // seconds; 0 or below means no limit
	LogID                 int64      // the id of this run
	LogDateTime           int64      // Unix milliseconds; chooses the day directory of the log
	GlueType              NullString // a GlueType constant
	GlueSource            NullString
	GlueUpdateTime        int64 // Unix milliseconds; the version of GlueSource
	BroadcastIndex        int32 // shard of this run, from 0
	BroadcastTotal        int32 // number of shards, 1 without sharding
}

// DecodeTrigger reads the body of /run or /trigger. It returns ErrNoBody or a
// *SyntaxError. The request does not refer to body afterwards.
func DecodeTrigger(body []byte) (TriggerRequest, error) {
	var req TriggerRequest
	var r reader
	err := r.document(body, MaxBody, func(name []byte) error {
		switch string(name) {
		case "jobId":
			return r.int32("jobId", &req.JobID)
		case "executorHandler":
			return r.str("executorHandler", &req.ExecutorHandler)
		case "executorParams":
			return r.str("executorParams", &req.ExecutorParams)
		case "executorBlockStrategy":
			return r.str("executorBlockStrategy", &req.ExecutorBlockStrategy)
		case "executorTimeout":
			return r.int32("executorTimeout", &req.ExecutorTimeout)
		case "logId":
			return r.int64("logId", &req.LogID)
		case "logDateTime":
			return r.int64("logDateTime", &req.LogDateTime)
		case "glueType":
			return r.str("glueType", &req.GlueType)
		case "glueSource":
			return r.str("glueSource", &req.GlueSource)
		case "glueUpdatetime":
			return r.int64("glueUpdatetime", &req.GlueUpdateTime)
		case "broadcastIndex":
			return r.int32("broadcastIndex", &req.BroadcastIndex)
		case "broadcastTotal":
			return r.int32("broadcastTotal", &req.BroadcastTotal)
		default:
			return r.skip()
		}
	})
	if err != nil {
		return TriggerRequest{}, err
	}
	return req, nil
}

// Append appends the body that an admin sends, null strings left out.
func (r *TriggerRequest) Append(dst []byte) []byte {
	o := newObject(dst)
	o.int("jobId", int64(r.JobID))
	o.str("executorHandler", r.ExecutorHandler)
	o.str("executorParams", r.ExecutorParams)
	o.str("executorBlockStrategy", r.ExecutorBlockStrategy)
	o.int("executorTimeout", int64(r.ExecutorTimeout))
	o.int("logId", r.LogID)
	o.int("logDateTime", r.LogDateTime)
	o.str("glueType", r.GlueType)
	o.str("glueSource", r.GlueSource)
	o.int("glueUpdatetime", r.GlueUpdateTime)
	o.int("broadcastIndex", int64(r.BroadcastIndex))
	o.int("broadcastTotal", int64(r.BroadcastTotal))
	return o.end()
}
