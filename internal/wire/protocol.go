package wire

// Paths of an executor. Compare them with the whole request target: Java
// takes neither a query string nor a trailing slash.
const (
	PathBeat     = "/beat"
	PathIdleBeat = "/idleBeat"
	PathRun      = "/run"     // releases 2.2.0 to 3.4.2
	PathTrigger  = "/trigger" // master, instead of /run
	PathKill     = "/kill"
	PathLog      = "/log"
)

// Paths of an admin, behind its root and context path.
const (
	PathCallback       = "/api/callback"
	PathRegistry       = "/api/registry"
	PathRegistryRemove = "/api/registryRemove"
)

// Paths of master's job management, behind the admin's root.
const (
	PathAddJob     = "/api/addJob"
	PathUpdateJob  = "/api/updateJob"
	PathRemoveJob  = "/api/removeJob"
	PathStartJob   = "/api/startJob"
	PathStopJob    = "/api/stopJob"
	PathTriggerJob = "/api/triggerJob"
)

// PathDeclareJobs is a path of our own admin only: an executor declares its
// jobs there. It is called only on an admin that gave HeaderDeclare.
const PathDeclareJobs = "/api/declareJobs"

// Headers and their values.
const (
	// HeaderDeclare is our own: our admin's answer to a registration by our own
	// executor says with it what becomes of jobs that are declared in code, as
	// one of the Declare constants. It is given only to a caller whose
	// User-Agent begins with Native.
	HeaderDeclare = "XXL-JOB-DECLARE"
	// HeaderToken carries the shared secret in clear. Send it even if empty:
	// admins 3.3.0 and 3.3.1 refuse a request without it.
	HeaderToken = "XXL-JOB-ACCESS-TOKEN"
	// HeaderAppName carries the executor's name. Only master asks for it.
	HeaderAppName = "XXL-JOB-APPNAME"
	// HeaderExecutor is our own: with the value Native it marks the answers of
	// our executor, which runs a trigger once however often it comes. It is
	// given only to a caller whose User-Agent begins with Native; to any other
	// the executor looks like a Java one.
	HeaderExecutor = "XXL-JOB-EXECUTOR"
	// Native is the value of HeaderExecutor and the User-Agent of our admin.
	Native = "xxljob-go"
	// ContentTypeJSON is the content type of every request.
	ContentTypeJSON = "application/json;charset=UTF-8"
	// ContentTypeHTML is the content type of every answer of an executor,
	// although its body is JSON.
	ContentTypeHTML = "text/html;charset=UTF-8"
)

// Result codes, of answers as well as of runs.
const (
	CodeSuccess int32 = 200
	CodeFail    int32 = 500
	CodeTimeout int32 = 502 // a run hit its time limit; an admin is too busy
)

// Registry groups. Admins route only to the first.
const (
	RegistryGroupExecutor = "EXECUTOR"
	RegistryGroupAdmin    = "ADMIN"
)

// Limits of messages, in UTF-16 units (see TruncateMessage).
const (
	// MaxResultMessage is where Java executors cut the message of a result.
	MaxResultMessage = 50000
	// MaxStoredMessage is where admins cut a message before they store it.
	MaxStoredMessage = 15000
)

// Glue types: what a job is made of. Names are compared with case.
const (
	GlueTypeBean       = "BEAN"
	GlueTypeGroovy     = "GLUE_GROOVY"
	GlueTypeShell      = "GLUE_SHELL"
	GlueTypePython     = "GLUE_PYTHON"  // Python 3 since 3.2.0, before whatever python is
	GlueTypePython2    = "GLUE_PYTHON2" // since 3.2.0
	GlueTypeNodeJS     = "GLUE_NODEJS"
	GlueTypePowerShell = "GLUE_POWERSHELL"
	GlueTypePHP        = "GLUE_PHP"
)

// Block strategies: what a trigger does while the job still runs. Null and
// unknown names mean serial.
const (
	BlockSerial       = "SERIAL_EXECUTION"
	BlockDiscardLater = "DISCARD_LATER"
	BlockCoverEarly   = "COVER_EARLY"
)

// Schedule types of a job.
const (
	ScheduleNone    = "NONE"
	ScheduleCron    = "CRON"
	ScheduleFixRate = "FIX_RATE" // every n seconds
)

// Misfire strategies: what becomes of an instant that nobody planned in time.
const (
	MisfireDoNothing   = "DO_NOTHING"
	MisfireFireOnceNow = "FIRE_ONCE_NOW"
)

// Route strategies: how an admin chooses the executor of a run.
const (
	RouteFirst             = "FIRST"
	RouteLast              = "LAST"
	RouteRound             = "ROUND"
	RouteRandom            = "RANDOM"
	RouteConsistentHash    = "CONSISTENT_HASH"
	RouteLeastFrequently   = "LEAST_FREQUENTLY_USED"
	RouteLeastRecently     = "LEAST_RECENTLY_USED"
	RouteFailover          = "FAILOVER"
	RouteBusyover          = "BUSYOVER"
	RouteShardingBroadcast = "SHARDING_BROADCAST"
)

// GlueDesc returns the display name of a glue type as of 3.2.0, and whether
// the protocol knows the type at all.
func GlueDesc(glueType string) (desc string, known bool) {
	switch glueType {
	case GlueTypeBean:
		return "BEAN", true
	case GlueTypeGroovy:
		return "GLUE(Java)", true
	case GlueTypeShell:
		return "GLUE(Shell)", true
	case GlueTypePython:
		return "GLUE(Python3)", true
	case GlueTypePython2:
		return "GLUE(Python2)", true
	case GlueTypeNodeJS:
		return "GLUE(Nodejs)", true
	case GlueTypePowerShell:
		return "GLUE(PowerShell)", true
	case GlueTypePHP:
		return "GLUE(PHP)", true
	default:
		return "", false
	}
}

// ScriptSuffix returns the file suffix of a script type with its dot, or ""
// for the types that are no scripts.
func ScriptSuffix(glueType string) string {
	switch glueType {
	case GlueTypeShell:
		return ".sh"
	case GlueTypePython, GlueTypePython2:
		return ".py"
	case GlueTypeNodeJS:
		return ".js"
	case GlueTypePowerShell:
		return ".ps1"
	case GlueTypePHP:
		return ".php"
	default:
		return ""
	}
}
