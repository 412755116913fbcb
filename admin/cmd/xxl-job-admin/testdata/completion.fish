# fish completion of xxl-job-admin: xxl-job-admin completion fish | source
function __xxl_job_admin_path
    set -l path ""
    for word in (commandline -opc)[2..-1]
        switch "$path $word"
            case " serve" " demo" " migrate" " import" " user" " user list" " user add" " user passwd" " user get" " user role" " user grant" " user revoke" " user disable" " user delete" " job" " job list" " job get" " job apply" " job export" " job start" " job stop" " job run" " job delete" " job deleted" " job restore" " job history" " job undo" " run" " run list" " run get" " run logs" " run kill" " run retry" " executor" " executor list" " executor get" " executor address" " executor probe" " executor create" " executor delete" " executor token" " executor deleted" " executor restore" " executor history" " key" " key list" " key create" " key revoke" " alarm" " alarm list" " alarm ack" " alarm unack" " alarm rules" " alarm rule" " alarm rule set" " alarm rule delete" " alarm mutes" " alarm mute" " alarm unmute" " alarm channels" " alarm test" " session" " session list" " session end" " retention" " retention get" " retention preview" " retention set" " retention reset" " retention clean" " audit" " audit list" " audit export" " completion" " cron" " version"
                set path "$path $word"
        end
    end
    test "$path" = "$argv[1]"
