#!/bin/sh
# Installs the database servers that the tests start themselves, and the browser
# that they look at the console with, from the system's own packages (Debian and
# its relatives). Servers that the packages
# would start as services stay off: the tests start their own.
#
#   admin/internal/dbtest/install.sh [mysql|postgres|chromium]…
set -eu

as_root() {
	if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

have_postgres() {
	command -v postgres >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1
}

[ "$#" -gt 0 ] || set -- mysql postgres
packages=
for kind in "$@"; do
	case $kind in
	mysql) command -v mariadbd >/dev/null 2>&1 || packages="$packages mariadb-server" ;;
	postgres) have_postgres || packages="$packages postgresql" ;;
	chromium)
		command -v chromium-headless-shell >/dev/null 2>&1 || command -v chromium >/dev/null 2>&1 ||
			packages="$packages chromium-headless-shell"
		fc-list :lang=zh 2>/dev/null | grep -q . || packages="$packages fonts-wqy-microhei"
		;;
	*)
		echo "install.sh: unknown: $kind; known are mysql, postgres and chromium" >&2
		exit 2
		;;
	esac
done
[ -n "$packages" ] || exit 0
command -v apt-get >/dev/null 2>&1 || {
	echo "install.sh: no apt-get here; install these yourself:$packages" >&2
	exit 1
}

# A policy of 101 keeps the packages from starting their services.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
	as_root sh -c "printf '#!/bin/sh\nexit 101\n' >$policy && chmod 755 $policy"
	trap 'as_root rm -f "$policy"' EXIT
fi
as_root apt-get update -q
# shellcheck disable=SC2086 # a list of words
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $packages
