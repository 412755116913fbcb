package wire

import (
	"strconv"
	"strings"
)

// The texts of this file are compared by people's scripts and by other
// implementations, so they are literal, misspellings included.

// TextSuccess is what a success without a text of its own says since 3.2.0.
const TextSuccess = "Success"

// Texts with which a request is refused, in the order of the checks.
const (
	TextMethod       = "invalid request, HttpMethod not support."
	TextURIEmpty     = "invalid request, uri-mapping empty."
	TextBodyEmpty    = "invalid request, requestBody empty." // admins since 3.3.0
	TextTokenWrong   = "The access token is wrong."          // releases 2.2.0 to 3.4.2
	TextTokenEmpty   = "invalid request, accessToken or appname is empty."
	TextTokenInvalid = "invalid request, accessToken or appname invalid."
	TextIllegal      = "Illegal Argument." // a registry call with a blank field
	TextTooMany      = "Too many requests, please try again later."

	// PrefixRequestError stands before the error of a body that an executor
	// could not read or act upon. No space follows.
	PrefixRequestError = "request error:"
	// PrefixInvokeError is the same on admins since 3.3.0.
	PrefixInvokeError = "openapi invoke error: "
)

// Answers of an executor to /idleBeat, /kill and /run.
const (
	TextBusy          = "job thread is running or has trigger queue."
	TextKilledAlready = "job thread already killed."
	TextDiscardLater  = "block strategy effect：Discard Later"
)

// Reasons why a run was ended from outside.
const (
	ReasonKilled        = "scheduling center kill job."
	ReasonHandlerChange = "change jobhandler or glue type, and terminate the old job thread."
	ReasonSourceChange  = "change job source or glue type, and terminate the old job thread."
	ReasonCovered       = "block strategy effect：Cover Early"
	ReasonIdle          = "excutor idle times over limit." // since 2.5.0
	ReasonShutdown      = "web container destroy and kill the job."
)

// Suffixes behind a reason in the message of a result, with their blank.
const (
	SuffixRunning = " [job running, killed]"
	SuffixQueued  = " [job not executed, in the job queue, killed.]"
)

// Messages of results.
const (
	TextTimeout    = "job execute timeout " // the blank at its end belongs to it
	TextResultLost = "job handle result lost."
	// TextNeverStarted is what our executor says of a run that waited when its
	// process ended.
	TextNeverStarted = "executor was restarted before the run began: the trigger was accepted, its handler did not run"
)

// TextLogMissing is the content of a /log answer for a run without a file.
const TextLogMissing = "readLog fail, logFile not exists"

// Texts of entries in the log of a run.
const (
	LogStart        = "<br>----------- xxl-job job execute start -----------<br>----------- Param:"
	LogEnd          = "<br>----------- xxl-job job execute end(finish) -----------<br>----------- Result: handleCode="
	LogEndError     = "<br>----------- xxl-job job execute end(error) -----------"
	LogTimeout      = "<br>----------- xxl-job job execute timeout"
	LogStopping     = "<br>----------- JobThread toStop, stopReason:"
	LogStranded     = "<br>----------- the handler goes on although it was told to stop; its stack:"
	LogReturned     = "<br>----------- the handler that went on has returned"
	LogException    = "<br>----------- JobThread Exception:"
	LogCallbackDone = "<br>----------- xxl-job job callback finish."
	LogCallbackFail = "<br>----------- xxl-job job callback fail, callbackResult:"
	LogCallbackErr  = "<br>----------- xxl-job job callback error, errorMsg:"
)

// NotFoundText answers a request for none of the paths. An executor gives the
// raw request target, an admin the last part of the path without its slash.
func NotFoundText(target string) string {
	return "invalid request, uri-mapping(" + target + ") not found."
}

// HandlerNotFoundText answers a trigger whose handler is not registered.
func HandlerNotFoundText(name string) string { return "job handler [" + name + "] not found." }

// GlueInvalidText answers a trigger whose glue type is unknown or null.
func GlueInvalidText(glueType NullString) string {
	return "glueType[" + glueType.Or("null") + "] is not valid."
}

// GlueUnsupportedText answers a trigger whose glue type is switched off; desc
// is the name that GlueDesc returns.
func GlueUnsupportedText(desc string) string {
	return "fail, current glue type [" + desc + "] not supported."
}

// RepeatText answers a trigger that is already known, in the spelling of
// 3.4.1 and later. IsRepeatText knows both spellings.
func RepeatText(logID int64) string {
	return "repeat trigger job, logId:" + strconv.FormatInt(logID, 10)
}

// IsRepeatText reports whether an executor's answer says that it already
// holds the trigger, in the spelling of any release.
func IsRepeatText(msg string) bool {
	return strings.HasPrefix(msg, "repeat trigger job, logId:") ||
		strings.HasPrefix(msg, "repeate trigger job, logId:")
}

// ScriptExitText is the result message of a script that ended with code n,
// or -1 if it could not be started or was interrupted.
func ScriptExitText(n int) string {
	return "script exit value(" + strconv.Itoa(n) + ") is failed"
}

// GlueVersionText is the log line before a script or glue run.
func GlueVersionText(updateTime int64) string {
	return "----------- glue.version:" + strconv.FormatInt(updateTime, 10) + " -----------"
}

// ScriptFileText is the log line that names a script's file.
func ScriptFileText(path string) string { return "----------- script file:" + path + " -----------" }

// LogEndText is the log line at the normal end of a run.
func LogEndText(code int32, msg NullString) string {
	return LogEnd + strconv.Itoa(int(code)) + ", handleMsg = " + msg.Or("null")
}

// ExpectsObject reports whether an admin's error says that it wanted the
// object form of a callback: it is of master's generation.
func ExpectsObject(msg string) bool {
	return strings.Contains(msg, "Expected BEGIN_OBJECT but was BEGIN_ARRAY")
}

// ExpectsArray reports whether an admin's error says that it wanted the array
// form of a callback: it is a release up to 3.4.2.
func ExpectsArray(msg string) bool {
	return strings.Contains(msg, "Expected BEGIN_ARRAY but was BEGIN_OBJECT")
}
