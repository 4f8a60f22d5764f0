# The shell side of the Test Anything Protocol, and test clusters. To use it in bash:
#
#	. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
#	test_under_armada 2
#	run asubmit --parsable --wrap 'exit 3'
#	is "$status" 0 'a job is accepted'
#	wait_until 10 job_ended "$out" || diag 'it did not end'
#	done_testing
#
# needs and has check for commands that contrib/install-deps installs for tests only.
#
# $work is a scratch directory, which is also the working directory. It is removed at the end, after
# the cluster has stopped. Tests do not sleep for a fixed time: wait_until repeats a check until it holds.
set -u
umask 022

ARMADA_SRCDIR=${ARMADA_SRCDIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
if [ -z "${ARMADA_BUILDDIR:-}" ]; then
	ARMADA_BUILDDIR=$PWD
	[ -f config.h ] || ARMADA_BUILDDIR=$ARMADA_SRCDIR/build
fi
export ARMADA_SRCDIR ARMADA_BUILDDIR
devcluster=$ARMADA_SRCDIR/contrib/devcluster

tests=0
failures=0
cluster=
at_exit= # commands that clean up after the cluster has stopped

work=$(mktemp -d "${TMPDIR:-/tmp}/armada-t-XXXXXX") || exit 99
# munged and jobs of other users must be able to enter
chmod 755 "$work"
cd "$work" || exit 99

clean_up()
{
	local status=$?

	[ -z "$cluster" ] || "$devcluster" stop "$cluster" >/dev/null 2>&1
	eval "$at_exit"
	cd / && rm -rf "$work"
	exit $status
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

diag()
{
	printf '%s\n' "$*" | sed 's/^/# /'
}

# result STATUS DESCRIPTION
result()
{
	tests=$((tests + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tests - $2"
		return 0
	fi
	failures=$((failures + 1))
	echo "not ok $tests - $2"
	diag "failed at line ${BASH_LINENO[1]} of ${0##*/}"
	return 1
}

# ok DESCRIPTION COMMAND...: the command succeeds. Its output is shown if it does not.
ok()
{
	local description=$1 text rc

	shift
	text=$("$@" 2>&1)
	rc=$?
	result $rc "$description" && return
	diag "$* gave $rc"
	[ -z "$text" ] || diag "$text"
	return 1
}

# is GOT WANT DESCRIPTION
is()
{
	[ "$1" = "$2" ]
	result $? "$3" && return
	diag "got:      $1"
	diag "expected: $2"
	return 1
}

# like GOT REGEX DESCRIPTION: an extended regular expression that matches somewhere in the text.
like()
{
	[[ $1 =~ $2 ]]
	result $? "$3" && return
	diag "got:      $1"
	diag "expected: $2"
	return 1
}

# unlike GOT REGEX DESCRIPTION
unlike()
{
	! [[ $1 =~ $2 ]]
	result $? "$3" && return
	diag "got:          $1"
	diag "not expected: $2"
	return 1
}

# skip REASON: one skipped test, which is reported.
skip()
{
	tests=$((tests + 1))
	echo "ok $tests # SKIP $*"
}

# free_port: prints a port that nothing listens on. Those that the kernel gives to clients begin at 32768.
free_port()
{
	local port

	while port=$((20000 + RANDOM % 12000)); do
		grep -qi "^ *[0-9]*: [0-9A-F]*:$(printf %04X $port) " /proc/net/tcp || break
	done
	echo $port
}

# skip_all REASON: skips the whole file.
skip_all()
{
	echo "1..0 # SKIP $*"
	exit 0
}

# package_of COMMAND: prints the Debian package that contains it
package_of()
{
	case $1 in
	ctags) echo universal-ctags ;;
	ip) echo iproute2 ;;
	nm) echo binutils ;;
	mpicc.mpich | mpirun.mpich) echo mpich ;;
	mpicc.openmpi | mpirun.openmpi) echo openmpi-bin ;;
	munged) echo munge ;;
	pgrep | ps) echo procps ;;
	script) echo bsdutils ;;
	systemd-analyze) echo systemd ;;
	*) echo "$1" ;;
	esac
}

# has COMMAND...: true if all are installed; otherwise $missing names the missing command and its
# package.
has()
{
	local command

	for command; do
		PATH=$PATH:/usr/sbin:/sbin command -v "$command" >/dev/null && continue
		missing="$command is not installed: package $(package_of "$command") (contrib/install-deps --tests)"
		return 1
	done
}

# needs COMMAND...: skips the whole file if one is missing.
needs()
{
	has "$@" || skip_all "$missing"
}

bail()
{
	echo "Bail out! $*"
	exit 1
}

# run COMMAND...: its output goes to $out and $err, its exit code to $status.
run()
{
	out=$("$@" 2>"$work/.err")
	status=$?
	err=$(cat "$work/.err")
}

# wait_until SECONDS COMMAND...: succeeds as soon as the command does, fails after SECONDS. Most commands start
# processes, so the pauses grow from 20 ms to 250 ms. A pause itself starts none: it is a read from a pipe that
# stays empty.
wait_until()
{
	local end=$((${EPOCHREALTIME/./} + $1 * 1000000)) pause=20 seconds

	shift
	until "$@" >/dev/null 2>&1 9>&-; do
		[ "${EPOCHREALTIME/./}" -lt "$end" ] || return 1
		printf -v seconds '0.%03d' "$pause"
		read -rt "$seconds" <&9 || :
		pause=$((pause * 3 / 2 < 250 ? pause * 3 / 2 : 250))
	done 9<> <(:)
}

# until_exists FILE: prints a command for jobs that ends when the file exists. It is one process that starts no
# others, and it looks ten times a second.
until_exists()
{
	printf "bash -c 'until [ -e \"\$0\" ]; do read -rt 0.1 <&9 || :; done 9<> <(:)' %q" "$1"
}

# test_under_armada N [devcluster option...]: starts N nodes, waits until they are up, and puts the
# commands in PATH.
test_under_armada()
{
	local nodes=$1 log text

	shift
	needs munged
	cluster=$work/cluster
	if ! text=$("$devcluster" start "$cluster" --nodes "$nodes" "$@" 2>&1); then
		diag "$text"
		for log in "$cluster"/log/*; do
			diag "${log##*/}: $(tail -n 5 "$log")"
		done
		bail 'the cluster does not start'
	fi
	eval "$("$devcluster" env "$cluster")"
}

live_states=pending,configuring,running,completing,unknown

# job_ended ID...: none of them is pending or running.
job_ended()
{
	local text

	text=$(aqueue --noheader --format id --state "$live_states" "$@" 2>/dev/null) && [ -z "$text" ]
}

# Prints the plan and exits. The logs of the daemons are shown if a test failed.
done_testing()
{
	local log

	echo "1..$tests"
	if [ "$failures" -gt 0 ] && [ -n "$cluster" ]; then
		for log in "$cluster"/log/*.log; do
			diag "${log##*/}:"
			diag "$(tail -n 20 "$log")"
		done
	fi
	[ "$failures" -eq 0 ] && [ "$tests" -gt 0 ]
	exit
}
