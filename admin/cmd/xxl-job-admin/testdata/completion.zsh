#compdef xxl-job-admin
# zsh completion of xxl-job-admin: source <(xxl-job-admin completion zsh)
_xxl_job_admin() {
    local path_="" i
    for ((i = 2; i < CURRENT; i++)); do
        case "$path_ ${words[i]}" in
        " serve"|" demo"|" migrate"|" import"|" user"|" user list"|" user add"|" user passwd"|" user delete"|" job"|" job list"|" job get"|" job apply"|" job export"|" job start"|" job stop"|" job run"|" job delete"|" run"|" run list"|" run get"|" run logs"|" run kill"|" run retry"|" executor"|" executor list"|" executor probe"|" key"|" key list"|" key create"|" key revoke"|" completion"|" cron"|" version") path_="$path_ ${words[i]}" ;;
        esac
    done
    case "$path_" in
    "") compadd -- serve demo migrate import user job run executor key completion cron version --help --config ;;
    " serve") compadd -- --help --config --data-dir --db --time-zone --access-token --allow-insecure-token --admin-user --admin-password --language --dialect --shared-with-java --node --executor-timeout --insecure-executor-tls --shards --retry-delay --log-days --log-keep-per-job --session-life --api-rate --horizon --plan-every --trusted-proxies --trusted-origins --code-editing --jobs-from-code --alarms-to-loopback --alarms --log-format --log-level --listen --metrics-listen --metrics-token ;;
    " demo") compadd -- --help --config --listen --executors --duration --plain ;;
    " migrate") compadd -- --help --config --data-dir --db --time-zone --log-format --log-level --dry-run ;;
    " import") compadd -- --help --config --log-format --log-level --from --from-time-zone --to --data-dir --time-zone --logs --stopped --new-passwords --dry-run --json --shared-with-java ;;
    " user") compadd -- list add passwd delete --help --config ;;
    " user list") compadd -- --help --config --data-dir --db --time-zone --log-format --log-level --shared-with-java ;;
    " user add") compadd -- --help --config --data-dir --db --time-zone --log-format --log-level --shared-with-java --password-stdin --admin --groups ;;
    " user passwd") compadd -- --help --config --data-dir --db --time-zone --log-format --log-level --shared-with-java --password-stdin ;;
    " user delete") compadd -- --help --config --data-dir --db --time-zone --log-format --log-level --shared-with-java ;;
    " job") compadd -- list get apply export start stop run delete --help --config ;;
    " job list") compadd -- --help --config --server --key --timeout --output --group --state --name --handler --author --tag ;;
    " job get") compadd -- --help --config --server --key --timeout --output ;;
    " job apply") compadd -- --help --config --server --key --timeout --output --file --dry-run --yes --prune --group --tag ;;
    " job export") compadd -- --help --config --server --key --timeout --group --state --name --handler --author --tag --file ;;
    " job start") compadd -- --help --config --server --key --timeout ;;
    " job stop") compadd -- --help --config --server --key --timeout ;;
    " job run") compadd -- --help --config --server --key --timeout --output --wait --follow --wait-timeout --param --address ;;
    " job delete") compadd -- --help --config --server --key --timeout --yes ;;
    " run") compadd -- list get logs kill retry --help --config ;;
    " run list") compadd -- --help --config --server --key --timeout --output --job --group --status --text --since --limit ;;
    " run get") compadd -- --help --config --server --key --timeout --output ;;
    " run logs") compadd -- --help --config --server --key --timeout --follow ;;
    " run kill") compadd -- --help --config --server --key --timeout --output ;;
    " run retry") compadd -- --help --config --server --key --timeout --output --wait --follow --wait-timeout ;;
    " executor") compadd -- list probe --help --config ;;
    " executor list") compadd -- --help --config --server --key --timeout --output ;;
    " executor probe") compadd -- --help --config --server --key --timeout --output --address ;;
    " key") compadd -- list create revoke --help --config ;;
    " key list") compadd -- --help --config --server --key --timeout --output ;;
    " key create") compadd -- --help --config --server --key --timeout --output --verb --group --login --expires ;;
    " key revoke") compadd -- --help --config --server --key --timeout ;;
    " completion") compadd -- bash zsh fish --help --config ;;
    " cron") compadd -- --help --config --count --zone --after ;;
    " version") compadd -- --help --config ;;
    esac
    _files
}
compdef _xxl_job_admin xxl-job-admin
