#!/bin/bash
# actl reconfigure: what it would change is said first, and no running job is ever ended by it.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs jq

test_under_armada 2 --cpus 4 --memory 8G
conf=$cluster/armada.conf
cp "$conf" plain.conf

# settings TEXT: armada.conf as devcluster made it, with these
settings()
{
	cp plain.conf "$conf"
	printf '%s\n' "$1" >>"$conf"
}

# change WHAT KEY COLUMN: of the last dry run
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
is "$status" 0 'nothing was changed'
is "$out" 'nothing would change' 'and so nothing would'
run actl reconfigure
like "$out" 'nothing changes' 'nor does it'

queues='{ name = "long"; priority_factor = 2.0; default_time = "1h"; }, { name = "gone"; }'
settings "queues = ( $queues );"
dry_run
is "$status" 0 'two queues are new'
like "$(change 'queue long' '' after)" 'priority_factor = 2; default_time = "1h"' 'with what they have'
is "$(change 'queue long' '' before)" '' 'and were not there'
is "$(actl queue list --noheader)" '' 'nor are they: it was a dry run'
run actl reconfigure
like "$out" '2 changes: queue long; queue gone' 'a real one says what it changed'
like "$(actl queue list --noheader --format name,declared long)" 'long +yes' 'the queue is declared'

# jobs in everything that is about to change
classes='{ name = "armada-default"; }, { name = "odd"; priority = 2000; }'
settings "queues = ( $queues ); priority_classes = ( $classes );"
ok 'another class' actl reconfigure
hold="touch $work/ran.\$ARMADA_JOB_ID; until [ -e $work/over ]; do sleep 0.1; done"
a=$(asubmit --parsable --queue long --output=/dev/null --wrap "$hold")
b=$(asubmit --parsable --queue gone --priority-class odd --output=/dev/null --wrap "$hold")
c=$(asubmit --parsable --queue gone --output=/dev/null --nodelist n2 --wrap "$hold")
d=$(asubmit --parsable --queue gone --hold --output=/dev/null --wrap true)
is "$?" 0 'jobs are submitted'
ok 'three of them run' wait_until 20 test -e "ran.$a" -a -e "ran.$b" -a -e "ran.$c"

is "$(actl queue cordon gone)" 'queue gone updated' 'a queue is cordoned by hand, without an end'
run actl reconfigure --dry-run
is "$out" 'nothing would change' 'which stays, for the file says nothing of it'
ok 'and uncordoned' actl queue uncordon gone
ok 'a queue is changed by hand' actl queue update long --factor 7
like "$(actl queue update long --owners root --uncordon)" 'until armada.conf, which declares it, is read again' \
	'which says how long that holds'
run actl queue delete gone
is "$status" 1 'what is declared is not deleted by hand'
like "$err" "queue 'gone' is declared in armada.conf" 'in words'
settings 'queues = ( { name = "long"; priority_factor = 3.0; cordoned = true; limits = { cpu = 0.0; };
	max_running = 0; } );
agents = { heartbeat = "1s"; node_timeout = "10s"; reconnect_max = "500ms"; auto_register = false; };
nodes = ( { name = "n1"; cpus = 1; } );
security = { min_uid = 1000; allow_root_jobs = true; };
admins = [ "root", "daemon" ];
scheduler = { rate = 5.0; burst = 10; };'
sed -i '0,/^agents.*/{/^agents.*/d}; 0,/^security.*/{/^security.*/d}; 0,/^admins.*/{/^admins.*/d}' "$conf"
dry_run
is "$status" 0 'it would be taken'
is "$(change 'queue long' priority_factor before)" 7 'before is what holds now'
is "$(change 'queue long' priority_factor after)" 3 'after is what the file says'
is "$(change 'queue long' owners before)" '["root"]' 'what the file does not say was set by hand'
is "$(change 'queue long' owners after)" '' 'and goes'
is "$(change 'queue long' max_running after)" 0 'a limit of 0 is one'
is "$(change 'queue long' max_running before)" '' 'which was not there'
is "$(change 'queue long' cordoned note)" '1 job runs in it: what runs goes on' 'with the jobs it is about'
is "$(change 'queue gone' declared after)" false 'a queue is declared no more'
like "$(change 'queue gone' declared note)" 'it stays as it is, 2 jobs run and 1 waits; actl queue delete' \
	'but stays'
