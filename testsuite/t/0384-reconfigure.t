#!/bin/bash
# actl reconfigure: the dry run reports the changes, and a reconfiguration never ends a running job.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs jq

test_under_armada 2 --cpus 4 --memory 8G
conf=$cluster/armada.conf
cp "$conf" plain.conf

# settings TEXT: the armada.conf of devcluster with TEXT appended
settings()
{
	cp plain.conf "$conf"
	printf '%s\n' "$1" >>"$conf"
}

# change WHAT KEY COLUMN: prints a column of the last dry run
change()
{
	jq -r --arg w "$1" --arg k "$2" --arg c "$3" \
		'.changes[] | select(.what == $w and .key == $k) | .[$c]' <<<"$out" 2>&1
}
dry_run()
{
	run actl reconfigure --dry-run --json
}

run actl reconfigure --dry-run
is "$status" 0 'a dry run without changes succeeds'
is "$out" 'nothing would change' 'a dry run without changes reports none'
run actl reconfigure
like "$out" 'no changes' 'a reconfigure without changes reports none'

queues='{ name = "long"; priority_factor = 2.0; default_time = "1h"; }, { name = "gone"; }'
settings "queues = ( $queues );"
dry_run
is "$status" 0 'a dry run with two new queues succeeds'
like "$(change 'queue long' '' after)" 'priority_factor = 2; default_time = "1h"' 'the new values are reported'
is "$(change 'queue long' '' before)" '' 'there are no old values'
is "$(actl queue list --noheader)" '' 'the dry run has not created the queues'
run actl reconfigure
like "$out" '2 changes: queue long; queue gone' 'the reconfigure reports its changes'
like "$(actl queue list --noheader --format name,declared long)" 'long +yes' 'the queue is declared'

# jobs in every queue and class that changes below
classes='{ name = "armada-default"; }, { name = "odd"; priority = 2000; }'
settings "queues = ( $queues ); priority_classes = ( $classes );"
ok 'a reconfigure adds a class' actl reconfigure
hold="touch $work/ran.\$ARMADA_JOB_ID; until [ -e $work/over ]; do sleep 0.1; done"
a=$(asubmit --parsable --queue long --output=/dev/null --wrap "$hold")
b=$(asubmit --parsable --queue gone --priority-class odd --output=/dev/null --wrap "$hold")
c=$(asubmit --parsable --queue gone --output=/dev/null --nodelist n2 --wrap "$hold")
d=$(asubmit --parsable --queue gone --hold --output=/dev/null --wrap true)
is "$?" 0 'jobs are submitted'
ok 'three of the jobs run' wait_until 20 test -e "ran.$a" -a -e "ran.$b" -a -e "ran.$c"

is "$(actl queue cordon gone)" 'queue gone updated' 'actl cordons a declared queue'
run actl reconfigure --dry-run
is "$out" 'nothing would change' 'the file does not set cordoned, so a reconfigure keeps it'
ok 'actl uncordons the queue' actl queue uncordon gone
ok 'actl changes a declared queue' actl queue update long --factor 7
like "$(actl queue update long --owners root --uncordon)" 'the next reconfiguration sets the values of armada.conf again' \
	'actl says how long the change lasts'
run actl queue delete gone
is "$status" 1 'a declared queue cannot be deleted with actl'
like "$err" "queue 'gone' is declared in armada.conf" 'the error says that it is declared'
settings 'queues = ( { name = "long"; priority_factor = 3.0; cordoned = true; limits = { cpu = 0.0; };
	max_running = 0; } );
agents = { heartbeat = "1s"; node_timeout = "10s"; reconnect_max = "500ms"; auto_register = false; };
nodes = ( { name = "n1"; cpus = 1; } );
security = { min_uid = 1000; allow_root_jobs = true; };
admins = [ "root", "daemon" ];
scheduler = { rate = 5.0; burst = 10; };'
sed -i '0,/^agents.*/{/^agents.*/d}; 0,/^security.*/{/^security.*/d}; 0,/^admins.*/{/^admins.*/d}' "$conf"
dry_run
is "$status" 0 'a dry run of all changes succeeds'
is "$(change 'queue long' priority_factor before)" 7 'before is the current value'
is "$(change 'queue long' priority_factor after)" 3 'after is the value of the file'
is "$(change 'queue long' owners before)" '["root"]' 'a value set with actl that the file does not set is reported'
is "$(change 'queue long' owners after)" '' 'it would be cleared'
is "$(change 'queue long' max_running after)" 0 'a limit of 0 is reported as a value'
is "$(change 'queue long' max_running before)" '' 'a limit that was not set has no old value'
is "$(change 'queue long' cordoned note)" '1 job runs in it: running jobs continue' 'the note counts the running jobs of the queue'
is "$(change 'queue gone' declared after)" false 'a removed queue is no longer declared'
like "$(change 'queue gone' declared note)" 'the queue is kept, 2 jobs run and 1 waits; actl queue delete' \
	'the note says that the queue is kept'
