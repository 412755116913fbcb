package jobpages

// codeTemplate is what the code of a new job begins with: it says what a script
// is given, and how it says that it has failed.
func codeTemplate(glueType string) string { return codeTemplates[glueType] }

var codeTemplates = map[string]string{
	"GLUE_SHELL": `#!/bin/sh
# $1 is the parameter of the job, $2 the number of this shard, $3 of how many.
# What is printed goes to the log of the run. Any exit status but 0 is a failure.
set -eu

echo "parameter: ${1:-}; shard ${2:-0} of ${3:-1}"
`,
	"GLUE_PYTHON": `#!/usr/bin/env python3
# argv[1] is the parameter of the job, argv[2] the number of this shard, argv[3]
# of how many. What is printed goes to the log of the run. Any exit status but 0
# is a failure.
import sys

print("arguments:", sys.argv[1:])
sys.exit(0)
`,
	"GLUE_PYTHON2": `#!/usr/bin/env python2
# argv[1] is the parameter of the job, argv[2] the number of this shard, argv[3]
# of how many. What is printed goes to the log of the run. Any exit status but 0
# is a failure.
import sys

print "arguments:", sys.argv[1:]
sys.exit(0)
`,
	"GLUE_PHP": `<?php
// $argv[1] is the parameter of the job, $argv[2] the number of this shard,
// $argv[3] of how many. What is printed goes to the log of the run. Any exit
// status but 0 is a failure.
echo "arguments: " . implode(" ", array_slice($argv, 1)) . "\n";
exit(0);
`,
	"GLUE_NODEJS": `// argv[2] is the parameter of the job, argv[3] the number of this shard, argv[4]
// of how many. What is printed goes to the log of the run. Any exit status but 0
// is a failure.
console.log('arguments:', process.argv.slice(2));
process.exit(0);
`,
	"GLUE_POWERSHELL": `# $args[0] is the parameter of the job, $args[1] the number of this shard, $args[2]
# of how many. What is printed goes to the log of the run. Any exit status but 0
# is a failure.
Write-Host "arguments: $args"
exit 0
`,
	"GLUE_GROOVY": `// A class that the Java executor compiles and runs. An exception is a failure.
import com.xxl.job.core.context.XxlJobHelper;
import com.xxl.job.core.handler.IJobHandler;

public class Job extends IJobHandler {

    @Override
    public void execute() throws Exception {
        XxlJobHelper.log("parameter: " + XxlJobHelper.getJobParam());
    }
}
`,
}
