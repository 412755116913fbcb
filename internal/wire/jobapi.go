package wire

// JobFields are the fields that the bodies of addJob and updateJob share.
type JobFields struct {
	Name                   NullString
	Author                 NullString
	AlarmEmail             NullString
	ScheduleType           NullString // a Schedule constant
	ScheduleConf           NullString // cron expression, or seconds
	MisfireStrategy        NullString // a Misfire constant
	ExecutorRouteStrategy  NullString // a Route constant
	ExecutorHandler        NullString
	ExecutorParam          NullString // singular, unlike the trigger's
	ExecutorBlockStrategy  NullString // a Block constant
	ExecutorTimeout        int32      // seconds; 0 means no limit
	ExecutorFailRetryCount int32
	GlueType               NullString // a GlueType constant
	GlueSource             NullString
	GlueRemark             NullString
}

// field reads one shared field; an unknown name is skipped.
func (f *JobFields) field(r *reader, name []byte) error {
	switch string(name) {
	case "name":
		return r.str("name", &f.Name)
	case "author":
		return r.str("author", &f.Author)
	case "alarmEmail":
		return r.str("alarmEmail", &f.AlarmEmail)
	case "scheduleType":
		return r.str("scheduleType", &f.ScheduleType)
	case "scheduleConf":
		return r.str("scheduleConf", &f.ScheduleConf)
	case "misfireStrategy":
		return r.str("misfireStrategy", &f.MisfireStrategy)
	case "executorRouteStrategy":
		return r.str("executorRouteStrategy", &f.ExecutorRouteStrategy)
	case "executorHandler":
		return r.str("executorHandler", &f.ExecutorHandler)
	case "executorParam":
		return r.str("executorParam", &f.ExecutorParam)
	case "executorBlockStrategy":
		return r.str("executorBlockStrategy", &f.ExecutorBlockStrategy)
	case "executorTimeout":
		return r.int32("executorTimeout", &f.ExecutorTimeout)
	case "executorFailRetryCount":
		return r.int32("executorFailRetryCount", &f.ExecutorFailRetryCount)
	case "glueType":
		return r.str("glueType", &f.GlueType)
	case "glueSource":
		return r.str("glueSource", &f.GlueSource)
	case "glueRemark":
		return r.str("glueRemark", &f.GlueRemark)
	default:
		return r.skip()
	}
}

func (f *JobFields) write(o *object) {
	o.str("name", f.Name)
	o.str("author", f.Author)
	o.str("alarmEmail", f.AlarmEmail)
	o.str("scheduleType", f.ScheduleType)
	o.str("scheduleConf", f.ScheduleConf)
	o.str("misfireStrategy", f.MisfireStrategy)
	o.str("executorRouteStrategy", f.ExecutorRouteStrategy)
	o.str("executorHandler", f.ExecutorHandler)
	o.str("executorParam", f.ExecutorParam)
	o.str("executorBlockStrategy", f.ExecutorBlockStrategy)
	o.int("executorTimeout", int64(f.ExecutorTimeout))
	o.int("executorFailRetryCount", int64(f.ExecutorFailRetryCount))
	o.str("glueType", f.GlueType)
	o.str("glueSource", f.GlueSource)
	o.str("glueRemark", f.GlueRemark)
}

// JobAddRequest is the body of master's addJob. The answer's payload is the id
// of the new job as text.
type JobAddRequest struct {
	JobGroup int32
	JobFields
}

// DecodeJobAdd reads the body of addJob. It returns ErrNoBody or a
// *SyntaxError.
func DecodeJobAdd(body []byte) (JobAddRequest, error) {
	var req JobAddRequest
	var r reader
	err := r.document(body, MaxBody, func(name []byte) error {
		if string(name) == "jobGroup" {
			return r.int32("jobGroup", &req.JobGroup)
		}
		return req.field(&r, name)
	})
	if err != nil {
		return JobAddRequest{}, err
	}
	return req, nil
}

// Append appends the body, null strings left out.
func (r *JobAddRequest) Append(dst []byte) []byte {
	o := newObject(dst)
	o.int("jobGroup", int64(r.JobGroup))
	r.write(&o)
	return o.end()
}

// JobUpdateRequest is the body of master's updateJob. The group of a job
// cannot be changed; master ignores the three glue fields.
type JobUpdateRequest struct {
	ID int32
	JobFields
}

// DecodeJobUpdate reads the body of updateJob. It returns ErrNoBody or a
// *SyntaxError.
func DecodeJobUpdate(body []byte) (JobUpdateRequest, error) {
	var req JobUpdateRequest
	var r reader
	err := r.document(body, MaxBody, func(name []byte) error {
		if string(name) == "id" {
			return r.int32("id", &req.ID)
		}
		return req.field(&r, name)
	})
	if err != nil {
		return JobUpdateRequest{}, err
	}
	return req, nil
}

// Append appends the body, null strings left out.
func (r *JobUpdateRequest) Append(dst []byte) []byte {
	o := newObject(dst)
	o.int("id", int64(r.ID))
	r.write(&o)
	return o.end()
}

// JobIDRequest is the body of master's removeJob, startJob and stopJob.
type JobIDRequest struct {
	ID int32
}

// DecodeJobID reads the body of removeJob, startJob or stopJob. It returns
// ErrNoBody or a *SyntaxError.
func DecodeJobID(body []byte) (JobIDRequest, error) {
	var req JobIDRequest
	var r reader
	err := r.document(body, MaxBody, func(name []byte) error {
		if string(name) == "id" {
			return r.int32("id", &req.ID)
		}
		return r.skip()
	})
	if err != nil {
		return JobIDRequest{}, err
	}
	return req, nil
}

// Append appends the body.
func (r *JobIDRequest) Append(dst []byte) []byte {
	o := newObject(dst)
	o.int("id", int64(r.ID))
	return o.end()
}

// JobTriggerRequest is the body of master's triggerJob.
type JobTriggerRequest struct {
	ID            int32
	ExecutorParam NullString // master takes null for "", which hides the job's own
	AddressList   NullString // comma-separated, instead of the group's addresses
}

// DecodeJobTrigger reads the body of triggerJob. It returns ErrNoBody or a
// *SyntaxError.
func DecodeJobTrigger(body []byte) (JobTriggerRequest, error) {
	var req JobTriggerRequest
	var r reader
	err := r.document(body, MaxBody, func(name []byte) error {
		switch string(name) {
		case "id":
			return r.int32("id", &req.ID)
		case "executorParam":
			return r.str("executorParam", &req.ExecutorParam)
		case "addressList":
			return r.str("addressList", &req.AddressList)
		default:
			return r.skip()
		}
	})
	if err != nil {
		return JobTriggerRequest{}, err
	}
	return req, nil
}

// Append appends the body, null strings left out.
func (r *JobTriggerRequest) Append(dst []byte) []byte {
	o := newObject(dst)
	o.int("id", int64(r.ID))
	o.str("executorParam", r.ExecutorParam)
	o.str("addressList", r.AddressList)
	return o.end()
}