is "$(change scheduler.rate '' after)" 5 'a changed option is reported by its name'
is "$(change agents.auto_register '' after)" false 'a new option is reported'
is "$(change admins '' after)" '["root", "daemon"]' 'a top-level option is reported'
like "$(change 'node n1' '' after)" 'cpus = "1"' 'a new node is reported'
like "$(change 'priority class odd' '' note)" '1 job runs in it: they keep the class' 'the note counts the jobs of a removed class'
run actl reconfigure --dry-run
like "$out" 'WHAT +KEY +BEFORE +AFTER +NOTE' 'the dry run prints a listing'
like "$(actl reconfigure --dry-run --noheader --format what,after)" 'queue long +3' '--format selects columns'
is "$(actl queue list --noheader --format factor long | tr -d ' ')" 7 'the dry run has changed nothing'

ok 'the reconfigure succeeds' actl reconfigure
is "$(actl queue list --noheader --format factor,state,declared long | tr -s ' ' | sed 's/^ //')" \
	'3 cordoned yes' 'the values of the file hold'
like "$(actl queue list --noheader --format name,declared gone)" 'gone +no' 'a queue that the file does not name is kept'
like "$(anode --noheader --format state,reason n2)" 'no longer among the nodes of armada.conf' \
	'a node that is not declared is drained'
run actl reconfigure --dry-run
is "$out" 'nothing would change' 'a second dry run reports no changes'

# a restart of the controller and new registrations end no job either
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
connected()
{
	[ "$(grep -c 'node n[12]: registered' "$cluster/log/armctld.log")" -ge 4 ]
}
ok 'both nodes register after a restart' wait_until 20 connected
is "$(aqueue --noheader --format state "$a" "$b" "$c" | sort | uniq -c | tr -s ' ')" ' 3 RUNNING' \
	'all jobs still run'
like "$(aqueue --noheader --format class "$b")" 'odd' 'a job of a removed class keeps its class'
run asubmit --priority-class odd --wrap true
is "$status" 3 'a removed class accepts no new jobs'
run actl queue delete gone
is "$status" 1 'a queue with jobs cannot be deleted'
like "$err" "queue 'gone' holds 3 jobs: 2 running, 1 waiting" 'the error counts the jobs'

# a change that needs a restart is refused and reported with the others
cp "$conf" now.conf
sed -i 's|^state_dir.*|state_dir = "/elsewhere";|; s/rate = 5.0/rate = 6.0/' "$conf"
dry_run
is "$status" 1 'a dry run with a change that needs a restart fails'
is "$(change state_dir '' note)" 'needs a restart of armctld' 'the note says so'
is "$(change state_dir '' refused)" true 'the JSON marks it as refused'
is "$(change scheduler.rate '' refused)" false 'the other changes are not marked as refused'
like "$err" 'would be refused: needs a restart of armctld: state_dir' 'the error names the key'
run actl reconfigure
is "$status" 1 'the reconfigure is refused'
sed -e 's|socket = |timeout = "5s"; socket = |' now.conf >"$conf"
printf 'nonsense = 1;\n' >>"$conf"
run actl reconfigure --dry-run
is "$status" 1 'an invalid armada.conf is refused'
like "$err" 'line [0-9]+: nonsense: unknown key' 'the error names file, line and key'
cp now.conf "$conf"
sed -i 's/max_running = 0;/owners = [ "no-such-user" ];/' "$conf"
run actl reconfigure --dry-run
is "$status" 1 'an unknown user is refused'
like "$err" 'armada.conf: line [0-9]+: .*no-such-user' 'the error names the line of the file'
cp now.conf "$conf"
run actl reconfigure --json
is "$status" 2 '--json without --dry-run is refused'

touch over
actl release "$d" >/dev/null
ok 'all jobs end' wait_until 30 job_ended "$a" "$b" "$c" "$d"
is "$(aqueue --noheader --format state "$a" "$b" "$c" "$d" | sort | uniq -c | tr -s ' ')" ' 4 COMPLETED' \
	'all jobs are completed'
ok 'the queue is deleted when it has no jobs' actl queue delete gone
done_testing
