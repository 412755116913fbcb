package dbtest

import (
	"fmt"
	"strings"
)

// javaGeneration is what a release line of the Java admin differs in (admin.md
// 1.1 and 1.2).
type javaGeneration struct {
	title      string // definition of the group's display name
	groupExtra string // further columns and keys of the group table
	jobName    string // name of the job's description column
	param      string // type of executor_param
	registryID string
	registry   string // definition of the index over the registry's triple
	logIndexes []string
	password   string // definitions of the user's password and token
	hash       string // of the seeded administrator, whose password is 123456
	groups     int    // seeded executors
	jobs       int    // seeded jobs
	seedTime   string
}

const (
	md5Of123456    = "e10adc3949ba59abbe56e057f20f883e"
	sha256Of123456 = "8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92"
)

// JavaGenerations lists the names that [JavaSchema] knows, oldest first.
func JavaGenerations() []string { return []string{"S1", "S2", "S2'", "S3", "S4", "S5"} }

func generation(name string) (javaGeneration, bool) {
	s1 := javaGeneration{
		title: "`title` varchar(12) NOT NULL", jobName: "job_desc", param: "varchar(512)", registryID: "int(11)",
		registry:   "KEY `i_g_k_v` (`registry_group`,`registry_key`,`registry_value`)",
		logIndexes: []string{"KEY `I_trigger_time` (`trigger_time`)", "KEY `I_handle_code` (`handle_code`)"},
		password:   "`password` varchar(50) NOT NULL", hash: md5Of123456,
		groups: 1, jobs: 1, seedTime: "'2018-11-03 22:21:31'",
	}
	s2 := s1
	s2.registry = "UNIQUE " + s1.registry
	s2.logIndexes = append(s1.logIndexes[:2:2],
		"KEY `I_jobid_jobgroup` (`job_id`,`job_group`)", "KEY `I_job_id` (`job_id`)")
	s2b := s2
	s2b.groups, s2b.jobs, s2b.seedTime = 2, 3, "now()"
	s3 := s2b
	s3.password, s3.hash = "`password` varchar(100) NOT NULL, `token` varchar(100) DEFAULT NULL", sha256Of123456
	s4 := s3
	s4.title, s4.param, s4.registryID, s4.jobs = "`title` varchar(64) NOT NULL", "text", "bigint(20)", 4
	s4.logIndexes = append(s1.logIndexes[:2:2],
		"KEY `I_jobgroup` (`job_group`)", "KEY `I_jobid` (`job_id`)")
	s5 := s4
	s5.title, s5.jobName = "`name` varchar(64) NOT NULL", "name"
	s5.groupExtra = "`access_token` varchar(255) DEFAULT NULL, UNIQUE KEY `i_app_name` (`app_name`), "
	s5.logIndexes = []string{
		"KEY `i_trigger_time` (`trigger_time`)", "KEY `i_handle_code` (`handle_code`)",
		"KEY `i_job_group` (`job_group`)", "KEY `i_job_id` (`job_id`)",
	}
	g, ok := map[string]javaGeneration{"S1": s1, "S2": s2, "S2'": s2b, "S3": s3, "S4": s4, "S5": s5}[name]
	return g, ok
}

// JavaSchema returns the statements that make an empty MariaDB or MySQL
// database into one of the Java admin, with its seed rows: S1 is 2.3.0 to
// 2.4.2, S2 is 2.5.0 and 3.0.0, S2' is 3.1, S3 is 3.2.0 to 3.3.2, S4 is 3.4, S5
// is master. It panics for another name.
func JavaSchema(gen string) []string {
	g, ok := generation(gen)
	if !ok {
		panic("dbtest: no Java schema " + gen + ": known are " + strings.Join(JavaGenerations(), ", "))
	}
	return append(g.tables(), g.seeds()...)
}

const javaTable = " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"