end
complete -c xxl-job-admin -n '__xxl_job_admin_path ""' -f -a "serve demo migrate import user job run executor key alarm session retention audit completion cron version"
complete -c xxl-job-admin -n '__xxl_job_admin_path ""' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path ""' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l data-dir -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l db -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l time-zone -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l access-token -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l allow-insecure-token
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l admin-user -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l admin-password -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l language -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l dialect -r -f -a "auto A C"
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l shared-with-java -r -f -a "auto yes no"
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l node -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l executor-timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l insecure-executor-tls
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l shards -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l retry-delay -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l log-days -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l log-keep-per-job -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l session-life -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l api-rate -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l horizon -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l plan-every -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l trusted-proxies -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l trusted-origins -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l public-url -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l code-editing
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l jobs-from-code -r -f -a "off create update"
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l alarms-to-loopback
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l alarms -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l log-format -r -f -a "json text"
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l log-level -r -f -a "debug info warn error"
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l tls-cert -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l tls-key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l listen -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l metrics-listen -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " serve"' -l metrics-token -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " demo"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " demo"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " demo"' -l listen -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " demo"' -l executors -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " demo"' -l duration -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " demo"' -l plain
complete -c xxl-job-admin -n '__xxl_job_admin_path " migrate"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " migrate"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " migrate"' -l data-dir -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " migrate"' -l db -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " migrate"' -l time-zone -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " migrate"' -l log-format -r -f -a "json text"
complete -c xxl-job-admin -n '__xxl_job_admin_path " migrate"' -l log-level -r -f -a "debug info warn error"
complete -c xxl-job-admin -n '__xxl_job_admin_path " migrate"' -l dry-run
complete -c xxl-job-admin -n '__xxl_job_admin_path " import"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " import"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " import"' -l log-format -r -f -a "json text"
complete -c xxl-job-admin -n '__xxl_job_admin_path " import"' -l log-level -r -f -a "debug info warn error"
complete -c xxl-job-admin -n '__xxl_job_admin_path " import"' -l from -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " import"' -l from-time-zone -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " import"' -l to -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " import"' -l data-dir -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " import"' -l time-zone -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " import"' -l logs -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " import"' -l stopped
complete -c xxl-job-admin -n '__xxl_job_admin_path " import"' -l new-passwords
complete -c xxl-job-admin -n '__xxl_job_admin_path " import"' -l dry-run
complete -c xxl-job-admin -n '__xxl_job_admin_path " import"' -l json
complete -c xxl-job-admin -n '__xxl_job_admin_path " import"' -l shared-with-java
complete -c xxl-job-admin -n '__xxl_job_admin_path " user"' -f -a "list add passwd get role grant revoke disable delete"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " user"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user list"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " user list"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user list"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user list"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user list"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user list"' -l data-dir -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user list"' -l db -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user list"' -l time-zone -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user list"' -l log-format -r -f -a "json text"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user list"' -l log-level -r -f -a "debug info warn error"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user list"' -l offline
complete -c xxl-job-admin -n '__xxl_job_admin_path " user list"' -l shared-with-java -r -f -a "auto yes no"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user list"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user list"' -l sort -r -f -a "id -id username -username role -role"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user add"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " user add"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user add"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user add"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user add"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user add"' -l data-dir -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user add"' -l db -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user add"' -l time-zone -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user add"' -l log-format -r -f -a "json text"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user add"' -l log-level -r -f -a "debug info warn error"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user add"' -l offline
complete -c xxl-job-admin -n '__xxl_job_admin_path " user add"' -l shared-with-java -r -f -a "auto yes no"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user add"' -l password-stdin
complete -c xxl-job-admin -n '__xxl_job_admin_path " user add"' -l admin
complete -c xxl-job-admin -n '__xxl_job_admin_path " user add"' -l groups -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user add"' -l code
complete -c xxl-job-admin -n '__xxl_job_admin_path " user passwd"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " user passwd"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user passwd"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user passwd"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user passwd"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user passwd"' -l data-dir -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user passwd"' -l db -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user passwd"' -l time-zone -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user passwd"' -l log-format -r -f -a "json text"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user passwd"' -l log-level -r -f -a "debug info warn error"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user passwd"' -l offline
complete -c xxl-job-admin -n '__xxl_job_admin_path " user passwd"' -l shared-with-java -r -f -a "auto yes no"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user passwd"' -l password-stdin
complete -c xxl-job-admin -n '__xxl_job_admin_path " user get"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " user get"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user get"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user get"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user get"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user get"' -l data-dir -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user get"' -l db -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user get"' -l time-zone -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user get"' -l log-format -r -f -a "json text"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user get"' -l log-level -r -f -a "debug info warn error"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user get"' -l offline
complete -c xxl-job-admin -n '__xxl_job_admin_path " user get"' -l shared-with-java -r -f -a "auto yes no"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user get"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user role"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " user role"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user role"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user role"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user role"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user role"' -l data-dir -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user role"' -l db -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user role"' -l time-zone -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user role"' -l log-format -r -f -a "json text"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user role"' -l log-level -r -f -a "debug info warn error"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user role"' -l offline
complete -c xxl-job-admin -n '__xxl_job_admin_path " user role"' -l shared-with-java -r -f -a "auto yes no"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user role"' -l admin
complete -c xxl-job-admin -n '__xxl_job_admin_path " user role"' -l groups -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user role"' -l code
complete -c xxl-job-admin -n '__xxl_job_admin_path " user grant"' -f -a "viewer operator editor admin"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user grant"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " user grant"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user grant"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user grant"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user grant"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user grant"' -l data-dir -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user grant"' -l db -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user grant"' -l time-zone -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user grant"' -l log-format -r -f -a "json text"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user grant"' -l log-level -r -f -a "debug info warn error"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user grant"' -l offline
complete -c xxl-job-admin -n '__xxl_job_admin_path " user grant"' -l shared-with-java -r -f -a "auto yes no"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user revoke"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " user revoke"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user revoke"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user revoke"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user revoke"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user revoke"' -l data-dir -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user revoke"' -l db -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user revoke"' -l time-zone -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user revoke"' -l log-format -r -f -a "json text"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user revoke"' -l log-level -r -f -a "debug info warn error"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user revoke"' -l offline
complete -c xxl-job-admin -n '__xxl_job_admin_path " user revoke"' -l shared-with-java -r -f -a "auto yes no"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user disable"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " user disable"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user disable"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user disable"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user disable"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user disable"' -l data-dir -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user disable"' -l db -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user disable"' -l time-zone -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user disable"' -l log-format -r -f -a "json text"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user disable"' -l log-level -r -f -a "debug info warn error"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user disable"' -l offline
complete -c xxl-job-admin -n '__xxl_job_admin_path " user disable"' -l shared-with-java -r -f -a "auto yes no"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user delete"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " user delete"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user delete"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user delete"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user delete"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user delete"' -l data-dir -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user delete"' -l db -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user delete"' -l time-zone -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " user delete"' -l log-format -r -f -a "json text"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user delete"' -l log-level -r -f -a "debug info warn error"
complete -c xxl-job-admin -n '__xxl_job_admin_path " user delete"' -l offline
complete -c xxl-job-admin -n '__xxl_job_admin_path " user delete"' -l shared-with-java -r -f -a "auto yes no"
complete -c xxl-job-admin -n '__xxl_job_admin_path " job"' -f -a "list get apply export start stop run delete deleted restore history undo"
complete -c xxl-job-admin -n '__xxl_job_admin_path " job"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " job"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job list"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " job list"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job list"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job list"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job list"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job list"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " job list"' -l group -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job list"' -l state -r -f -a "started stopped"
complete -c xxl-job-admin -n '__xxl_job_admin_path " job list"' -l name -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job list"' -l handler -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job list"' -l author -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job list"' -l tag -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job list"' -l sort -r -f -a "id -id name -name next_fire -next_fire"
complete -c xxl-job-admin -n '__xxl_job_admin_path " job get"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " job get"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job get"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job get"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job get"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job get"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " job apply"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " job apply"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job apply"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job apply"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job apply"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job apply"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " job apply"' -l yes -s y
complete -c xxl-job-admin -n '__xxl_job_admin_path " job apply"' -l file -s f -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job apply"' -l dry-run
complete -c xxl-job-admin -n '__xxl_job_admin_path " job apply"' -l prune
complete -c xxl-job-admin -n '__xxl_job_admin_path " job apply"' -l group -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job apply"' -l tag -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job export"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " job export"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job export"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job export"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job export"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job export"' -l group -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job export"' -l state -r -f -a "started stopped"
complete -c xxl-job-admin -n '__xxl_job_admin_path " job export"' -l name -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job export"' -l handler -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job export"' -l author -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job export"' -l tag -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job export"' -l sort -r -f -a "id -id name -name next_fire -next_fire"
complete -c xxl-job-admin -n '__xxl_job_admin_path " job export"' -l file -s f -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job start"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " job start"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job start"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job start"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job start"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job stop"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " job stop"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job stop"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job stop"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job stop"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job run"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " job run"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job run"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job run"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job run"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job run"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " job run"' -l wait
complete -c xxl-job-admin -n '__xxl_job_admin_path " job run"' -l follow
complete -c xxl-job-admin -n '__xxl_job_admin_path " job run"' -l wait-timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job run"' -l param -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job run"' -l address -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job delete"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " job delete"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job delete"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job delete"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job delete"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job delete"' -l yes -s y
complete -c xxl-job-admin -n '__xxl_job_admin_path " job deleted"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " job deleted"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job deleted"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job deleted"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job deleted"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job deleted"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " job deleted"' -l group -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job deleted"' -l name -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job deleted"' -l sort -r -f -a "at -at name -name"
complete -c xxl-job-admin -n '__xxl_job_admin_path " job restore"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " job restore"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job restore"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job restore"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job restore"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job history"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " job history"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job history"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job history"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job history"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job history"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " job history"' -l limit -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job undo"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " job undo"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job undo"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job undo"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job undo"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " job undo"' -l force
complete -c xxl-job-admin -n '__xxl_job_admin_path " run"' -f -a "list get logs kill retry"
complete -c xxl-job-admin -n '__xxl_job_admin_path " run"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " run"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run list"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " run list"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run list"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run list"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run list"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run list"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " run list"' -l job -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run list"' -l name -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run list"' -l group -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run list"' -l status -r -f -a "waiting running success failed timeout killed skipped lost unsent replaced"
complete -c xxl-job-admin -n '__xxl_job_admin_path " run list"' -l text -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run list"' -l since -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run list"' -l until -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run list"' -l address -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run list"' -l min-took -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run list"' -l sort -r -f -a "-triggered_at triggered_at"
complete -c xxl-job-admin -n '__xxl_job_admin_path " run list"' -l limit -s n -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run get"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " run get"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run get"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run get"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run get"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run get"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " run logs"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " run logs"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run logs"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run logs"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run logs"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run logs"' -l follow -s f
complete -c xxl-job-admin -n '__xxl_job_admin_path " run kill"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " run kill"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run kill"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run kill"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run kill"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run kill"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " run retry"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " run retry"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run retry"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run retry"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run retry"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " run retry"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " run retry"' -l wait
complete -c xxl-job-admin -n '__xxl_job_admin_path " run retry"' -l follow
complete -c xxl-job-admin -n '__xxl_job_admin_path " run retry"' -l wait-timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor"' -f -a "list get address probe create delete token deleted restore history"
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor list"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor list"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor list"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor list"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor list"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor list"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor list"' -l sort -r -f -a "need -need name -name addresses -addresses beat -beat open -open inflight -inflight queued -queued"
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor list"' -l unknown
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor list"' -l refused
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor get"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor get"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor get"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor get"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor get"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor get"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor address"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor address"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor address"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor address"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor address"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor address"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor probe"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor probe"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor probe"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor probe"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor probe"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor probe"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor probe"' -l address -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor create"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor create"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor create"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor create"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor create"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor create"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor create"' -l title -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor create"' -l address -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor delete"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor delete"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor delete"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor delete"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor delete"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor delete"' -l yes -s y
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor token"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor token"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor token"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor token"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor token"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor token"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor token"' -l yes -s y
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor token"' -l overlap -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor deleted"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor deleted"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor deleted"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor deleted"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor deleted"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor deleted"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor deleted"' -l sort -r -f -a "at -at name -name"
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor restore"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor restore"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor restore"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor restore"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor restore"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor history"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor history"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor history"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor history"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor history"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor history"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " executor history"' -l limit -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " key"' -f -a "list create revoke"
complete -c xxl-job-admin -n '__xxl_job_admin_path " key"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " key"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " key list"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " key list"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " key list"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " key list"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " key list"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " key list"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " key list"' -l sort -r -f -a "id -id name -name last_used_at -last_used_at expires_at -expires_at"
complete -c xxl-job-admin -n '__xxl_job_admin_path " key create"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " key create"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " key create"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " key create"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " key create"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " key create"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " key create"' -l verb -r -f -a "read run edit code admin"
complete -c xxl-job-admin -n '__xxl_job_admin_path " key create"' -l group -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " key create"' -l login -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " key create"' -l expires -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " key revoke"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " key revoke"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " key revoke"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " key revoke"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " key revoke"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " key revoke"' -l yes -s y
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm"' -f -a "list ack unack rules rule mutes mute unmute channels test"
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm list"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm list"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm list"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm list"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm list"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm list"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm list"' -l job -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm list"' -l group -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm list"' -l ended
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm list"' -l what -r -f -a "failed late long nobody"
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm list"' -l acked -r -f -a "yes no"
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm list"' -l since -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm list"' -l until -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm list"' -l sort -r -f -a "first_at -first_at last_at -last_at count -count recovered_at -recovered_at"
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm list"' -l limit -s n -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm ack"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm ack"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm ack"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm ack"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm ack"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm unack"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm unack"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm unack"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm unack"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm unack"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rules"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rules"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rules"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rules"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rules"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rules"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule"' -f -a "set delete"
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule set"' -f -a "late long nobody"
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule set"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule set"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule set"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule set"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule set"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule set"' -l job -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule set"' -l group -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule delete"' -f -a "late long nobody"
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule delete"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule delete"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule delete"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule delete"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule delete"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule delete"' -l job -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm rule delete"' -l group -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm mutes"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm mutes"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm mutes"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm mutes"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm mutes"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm mutes"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm mute"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm mute"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm mute"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm mute"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm mute"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm mute"' -l job -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm mute"' -l group -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm mute"' -l reason -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm unmute"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm unmute"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm unmute"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm unmute"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm unmute"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm unmute"' -l job -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm unmute"' -l group -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm channels"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm channels"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm channels"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm channels"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm channels"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm channels"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm test"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm test"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm test"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm test"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " alarm test"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " session"' -f -a "list end"
complete -c xxl-job-admin -n '__xxl_job_admin_path " session"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " session"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " session list"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " session list"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " session list"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " session list"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " session list"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " session list"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " session list"' -l user -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " session list"' -l sort -r -f -a "seen_at -seen_at created_at -created_at expires_at -expires_at username -username"
complete -c xxl-job-admin -n '__xxl_job_admin_path " session list"' -l limit -s n -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " session end"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " session end"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " session end"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " session end"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " session end"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " session end"' -l user -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention"' -f -a "get preview set reset clean"
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention get"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention get"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention get"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention get"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention get"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention get"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention preview"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention preview"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention preview"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention preview"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention preview"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention preview"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention preview"' -l run-days -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention preview"' -l keep-per-job -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention preview"' -l audit-days -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention preview"' -l alarm-days -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention preview"' -l reset
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention set"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention set"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention set"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention set"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention set"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention set"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention set"' -l run-days -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention set"' -l keep-per-job -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention set"' -l audit-days -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention set"' -l alarm-days -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention set"' -l yes -s y
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention reset"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention reset"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention reset"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention reset"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention reset"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention reset"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention reset"' -l yes -s y
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention clean"' -f -a "older_than_1_month older_than_3_months older_than_6_months older_than_1_year all_but_1000 all_but_10000 all_but_30000 all_but_100000 all"
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention clean"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention clean"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention clean"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention clean"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention clean"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention clean"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention clean"' -l yes -s y
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention clean"' -l job -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention clean"' -l group -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " retention clean"' -l dry-run
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit"' -f -a "list export"
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit list"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit list"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit list"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit list"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit list"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit list"' -l output -s o -r -f -a "table json yaml"
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit list"' -l user -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit list"' -l action -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit list"' -l object -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit list"' -l text -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit list"' -l since -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit list"' -l until -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit list"' -l sort -r -f -a "-at at"
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit list"' -l limit -s n -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit export"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit export"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit export"' -l server -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit export"' -l key -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit export"' -l timeout -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit export"' -l user -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit export"' -l action -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit export"' -l object -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit export"' -l text -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit export"' -l since -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit export"' -l until -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " audit export"' -l format -r -f -a "ndjson csv"
complete -c xxl-job-admin -n '__xxl_job_admin_path " completion"' -f -a "bash zsh fish"
complete -c xxl-job-admin -n '__xxl_job_admin_path " completion"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " completion"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " cron"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " cron"' -l config -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " cron"' -l count -s n -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " cron"' -l zone -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " cron"' -l after -r
complete -c xxl-job-admin -n '__xxl_job_admin_path " version"' -l help -s h
complete -c xxl-job-admin -n '__xxl_job_admin_path " version"' -l config -r
