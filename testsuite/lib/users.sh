# Users made for one test, seen by it and by nobody else. Source it before armada.sh, in bash, at the top:
#
#	. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/users.sh"
#	users_needed "$@"
#	. "$ARMADA_SRCDIR/testsuite/lib/armada.sh"
#	users_make FILE...
#
# The test goes on in a mount namespace of its own, in which files of its own take the place of
# /etc/passwd, group, shadow and nsswitch.conf; the machine's stay as they are. Daemons that it starts
# there see the same users, and another namespace can be made for one of them (users_elsewhere).
# Where that cannot be, the test is skipped, and says why.
ARMADA_SRCDIR=${ARMADA_SRCDIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}

users_files='passwd group shadow nsswitch.conf'

# users_needed [ARG...]: begin again in a mount namespace.
users_needed()
{
	[ -z "${ARMADA_USERS_NS:-}" ] || return 0
	if [ "$(id -u)" != 0 ]; then
		echo '1..0 # SKIP only root has users'
		exit 0
	fi
	if ! unshare --mount --propagation private mount --bind /etc/passwd /etc/passwd 2>/dev/null; then
		echo '1..0 # SKIP mount namespaces are not allowed here'
		exit 0
	fi
	ARMADA_USERS_NS=1 exec unshare --mount --propagation private bash "$0" "$@"
}

# users_write DIR PASSWD-LINES GROUP-LINES
users_write()
{
	local name

	mkdir -p "$1"
	{
		cat /etc/passwd
		printf '%s\n' "$2"
	} >"$1/passwd"
	{
		cat /etc/group
		printf '%s\n' "$3"
	} >"$1/group"
	sed 's/^\([^:]*\):.*/\1:*:19000:0:99999:7:::/' "$1/passwd" >"$1/shadow"
	printf '%s: files\n' passwd group shadow hosts >"$1/nsswitch.conf"
	for name in $users_files; do
		chmod 644 "$1/$name"
	done
	chmod 640 "$1/shadow"
}

# users_enter DIR: these are the users from now on.
users_enter()
{
	local name

	for name in $users_files; do
		[ ! -e "/etc/$name" ] || mount --bind "$1/$name" "/etc/$name" || return 1
	done

}

# users_elsewhere DIR FILE: makes FILE a command that runs another among the users of DIR.
users_elsewhere()
{
	cat >"$2" <<-X
		#!/bin/bash
		[ -n "\${ARMADA_USERS_ELSEWHERE:-}" ] ||
			ARMADA_USERS_ELSEWHERE=1 exec unshare --mount --propagation private "$2" "\$@"
		unset ARMADA_USERS_ELSEWHERE
		for name in $users_files; do
			[ ! -e "/etc/\$name" ] || mount --bind "$1/\$name" "/etc/\$name" || exit 1
		done
		exec "\$@"
	X
	chmod 755 "$2"
}

# as USER COMMAND...: with the identity that a login would give. -g GID before it: as newgrp does.
as()
{
	local gid=

	[ "$1" != -g ] || { gid=$2 && shift 2; }
	setpriv --reuid "$1" --regid "${gid:-$(id -g "$1")}" --init-groups "${@:2}"
}
