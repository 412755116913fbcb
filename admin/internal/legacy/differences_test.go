package legacy

// failA and failC are ordinary refusals with a text.
func failA(msg string) string { return `{"code":500,"msg":"` + msg + `","content":null}` }

func failC(msg string) string { return `{"code":500,"data":null,"msg":"` + msg + `","success":false}` }

const plain = "application/json"

// Reasons that several differences share.
const (
	whyAccident   = "Java's answer is an accident with class names or SQL in it; ours is an ordinary refusal"
	whyMessage    = "the error body says what is wrong, in the key message"
	whySSRF       = "only addresses of the job's executor may be named (lessons B1: #3375, #3935)"
	whyPermission = "permission is checked on the object (lessons B1: CVE-2023-33779, CVE-2025-9264)"
	whyClient     = "the text is that of our client, which names no class; code and form are the same"
	whyCount      = "days are counted as runs end, not once a minute; the runs of this recording are in it"
)

// differencesA names the exchanges with 2.5.0 that we answer in another way.
func differencesA() map[string]*difference {
	return map[string]*difference{
		"group add: title too long for the column": {why: whyAccident, kind: plain, body: failA("Title Length limit[0-64]")},
		"job list, word for number": {
			why: whyMessage, body: `{"timestamp":"T","status":400,"error":"Bad Request",` +
				`"message":"parameter jobGroup is not a number","path":"/xxl-job-admin/jobinfo/pageList"}`,
		},
		"job add: description too long": {why: whyAccident, kind: plain, body: failA("Job description Length limit[0-255]")},
		"job start, unknown id":         {why: whyAccident, kind: plain, body: failA("Job ID is illegal")},
		"job stop, unknown id":          {why: whyAccident, kind: plain, body: failA("Job ID is illegal")},
		"run once, override to a dead address": {
			why: whySSRF, body: failA("machine address(http://127.0.0.1:44651/)not exist"),
		},
		"log text, dead executor": {why: whyClient, body: failA("connection refused")},
		"kill, unknown id":        {why: whyAccident, kind: plain, body: failA("Log ID is illegal")},
		"chart, today": {
			why: whyCount, body: `{"code":200,"msg":null,"content":{"triggerCountFailTotal":3,"triggerDayList":["2026-11-21"],` +
				`"triggerDayCountRunningList":[0],"triggerCountSucTotal":1,"triggerDayCountFailList":[3],` +
				`"triggerCountRunningTotal":0,"triggerDayCountSucList":[1]}}`,
		},
		"chart, bad date": {
			why: whyMessage, body: `{"timestamp":"T","status":400,"error":"Bad Request",` +
				`"message":"parameter startDate is not of the form yyyy-MM-dd HH:mm:ss","path":"/xxl-job-admin/chartInfo"}`,
		},
		"glue save, no source": {why: "code may not be empty, as since 3.3.0", body: failA("please input GLUE Source")},
		"normal user: foreign job list": {
			why: whyPermission, kind: "application/json;charset=utf-8",
			body: failA("java.lang.RuntimeException: Permission limit[username=golden1]"),
		},
		"normal user: foreign start": {why: whyPermission, body: failA("Permission limit")},
	}
}

// differencesC names the exchanges with 3.4.2 that we answer in another way.
func differencesC() map[string]*difference {
	return map[string]*difference{
		"group add: title too long for the column": {why: whyAccident, kind: plain, body: failC("Title Length limit[0-64]")},
		"job add: description too long":            {why: whyAccident, kind: plain, body: failC("Job description Length limit[0-255]")},
		"run once, override to a dead address": {
			why: whySSRF, body: failC("machine address(http://127.0.0.1:50199/)not exist"),
		},
		"log text, dead executor": {why: whyClient, body: failC("connection refused")},
		"kill, unknown id":        {why: whyAccident, kind: plain, body: failC("Log ID is illegal")},
		"chart, today": {
			why: whyCount, body: `{"code":200,"data":{"triggerCountFailTotal":3,"triggerDayList":["2026-11-21"],` +
				`"triggerDayCountRunningList":[0],"triggerCountSucTotal":1,"triggerDayCountFailList":[3],` +
				`"triggerCountRunningTotal":0,"triggerDayCountSucList":[1]},"msg":"Success","success":true}`,
		},
	}
}
