package main

import "github.com/alecthomas/kong"

// helpTexts are the descriptions of flags that are too long for their tags.
var helpTexts = kong.Vars{
	"cron_after":  "Show times after this one, e.g. '2026-03-28 12:00:00'. Default: now.",
	"demo_listen": "Address of the admin. Default: a free port of 127.0.0.1.",
	"demo_plain":  "One line a run instead of a picture; the default where the output is no terminal.",
	"listen":      "Address of the console, the executors' interface, /healthz and /readyz. Default: :8080.",
	"tls_cert": "Certificate chain of --listen, PEM: it then speaks TLS. Read again when the file changes. " +
		"Default: plain HTTP.",
	"metrics_listen": "Serve /metrics on this address, and no longer on --listen.",
	"metrics_token":  "Bearer token that /metrics wants. Default: only this machine may see it.",
	"data_dir":       "Folder of the SQLite database and the generated access token. Default: xxl-job-data.",
	"db": "sqlite:FILE, mysql://user:pw@host:port/name or postgres://user:pw@host:port/name. " +
		"Default: SQLite in the data folder.",
	"time_zone": "IANA zone of schedules and of times in the database. Default: the machine's.",
	"log_level": "Least level that is logged: debug, info, warn or error.",
	"access_token": "Token that executors and the admin show each other. Default: generated at the first " +
		"start and kept in the data folder.",
	"admin_user":     "Administrator that the first opening of a database sets up. Default: admin.",
	"admin_password": "The administrator's password, 8 to 64 characters. Default: generated and printed once.",
	"dialect": "Release whose console endpoints to speak where a request does not show it: auto, A (2.x " +
		"to 3.1.1) or C (3.3 on).",
	"shared_with_java": "Whether Java admins run on the same database: auto, yes or no.",
	"node": "Name of this process among those on one database, another one at each start. Default: " +
		"host, process and a random part.",
	"jobs_from_code": "Jobs that executors declare in their code: off refuses them, create makes those that " +
		"are missing, update also changes what only the code has changed.",
	"horizon": "How far ahead runs are planned, 200ms to 10s.",
	"trusted_proxies": "Addresses and networks of reverse proxies whose X-Forwarded headers are believed. " +
		"Default: none.",
	"trusted_origins": "Origins that browsers may post from beside this one, as a proxy that rewrites Host " +
		"needs it. Default: none.",
	"public_url": "Address under which people open the console, such as " +
		"https://jobs.example.com/xxl-job-admin: links in alarms lead there. Default: none, or --listen where " +
		"that is a loopback address.",
	"insecure_executor_tls": "Accept any certificate of https executors, as Java does.",
	"log_days":              "Days that run logs are kept; negative keeps them for ever.",
	"server":                "Address of the running admin. Default: http://127.0.0.1:8080.",
	"key":                   "API key of the admin; better given in XXL_JOB_KEY, where no list of processes shows it.",
	"key_verbs": "What it may do: read, run, edit, code (with edit: the code of script jobs) or admin, " +
		"which is everything. May be given several times. " +
		"Each but the last is for itself.",
	"verbs":      "read,run,edit,code,admin",
	"key_groups": "Only these groups: app names or ids. Default: all.",
	"alarm_what": "late: a fire was not sent; long: a run has taken longer; nobody: a group had no executor, with " +
		"--group.",
	"alarm_sort": "Order: first_at, of open ones last_at or count, of ended ones recovered_at; with a minus in front " +
		"from the end.",
	"alarm_sorts":   "first_at,-first_at,last_at,-last_at,count,-count,recovered_at,-recovered_at",
	"audit_sort":    "Order: -at, the newest first, or at, the oldest first.",
	"audit_sorts":   "-at,at",
	"deleted_sort":  "Order: at or name; with a minus in front from the end.",
	"deleted_sorts": "at,-at,name,-name",
	"key_sort":      "Order: id, name, last_used_at or expires_at; with a minus in front from the end.",
	"key_sorts":     "id,-id,name,-name,last_used_at,-last_used_at,expires_at,-expires_at",
	"login_sort":    "Order: seen_at, created_at, expires_at or username; with a minus in front from the end.",
	"login_sorts":   "seen_at,-seen_at,created_at,-created_at,expires_at,-expires_at,username,-username",
	"user_sort":     "Order: id, username or role; with a minus in front from the end.",
	"user_sorts":    "id,-id,username,-username,role,-role",
	"output":        "Form of the output: table, json or yaml.",
	"job_sort":      "Order: id, name or next_fire; with a minus in front from the end.",
	"job_sorts":     "id,-id,name,-name,next_fire,-next_fire",
	"executor_overlap": "How long the old token counts too, such as 24h or 7d, at most 90d; endless is until " +
		"somebody ends it. Default: not at all.",
	"executor_unknown": "Only executors that are registered under app names that no group has: nothing sends to them.",
	"executor_sort": "Order: need (what needs a look first), name, addresses, beat, open, inflight or queued; with a " +
		"minus in front from the end. Default: by app name.",
	"executor_sorts": ",need,-need,name,-name,addresses,-addresses,beat,-beat,open,-open,inflight,-inflight," +
		"queued,-queued",
	"executor_refused": "Only who has come to the node that answers with a wrong access token in the last hour.",
	"executor_probe":   "Ask the executors of a group what harms nobody: are they there, idle, which version are they?",
	"executor_address": "Address of an executor, for a group without registration. May be given several times.",
	"run_wait":         "Wait until the runs, and their retries, have ended; exit code 4 if the last one failed.",
	"run_wait_timeout": "Longest wait, exit code 6; 0 is no limit. The runs go on.",
	"run_follow":       "Print the logs as they are written, and wait; beside JSON and YAML on standard error.",
	"run_name":         "Only of the jobs of this name; where there are none, of those that have it in theirs.",
	"run_sort":         "Order: -triggered_at, the newest first, or triggered_at, the oldest first.",
	"run_sorts":        "-triggered_at,triggered_at",
	"run_status": "Only waiting, running, success, failed (which is also timeout, lost and unsent), timeout, killed, " +
		"skipped, lost or unsent.",
	"run_statuses": ",waiting,running,success,failed,timeout,killed,skipped,lost,unsent,replaced",
	"key_login": "Log in as this user instead of with a key, for the first one; the password is the first line of " +
		"standard input.",
	"apply_files": "YAML file, a folder with *.yaml and *.yml files, or - for standard input. May be given several " +
		"times.",
	"clear_what": "older_than_1_month,older_than_3_months,older_than_6_months,older_than_1_year,all_but_1000," +
		"all_but_10000,all_but_30000,all_but_100000,all",
	"apply_prune": "Delete the jobs of --group, with --tag, or both, that the files do not have.",
	"import_from": "Database to copy, which is only read: mysql://user:pw@host:port/name or " +
		"postgres://user:pw@host:port/name, of a Java admin from 2.3.0 on or of ours; or sqlite:FILE.",
	"import_from_zone": "IANA zone in which the other admin ran. Default: that of --time-zone. Where it is another " +
		"one, cron jobs get it as their own.",
	"import_to":   "Database to copy into. Default: SQLite in the data folder.",
	"import_logs": "Copy the logs of runs that have ended, of so many days.",
	"import_passwords": "Give new users passwords and print them. Default: from another xxl-job-admin they keep " +
		"theirs, from a Java admin they cannot log in before one is set.",
	"user_shared_with_java": "Whether Java admins run on the same database, and so need a password of their kind: " +
		"auto, yes or no.",
	"user_groups": "Executor groups in which the user gets a role, with commas between them: a=viewer,b=editor; " +
		"without one it is editor. Ids, or app names too where an admin is asked.",
	"user_group":   "Executor group: its id, or its app name where there is a key for the running admin.",
	"user_offline": "Open the database, also where there is a key for the running admin.",
}
