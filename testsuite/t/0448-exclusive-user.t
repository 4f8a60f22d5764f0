#!/bin/bash
# asubmit --exclusive=user with two users: nodes are shared only with jobs of the same user, while such a job is there.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"

[ "$(id -u)" = 0 ] || skip_all 'only root can become several users'
for user in games mail; do
	id -u "$user" >/dev/null 2>&1 || skip_all "there is no user $user here"
done

cat >site.conf <<'END'
security = { min_uid = 0; allow_root_jobs = true; };
scheduler = { cycle_period = "50ms"; };
queues = ( { name = "q"; permissions = [ "all=submit" ]; } );
END
test_under_armada 2 --cpus 4 --memory 8G --conf "$work/site.conf"
mkdir bin
for program in asubmit aexplain aqueue; do
	install -m 755 "$(command -v "$program")" bin/
done
as()
{
	(cd / && exec setpriv --reuid "$1" --regid "$(id -g "$1")" --init-groups "$work/bin/$2" "${@:3}")
}
# job USER OPTION...: a job that runs until it is cancelled; its id goes to $id
job()
{
	id=$(as "$1" asubmit --parsable --output=/dev/null --memory 10M -q q "${@:2}" --wrap 'exec sleep 600')
}
column()
{
	aqueue --noheader --state all --format "$2" "$1" | tr -d ' '
}
runs_on()
{
	[ "$(column "$1" state)@$(column "$1" nodelist)" = "RUNNING@$2" ]
}
because()
{
	[[ $(column "$1" reason) == *"$2"* ]]
}
# ends ID...: cancels jobs and waits for their ends
ends()
{
	acancel --quiet "$@"
	for id in "$@"; do
		wait_until 20 job_ended "$id"
	done
}

job games -w n1
plain=$id
ok 'a job of games runs' wait_until 20 runs_on "$plain" n1
job mail --exclusive=user
keeps=$id
ok 'the job of mail gets the other node' wait_until 20 runs_on "$keeps" n2
like "$(actl show job "$keeps")" 'Exclusive +for its user' 'actl show job'
job mail -w n2
ok 'another job of mail joins it' wait_until 20 runs_on "$id" n2
own=$id
job games -w n2 --name barred
barred=$id
ok 'a job of games does not' wait_until 20 because "$barred" '1nodehasroom,butiskeptforthejobsofanotheruser'
is "$(column "$barred" why)" Resources 'its reason'
run as games aexplain "$barred"
like "$out" '1 +kept for the jobs of another user, or with tasks of other users' 'aexplain counts the node'
like "$out" "job $keeps of mail" 'and names the job there'
run aexplain "$barred"
like "$out" "job $keeps of mail" 'for an administrator, too'
job mail --exclusive=user -w n1
waits=$id
ok 'such a job does not join a job of games' wait_until 20 because "$waits" \
	'sharesnodesonlywithjobsofitsuser,and1nodehasroombesidetasksofotherusers'
like "$(aexplain "$waits")" 'without --exclusive=user' 'aexplain knows what would start it'

# a controller that restarts
"$devcluster" kill "$cluster" armctld
"$devcluster" restart "$cluster" armctld >/dev/null
job games -w n2
kept()
{
	aexplain "$id" | grep -q 'kept for the jobs of another user'
}
ok 'a restarted controller keeps the node' wait_until 20 kept
is "$(column "$barred" state)" PENDING 'the other job still waits'
run as games asubmit --test-only -q q -w n2 --memory 10M --wrap true
like "$err$out" 'until then it would wait: Resources: 1 node has room, but is kept' '--test-only says so'
ends "$id" "$plain"
ok 'the job of mail starts when the other user has gone' wait_until 20 runs_on "$waits" n1
ends "$keeps"
ok 'the job of games starts when the one that kept the node has ended' wait_until 20 runs_on "$barred" n2
is "$(column "$own" state)" RUNNING 'beside the other job of mail'

# words
run asubmit --exclusive=topo -q q --wrap true
is "$status" 2 'another word is refused'
like "$err" "'topo' is not possible; --exclusive without a value allows no other job on the nodes, and --exclusive=user" \
	'the message says which are possible'
done_testing