is "$(change scheduler.rate '' after)" 5 'an option, in the words of the file'
is "$(change agents.auto_register '' after)" false 'another'
is "$(change admins '' after)" '["root", "daemon"]' 'one of the top level'
like "$(change 'node n1' '' after)" 'cpus = "1"' 'a node'
like "$(change 'priority class odd' '' note)" '1 job runs in it: they keep it' 'a class with a job'
run actl reconfigure --dry-run
like "$out" 'WHAT +KEY +BEFORE +AFTER +NOTE' 'as a listing'
like "$(actl reconfigure --dry-run --noheader --format what,after)" 'queue long +3' 'of any columns'
is "$(actl queue list --noheader --format factor long | tr -d ' ')" 7 'all that changed nothing'

ok 'now it is done' actl reconfigure
is "$(actl queue list --noheader --format factor,state,declared long | tr -s ' ' | sed 's/^ //')" \
	'3 cordoned yes' 'the file wins'
like "$(actl queue list --noheader --format name,declared gone)" 'gone +no' 'what it does not name is there'
like "$(anode --noheader --format state,reason n2)" 'no longer among the nodes of armada.conf' \
	'a node that may not join takes nothing new'
run actl reconfigure --dry-run
is "$out" 'nothing would change' 'the same again changes nothing'

# a controller that begins anew, and nodes that register again, end nothing either
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
connected()
{
	[ "$(grep -c 'node n[12] registered' "$cluster/log/armctld.log")" -ge 4 ]
}
ok 'both nodes come back after a restart' wait_until 20 connected
is "$(aqueue --noheader --format state "$a" "$b" "$c" | sort | uniq -c | tr -s ' ')" ' 3 RUNNING' \
	'everything still runs'
like "$(aqueue --noheader --format class "$b")" 'odd' 'in the class that is gone'
run asubmit --priority-class odd --wrap true
is "$status" 3 'which takes no new ones'
run actl queue delete gone
is "$status" 1 'a queue with jobs is not deleted'
like "$err" "queue 'gone' holds 3 jobs: 2 running, 1 waiting" 'with the count'

# what needs a restart is refused, and shown with the rest
cp "$conf" now.conf
sed -i 's|^state_dir.*|state_dir = "/elsewhere";|; s/rate = 5.0/rate = 6.0/' "$conf"
dry_run
is "$status" 1 'a change that needs a restart would be refused'
is "$(change state_dir '' note)" 'needs a restart of armctld' 'and says so'
is "$(change state_dir '' refused)" true 'for programs too'
is "$(change scheduler.rate '' refused)" false 'what is beside it would be taken'
like "$err" 'would be refused: needs a restart of armctld: state_dir' 'in words'
run actl reconfigure
is "$status" 1 'and it is'
sed -e 's|socket = |timeout = "5s"; socket = |' now.conf >"$conf"
printf 'nonsense = 1;\n' >>"$conf"
run actl reconfigure --dry-run
is "$status" 1 'what is no armada.conf is refused'
like "$err" 'line [0-9]+: nonsense: unknown key' 'with file and line'
cp now.conf "$conf"
sed -i 's/max_running = 0;/owners = [ "no-such-user" ];/' "$conf"
run actl reconfigure --dry-run
is "$status" 1 'so is who does not exist'
like "$err" 'armada.conf: line [0-9]+: .*no-such-user' 'where the file names them'
cp now.conf "$conf"
run actl reconfigure --json
is "$status" 2 'a listing is of the dry run'

touch over
actl release "$d" >/dev/null
ok 'all of it ends' wait_until 30 job_ended "$a" "$b" "$c" "$d"
is "$(aqueue --noheader --format state "$a" "$b" "$c" "$d" | sort | uniq -c | tr -s ' ')" ' 4 COMPLETED' \
	'as it should have'
ok 'then the queue is deleted' actl queue delete gone
done_testing