func (g javaGeneration) tables() []string {
	info := fmt.Sprintf("CREATE TABLE `xxl_job_info` (`id` int(11) NOT NULL AUTO_INCREMENT, "+
		"`job_group` int(11) NOT NULL, `%s` varchar(255) NOT NULL, `add_time` datetime DEFAULT NULL, "+
		"`update_time` datetime DEFAULT NULL, `author` varchar(64) DEFAULT NULL, "+
		"`alarm_email` varchar(255) DEFAULT NULL, `schedule_type` varchar(50) NOT NULL DEFAULT 'NONE', "+
		"`schedule_conf` varchar(128) DEFAULT NULL, `misfire_strategy` varchar(50) NOT NULL DEFAULT 'DO_NOTHING', "+
		"`executor_route_strategy` varchar(50) DEFAULT NULL, `executor_handler` varchar(255) DEFAULT NULL, "+
		"`executor_param` %s DEFAULT NULL, `executor_block_strategy` varchar(50) DEFAULT NULL, "+
		"`executor_timeout` int(11) NOT NULL DEFAULT 0, `executor_fail_retry_count` int(11) NOT NULL DEFAULT 0, "+
		"`glue_type` varchar(50) NOT NULL, `glue_source` mediumtext, `glue_remark` varchar(128) DEFAULT NULL, "+
		"`glue_updatetime` datetime DEFAULT NULL, `child_jobid` varchar(255) DEFAULT NULL, "+
		"`trigger_status` tinyint(4) NOT NULL DEFAULT 0, `trigger_last_time` bigint(13) NOT NULL DEFAULT 0, "+
		"`trigger_next_time` bigint(13) NOT NULL DEFAULT 0, PRIMARY KEY (`id`))", g.jobName, g.param)
	log := fmt.Sprintf("CREATE TABLE `xxl_job_log` (`id` bigint(20) NOT NULL AUTO_INCREMENT, "+
		"`job_group` int(11) NOT NULL, `job_id` int(11) NOT NULL, `executor_address` varchar(255) DEFAULT NULL, "+
		"`executor_handler` varchar(255) DEFAULT NULL, `executor_param` %s DEFAULT NULL, "+
		"`executor_sharding_param` varchar(20) DEFAULT NULL, `executor_fail_retry_count` int(11) NOT NULL DEFAULT 0, "+
		"`trigger_time` datetime DEFAULT NULL, `trigger_code` int(11) NOT NULL, `trigger_msg` text, "+
		"`handle_time` datetime DEFAULT NULL, `handle_code` int(11) NOT NULL, `handle_msg` text, "+
		"`alarm_status` tinyint(4) NOT NULL DEFAULT 0, PRIMARY KEY (`id`), %s)",
		g.param, strings.Join(g.logIndexes, ", "))
	return []string{
		"CREATE TABLE `xxl_job_group` (`id` int(11) NOT NULL AUTO_INCREMENT, `app_name` varchar(64) NOT NULL, " +
			g.title + ", `address_type` tinyint(4) NOT NULL DEFAULT 0, `address_list` text, " + g.groupExtra +
			"`update_time` datetime DEFAULT NULL, PRIMARY KEY (`id`))" + javaTable,
		"CREATE TABLE `xxl_job_registry` (`id` " + g.registryID + " NOT NULL AUTO_INCREMENT, " +
			"`registry_group` varchar(50) NOT NULL, `registry_key` varchar(255) NOT NULL, " +
			"`registry_value` varchar(255) NOT NULL, `update_time` datetime DEFAULT NULL, PRIMARY KEY (`id`), " +
			g.registry + ")" + javaTable,
		info + javaTable,
		log + javaTable,
		"CREATE TABLE `xxl_job_log_report` (`id` int(11) NOT NULL AUTO_INCREMENT, " +
			"`trigger_day` datetime DEFAULT NULL, `running_count` int(11) NOT NULL DEFAULT 0, " +
			"`suc_count` int(11) NOT NULL DEFAULT 0, " +
			"`fail_count` int(11) NOT NULL DEFAULT 0, `update_time` datetime DEFAULT NULL, PRIMARY KEY (`id`), " +
			"UNIQUE KEY `i_trigger_day` (`trigger_day`))" + javaTable,
		"CREATE TABLE `xxl_job_logglue` (`id` int(11) NOT NULL AUTO_INCREMENT, `job_id` int(11) NOT NULL, " +
			"`glue_type` varchar(50) DEFAULT NULL, `glue_source` mediumtext, `glue_remark` varchar(128) NOT NULL, " +
			"`add_time` datetime DEFAULT NULL, `update_time` datetime DEFAULT NULL, PRIMARY KEY (`id`))" + javaTable,
		"CREATE TABLE `xxl_job_lock` (`lock_name` varchar(50) NOT NULL, PRIMARY KEY (`lock_name`))" + javaTable,
		"CREATE TABLE `xxl_job_user` (`id` int(11) NOT NULL AUTO_INCREMENT, `username` varchar(50) NOT NULL, " +
			g.password + ", `role` tinyint(4) NOT NULL, `permission` varchar(255) DEFAULT NULL, PRIMARY KEY (`id`), " +
			"UNIQUE KEY `i_username` (`username`))" + javaTable,
	}
}

func (g javaGeneration) seeds() []string {
	titleColumn, tokenColumn, token := "title", "", ""
	if g.jobName == "name" {
		titleColumn, tokenColumn, token = "name", ", access_token", ", 'default_token'"
	}
	var list []string
	for i, group := range []struct{ app, title string }{
		{"xxl-job-executor-sample", "样例执行器"}, {"xxl-job-executor-sample-ai", "AI样例执行器"},
	}[:g.groups] {
		list = append(list, fmt.Sprintf("INSERT INTO xxl_job_group (id, app_name, %s, address_type, address_list, "+
			"update_time%s) VALUES (%d, '%s', '%s', 0, NULL, %s%s)",
			titleColumn, tokenColumn, i+1, group.app, group.title, g.seedTime, token))
	}
	for i, job := range []struct {
		group                         int
		name, schedule, conf, handler string
	}{
		{1, "样例任务", "CRON", "0 0 0 * * ? *", "demoJobHandler"},
		{2, "Ollama样例任务", "NONE", "", "ollamaJobHandler"},
		{2, "Dify样例任务", "NONE", "", "difyWorkflowJobHandler"},
		{2, "OpenClaw样例任务", "NONE", "", "openClawJobHandler"},
	}[:g.jobs] {
		list = append(list, fmt.Sprintf("INSERT INTO xxl_job_info (id, job_group, %s, add_time, update_time, author, "+
			"alarm_email, schedule_type, schedule_conf, misfire_strategy, executor_route_strategy, executor_handler, "+
			"executor_param, executor_block_strategy, executor_timeout, executor_fail_retry_count, glue_type, "+
			"glue_source, glue_remark, glue_updatetime, child_jobid) VALUES (%d, %d, '%s', %[5]s, %[5]s, 'XXL', '', "+
			"'%[6]s', '%[7]s', 'DO_NOTHING', 'FIRST', '%[8]s', '', 'SERIAL_EXECUTION', 0, 0, 'BEAN', '', 'first', "+
			"%[5]s, '')", g.jobName, i+1, job.group, job.name, g.seedTime, job.schedule, job.conf, job.handler))
	}
	return append(list,
		"INSERT INTO xxl_job_user (id, username, password, role, permission) VALUES (1, 'admin', '"+
			g.hash+"', 1, NULL)",
		"INSERT INTO xxl_job_lock (lock_name) VALUES ('schedule_lock')")
}
