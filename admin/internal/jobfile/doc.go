// Package jobfile reads and writes jobs as YAML, one document a job, and works out
// what has to be done so that a scheduling centre has the jobs of a file.
//
//	group: orders
//	name: settle
//	schedule: {cron: '0 0 3 * * ?', time_zone: Asia/Shanghai}
//	handler: settle
//	retries: 2
//	children: [report]
//
// A job is known by its group's app name and its own name. What a document leaves
// out has its default, but for the state and the author, which then stay as they
// are.
package jobfile
