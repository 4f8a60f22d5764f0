#!/bin/bash
# The file system of the state is full: submissions are refused, jobs end and are recorded, and jobs are
# listed, held and cancelled; also after a restart. With space again, everything goes on. The state is on a
# small tmpfs in a mount namespace of this test.
self=$(readlink -f "$0")
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"

if [ -z "${ARMADA_TEST_NAMESPACE:-}" ]; then
	# In a user namespace munged refuses the directories of users that are not mapped.
	[ "$(id -u)" = 0 ] || skip_all 'mounts a tmpfs: needs root'
	unshare -m true 2>/dev/null || skip_all 'mount namespaces are not permitted here'
	trap - EXIT
	cd / && rm -rf "$work"
	ARMADA_TEST_NAMESPACE=1 exec unshare -m "$self"
fi

state=$work/cluster/state
log=$work/cluster/log/armctld.log
mkdir -p -m 700 "$state"
mount -t tmpfs -o size=24M,mode=0700 none "$state" 2>/dev/null ||
	skip_all 'a tmpfs cannot be mounted here'

cat >conf <<-END
	plugins = {
		state = { name = "sqlite"; reserve = "4M"; wal_limit = "1M"; };
	};
END
test_under_armada 1 --cpus 4 --conf "$work/conf"
at_exit="umount $state"

until_file()
{
	asubmit --parsable --wrap "until [ -e $work/$1 ]; do sleep 0.1; done; exit 3"
}
fill()
{
	dd if=/dev/zero of="$state/ballast" bs=4k oflag=append conv=notrunc 2>/dev/null
}
says() { grep -q -- "$1" "$log"; }
problem() { actl ping | grep -q '^Problem:.*is full'; }
no_problem() { ! actl ping | grep -q '^Problem:'; }
is_running() { [ "$(aqueue --noheader --format state "$1")" = RUNNING ]; }

running=$(until_file end1)
other=$(until_file end2)
held=$(asubmit --parsable --hold --wrap true)
wanted=$(asubmit --parsable --hold --wrap true)
wait_until 20 is_running "$running" && wait_until 20 is_running "$other"
result $? 'two jobs run'
[ "$(stat -c %s "$state/reserve")" = 4194304 ]
result $? 'the reserve is on the disk'

fill
wait_until 10 problem
result $? 'actl ping says that the disk is full'
wait_until 10 says 'is full: .* until then submissions and updates of jobs are refused'
result $? 'the log says so'
run asubmit --retry-for 0 --wrap true
is "$status" 75 'a submission is refused with 75'
like "$err$out" 'file system of .* is full: .* are free, and jobs are accepted again when' \
	'the sentence says what is full and what to do'
run actl update "$held" --comment x
is "$status" 75 'an update is refused'

touch end1
wait_until 20 job_ended "$running"
result $? 'a running job ends'
run aqueue --noheader --state all --format state,exit "$running"
like "$out" 'FAILED *3' 'its end is recorded, with its exit code'
run acancel "$wanted"
is "$status" 0 'a waiting job is cancelled'
run aqueue --noheader --format id
like "$out" "$held" 'jobs are listed'

run actl hold "$held"
is "$status" 0 'a job can be held'
fill

"$devcluster" kill "$cluster" armctld
fill
run "$devcluster" restart "$cluster" armctld
is "$status" 0 'armctld starts on the full disk'
diag "$out$err"
wait_until 20 is_running "$other"
result $? 'the other job still runs'
run asubmit --retry-for 0 --wrap true
is "$status" 75 'submissions are still refused'
touch end2
wait_until 20 job_ended "$other"
result $? 'the other job ends'
run acancel "$held"
is "$status" 0 'the held job is cancelled'

rm "$state/ballast"
wait_until 10 no_problem
result $? 'with space again the problem is gone'
says 'has space again'
result $? 'the log says so'
run asubmit --wait --wrap 'exit 4'
is "$status" 4 'jobs are accepted and run'
[ "$(stat -c %s "$state/reserve")" = 4194304 ]
result $? 'the reserve is whole again'
run aqueue --noheader --state all --format id,state,exit "$running" "$other" "$held" "$wanted"
is "$(echo "$out" | grep -c FAILED)$(echo "$out" | grep -c CANCELLED)" 22 'nothing acknowledged is lost'
done_testing
