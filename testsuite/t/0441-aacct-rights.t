#!/bin/bash
# Accounting and rights: in a private cluster people see and add up only what they may see; history.db for a group;
# and a node that fails.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"

[ "$(id -u)" = 0 ] || skip_all 'only root can become several users'
for user in games mail backup; do
	id -u "$user" >/dev/null 2>&1 || skip_all "there is no user $user here"
done
needs sqlite3

conf()
{
	cat <<END
security = { min_uid = 0; allow_root_jobs = true; };
private = $1;
agents = { heartbeat = "200ms"; node_timeout = "1s"; };
queues = ( { name = "q"; permissions = [ "all=submit", "user:backup=watch" ]; }, { name = "free"; } );
END
}
conf true >site.conf
test_under_armada 2 --cpus 2 --conf "$work/site.conf"
mkdir bin
for program in asubmit aacct; do
	install -m 755 "$(command -v "$program")" bin/
done
as()
{
	local user=$1 program=$2

	shift 2
	(cd / && exec setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups "$program" "$@")
}
submits()
{
	local user=$1

	shift
	as "$user" "$work/bin/asubmit" --parsable --output /dev/null "$@"
}
sees()
{
	as "$1" "$work/bin/aacct" -n -P -o JobID "${@:2}" | paste -sd' '
}
adds()
{
	as "$1" "$work/bin/aacct" --usage -n -P -o user,attempts "${@:2}" | sort | paste -sd' '
}
all_ended()
{
	[ "$(aqueue -h | wc -l)" = 0 ]
}

a=$(submits games -q q --wrap true)
b=$(submits mail -q q --wrap true)
c=$(submits mail -q free --wrap true)
ok 'the jobs end' wait_until 30 all_ended
is "$(sees games -a)" "$a" 'games sees one job'
is "$(sees mail -a)" "$b $c" 'mail sees two'
is "$(sees backup -a)" "$a $b" 'backup may watch a queue'
is "$(aacct -a -n -P -o JobID | paste -sd' ')" "$a $b $c" 'root sees all'
is "$(adds games)" 'games|1' 'games adds up one'
is "$(adds mail)" 'mail|2' 'mail adds up two'
is "$(adds backup)" 'games|1 mail|1' 'backup adds up those of the queue'
is "$(aacct --usage -n -P -o user,attempts | sort | paste -sd' ')" 'games|1 mail|2' 'root adds up all'
is "$(adds games -u mail)" '' 'the sums of another user are empty'
is "$(as games "$work/bin/aacct" "$b" 2>&1 >/dev/null)" "aacct: error: there is no job $b" 'a job of another does not exist'
is "$(sees backup)" '' 'without -a, one sees own jobs'

# the node of a job fails: its time counts as lost
lost=$(asubmit --parsable -N 1 --nodelist n1 -c 1 --wrap 'exec sleep 1000')
runs()
{
	[ "$(aqueue -h --format state,attempt "$lost" | sed 's/  */ /g')" = "RUNNING $1" ]
}
ok 'a job runs on n1' wait_until 20 runs 1
"$devcluster" kill "$cluster" n1
ok 'an administrator confirms that the node is dead' wait_until 20 anode confirm-dead n1 --yes
acancel "$lost" >/dev/null
ok 'the job is cancelled' wait_until 20 all_ended
is "$(aacct -n -P -o attempt,state,lost,exit "$lost" | head -1)" '1|NODE_FAIL|node|-' 'its first attempt is lost'
like "$(aacct --usage -u root -n --csv -o cpu_hours,lost_node)" '^(0\.?[0-9e-]*),\1$' 'so is all of its time'

# history.db for a group
"$devcluster" kill "$cluster" armctld
chmod 755 "$cluster"
chgrp games "$cluster/state" "$cluster"/state/history.db*
chmod 0710 "$cluster/state"
"$devcluster" restart "$cluster" armctld
aacct "$a" >/dev/null
is "$(as games sqlite3 -readonly "$cluster/state/history.db" 'SELECT user FROM jobs ORDER BY user' 2>&1 | head -3 | paste -sd' ')" \
	'games mail mail' 'a member of the group reads the views while the controller runs'
d=$(submits games -q q --wrap true)
ok 'another job ends' wait_until 30 all_ended
aacct "$d" >/dev/null
is "$(as games sqlite3 -readonly "$cluster/state/history.db" "SELECT state FROM jobs WHERE job_id = $d" 2>&1)" 'COMPLETED' \
	'also what is in the WAL only'
like "$(as games sqlite3 "$cluster/state/history.db" 'DELETE FROM accounting' 2>&1)" 'readonly|read-only' 'and writes nothing'
like "$(as mail sqlite3 -readonly "$cluster/state/history.db" 'SELECT user FROM jobs' 2>&1)" 'unable to open' \
	'another user reads nothing'
done_testing
