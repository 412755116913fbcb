# bash completion of xxl-job-admin: source <(xxl-job-admin completion bash)
_xxl_job_admin() {
    local cur=${COMP_WORDS[COMP_CWORD]} path="" words="" i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$path ${COMP_WORDS[i]}" in
        " serve"|" demo"|" migrate"|" import"|" user"|" user list"|" user add"|" user passwd"|" user delete"|" job"|" job list"|" job get"|" job apply"|" job export"|" job start"|" job stop"|" job run"|" job delete"|" run"|" run list"|" run get"|" run logs"|" run kill"|" run retry"|" executor"|" executor list"|" executor probe"|" key"|" key list"|" key create"|" key revoke"|" completion"|" cron"|" version") path="$path ${COMP_WORDS[i]}" ;;
        esac
    done
    case "$path" in
    "") words="serve demo migrate import user job run executor key completion cron version --help --config" ;;
    " serve") words="--help --config --data-dir --db --time-zone --access-token --allow-insecure-token --admin-user --admin-password --language --dialect --shared-with-java --node --executor-timeout --insecure-executor-tls --shards --retry-delay --log-days --log-keep-per-job --session-life --api-rate --horizon --plan-every --trusted-proxies --trusted-origins --code-editing --jobs-from-code --alarms-to-loopback --alarms --log-format --log-level --listen --metrics-listen --metrics-token" ;;
    " demo") words="--help --config --listen --executors --duration --plain" ;;
    " migrate") words="--help --config --data-dir --db --time-zone --log-format --log-level --dry-run" ;;
    " import") words="--help --config --log-format --log-level --from --from-time-zone --to --data-dir --time-zone --logs --stopped --new-passwords --dry-run --json --shared-with-java" ;;
    " user") words="list add passwd delete --help --config" ;;
    " user list") words="--help --config --data-dir --db --time-zone --log-format --log-level --shared-with-java" ;;
    " user add") words="--help --config --data-dir --db --time-zone --log-format --log-level --shared-with-java --password-stdin --admin --groups" ;;
    " user passwd") words="--help --config --data-dir --db --time-zone --log-format --log-level --shared-with-java --password-stdin" ;;
    " user delete") words="--help --config --data-dir --db --time-zone --log-format --log-level --shared-with-java" ;;
    " job") words="list get apply export start stop run delete --help --config" ;;
    " job list") words="--help --config --server --key --timeout --output --group --state --name --handler --author --tag" ;;
    " job get") words="--help --config --server --key --timeout --output" ;;
    " job apply") words="--help --config --server --key --timeout --output --file --dry-run --yes --prune --group --tag" ;;
    " job export") words="--help --config --server --key --timeout --group --state --name --handler --author --tag --file" ;;
    " job start") words="--help --config --server --key --timeout" ;;
    " job stop") words="--help --config --server --key --timeout" ;;
    " job run") words="--help --config --server --key --timeout --output --wait --follow --wait-timeout --param --address" ;;
    " job delete") words="--help --config --server --key --timeout --yes" ;;
    " run") words="list get logs kill retry --help --config" ;;
    " run list") words="--help --config --server --key --timeout --output --job --group --status --text --since --limit" ;;
    " run get") words="--help --config --server --key --timeout --output" ;;
    " run logs") words="--help --config --server --key --timeout --follow" ;;
    " run kill") words="--help --config --server --key --timeout --output" ;;
    " run retry") words="--help --config --server --key --timeout --output --wait --follow --wait-timeout" ;;
    " executor") words="list probe --help --config" ;;
    " executor list") words="--help --config --server --key --timeout --output" ;;
    " executor probe") words="--help --config --server --key --timeout --output --address" ;;
    " key") words="list create revoke --help --config" ;;
    " key list") words="--help --config --server --key --timeout --output" ;;
    " key create") words="--help --config --server --key --timeout --output --verb --group --login --expires" ;;
    " key revoke") words="--help --config --server --key --timeout" ;;
    " completion") words="bash zsh fish --help --config" ;;
    " cron") words="--help --config --count --zone --after" ;;
    " version") words="--help --config" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -o default -F _xxl_job_admin xxl-job-admin
