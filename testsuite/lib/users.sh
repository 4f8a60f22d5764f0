# Users made for one test, visible only to that test. Source it before armada.sh, in bash, at the top:
#
#	. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/users.sh"
#	users_needed "$@"
#	. "$ARMADA_SRCDIR/testsuite/lib/armada.sh"
#	users_write DIR PASSWD-LINES GROUP-LINES
#	users_enter DIR
#
# The test continues in a mount namespace of its own, in which a copy of /etc with the test's passwd,
# group, shadow and nsswitch.conf covers /etc; the machine's /etc is not changed. The mount covers the
# folder, not the files: a covered file becomes visible again, in all namespaces, as soon as a program
# outside (sysusers, adduser) replaces it. Daemons that the test starts see the same users, and
# users_elsewhere makes another namespace for one of them. Where mount namespaces are not allowed,
# the test is skipped with the reason.
ARMADA_SRCDIR=${ARMADA_SRCDIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}

# users_needed [ARG...]: restarts the test in a mount namespace.
users_needed()
{
	[ -z "${ARMADA_USERS_NS:-}" ] || return 0
	if [ "$(id -u)" != 0 ]; then
		echo '1..0 # SKIP only root can run jobs of other users'
		exit 0
	fi
	if ! unshare --mount --propagation private mount --bind /etc /etc 2>/dev/null; then
		echo '1..0 # SKIP mount namespaces are not allowed here'
		exit 0
	fi
	ARMADA_USERS_NS=1 exec unshare --mount --propagation private bash "$0" "$@"
}

# users_write DIR PASSWD-LINES GROUP-LINES: makes DIR a copy of /etc with these users and groups
# added.
users_write()
{
	local name

	mkdir -p "$1"
	# other programs may add and remove files meanwhile
	cp -a /etc/. "$1" 2>/dev/null
	printf '%s\n' "$2" >>"$1/passwd"
	printf '%s\n' "$3" >>"$1/group"
	sed 's/^\([^:]*\):.*/\1:*:19000:0:99999:7:::/' "$1/passwd" >"$1/shadow"
	rm -f "$1/nsswitch.conf"
	printf '%s: files\n' passwd group shadow hosts >"$1/nsswitch.conf"
	chmod 644 "$1"/{passwd,group,nsswitch.conf}
	chmod 640 "$1/shadow"
}

# users_enter DIR: uses these users from now on.
users_enter()
{
	mount --bind "$1" /etc
}

# users_elsewhere DIR FILE: makes FILE a command that runs another one with the users of DIR.
users_elsewhere()
{
	cat >"$2" <<-X
		#!/bin/sh
		exec unshare --mount --propagation private sh -c 'mount --bind "\$0" /etc && exec "\$@"' "$1" "\$@"
	X
	chmod 755 "$2"
}

# as USER COMMAND...: runs it with the identity that a login gives. -g GID before USER: as newgrp
# does.
as()
{
	local gid=

	[ "$1" != -g ] || { gid=$2 && shift 2; }
	setpriv --reuid "$1" --regid "${gid:-$(id -g "$1")}" --init-groups "${@:2}"
}
