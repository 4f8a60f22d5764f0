#!/bin/bash
# The lifecycle of nodes with real daemons: states with their reason and author, labels and taints,
# declared sizes of armada.conf, confirm-dead, the fence program, reboots, deleted nodes.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

cat >fence <<'X2'
#!/bin/sh
# The fence program of the test: it logs its call, and succeeds if fence.works exists.
dir=${0%/*}
echo "$1 $# ${HOME-none}" >>"$dir/fence.log"
[ -e "$dir/fence.works" ] || { echo "no answer from the switch" >&2; exit 3; }
X2
cat >reboot <<'X2'
#!/bin/sh
echo "$1 ${HOME-none}" >>"${0%/*}/reboot.log"
X2
cat >prolog <<'X2'
#!/bin/sh
# Fails on nodes that are named in the file `bad`.
! grep -qx "$ARMADA_NODE_NAME" "${0%/*}/bad" 2>/dev/null || { echo "no scratch"; exit 1; }
X2
chmod 755 fence reboot prolog

cat >conf <<X2
agents = { heartbeat = "200ms"; node_timeout = "1s"; reconnect_max = "200ms"; drain_after = 2;
	fence_program = "$work/fence"; fence_after = "1s"; reboot_program = "$work/reboot"; };
hooks = { prolog = [ "$work/prolog" ]; prolog_drains = false; };
nodes = ( { name = "n3"; cpus = 2; labels = [ "room=12" ]; } );
X2
test_under_armada 3 --cpus 2 --memory 2G --conf conf

# column NODE COLUMN
column()
{
	anode list --noheader --format "$2" "$1" | sed 's/ *$//'
}

state_is()
{
	[ "$(column "$1" state)" = "$2" ]
}

# of JOB COLUMN: prints the column, in lower case
of()
{
	aqueue --state all --noheader --format "$2" "$1" | sed 's/ *$//' | tr A-Z a-z
}

job_is()
{
	[ "$(of "$1" state)" = "$2" ]
}

runs_on()
{
	[ "$(of "$1" state) $(of "$1" nodelist)" = "running $2" ]
}

# --- labels and taints

run anode label n1 disk=nvme
is "$status" 0 'anode label sets a label'
like "$(column n1 labels)" 'disk=nvme' 'anode list shows the label'
job=$(asubmit --parsable --output=/dev/null --constraint disk=nvme --wrap 'sleep 1000')
ok 'a job with that constraint runs on the node' wait_until 20 runs_on "$job" n1
acancel "$job" >/dev/null 2>&1
run anode label n1 disk-
is "$status" 0 'the label is removed'
run anode label n1 disk-
is "$status" 1 'a second removal is refused'
like "$err" "has no label 'disk'" 'the error names the missing label'
run anode label n1 arch-
like "$err" "or from armada.conf" "a label of the node's own cannot be removed"
run anode label n1 nonsense
is "$status" 2 'an argument without = or - is a usage error'
like "$(column n3 labels)" 'room=12' 'labels of armada.conf are set'
run anode taint n2 maint=disk:NoSchedule
is "$status" 0 'anode taint sets a taint'
like "$(column n2 taints)" 'maint=disk:NoSchedule' 'anode list shows the taint'
run anode taint n2 bare:PreferNoSchedule
like "$(column n2 taints)" '(^|,)bare:PreferNoSchedule' 'a taint without a value is shown as it was given'
run anode taint n2 bare-
run anode taint n2 maint-
is "$status" 0 'a taint is removed'

# --- drain, resume

run anode drain n2
is "$status" 2 'a drain without a reason is refused'
run anode drain n2 new disks
is "$(column n2 state) $(column n2 reason)" 'drained new disks' 'the node is drained'
is "$(column n2 reason_by)" "$(id -un)" 'the author of the drain is shown'
run anode resume n2
is "$(column n2 state)" up 'the node is resumed'

# --- sizes declared in armada.conf

sed -i 's/name = "n3"; cpus = 2;/name = "n3"; cpus = 5;/' "$cluster/armada.conf"
run actl reconfigure
is "$status" 0 'armada.conf may declare more than the node has'
is "$(column n3 state) $(column n3 reason)" 'drained has 2 cpus, armada.conf requires 5' \
	'the node is drained, and the reason has the figures'
run anode resume n3
is "$(column n3 state)" drained 'a resume does not change that'
sed -i 's/name = "n3"; cpus = 5;/name = "n3"; cpus = 1;/' "$cluster/armada.conf"
run actl reconfigure
is "$(column n3 state)" up 'the node is up again when it has what armada.conf declares'

# --- refused requests

run anode confirm-dead n1 --yes
is "$status" 1 'a connected node cannot be confirmed dead'
like "$err" 'is not dead: it is connected' 'the error says that it is connected'
run anode delete n1
like "$err" 'is connected' 'a connected node cannot be deleted'
run anode confirm-dead n9 --yes
is "$status" 3 'an unknown node gives exit code 3'
run anode list --yes
is "$status" 2 '--yes is refused without confirm-dead'

# --- a lost node, the fence program, confirm-dead

job=$(asubmit --parsable --output=/dev/null --nodelist n1 --exclude n2 --wrap 'sleep 1000')
other=$(asubmit --parsable --output=/dev/null --nodelist n1,n2 --wrap 'sleep 1000')
ok 'a job runs' wait_until 20 runs_on "$job" n1
"$devcluster" kill "$cluster" n1
ok 'a lost node is unknown' wait_until 20 state_is n1 unknown
like "$(anode)" $'^NODE +STATE +SILENT .*\nn1 +unknown +00:00:[0-9]+ ' 'it is shown how long it has been silent'
anode drain n1 dead power supply >/dev/null
like "$(anode --reasons n1)" $'\nn1 +drain[a-z]+ +00:00:[0-9]+ .* dead power supply$' 'also when it is drained'
anode resume n1 >/dev/null
ok 'a lost node is unknown again' wait_until 20 state_is n1 unknown
unlike "$(anode n2)" SILENT 'a node that answers is not silent'
ok 'its jobs are unknown' wait_until 20 job_is "$job" unknown
like "$(aexplain "$job")" $'at the last report of its nodes on n1 since 20[^ ]*[.]\n  node n1 is silent' 'aexplain says since when it ran, and what is known'
ok 'the fence program is called' wait_until 20 test -s fence.log
is "$(head -1 fence.log)" 'n1 1 none' 'its argument is the node, its environment is empty'
asked()
{
	grep -q 'node n1: the fence program did not prove that it is off: exit status 3: no answer from the switch' \
		"$cluster/log/armctld.log"
}
ok 'the log says that the fence program proved nothing' wait_until 20 asked
is "$(of "$job" state)" unknown 'the job is still unknown'
run anode confirm-dead n1 </dev/null
is "$status" 1 'confirm-dead without --yes changes nothing'
like "$out" "n1: ends .* ${job}_0.0/1" 'it lists the tasks that would end'
is "$(of "$job" state)" unknown 'the job is still unknown'
# the shepherds outlive their armd: power off the machine before it is confirmed dead
"$devcluster" power-off "$cluster" n1
run anode confirm-dead n1 it burnt --yes
is "$status" 0 'confirm-dead --yes succeeds'
is "$(column n1 state) $(column n1 reason)" 'down it burnt' 'the node is down, with the reason'
ok 'a job that may run elsewhere does so' wait_until 20 runs_on "$other" n2
is "$(of "$job" state)" pending 'a job that may not is pending'
acancel "$job" "$other" >/dev/null 2>&1

# --- a deleted node joins again

run anode delete n1
is "$status" 0 'a dead node is deleted'
run anode list n1
is "$status" 3 'a deleted node is not listed'
"$devcluster" restart "$cluster" n1
ok 'the node is up when it joins again' wait_until 20 state_is n1 up

# --- reboot

job=$(asubmit --parsable --output=/dev/null --nodelist n2 --wrap 'sleep 1000')
ok 'a job runs' wait_until 20 runs_on "$job" n2
run anode reboot n2 new kernel
is "$status" 0 'anode reboot succeeds'
is "$(column n2 state) $(column n2 reason)" 'draining reboot: new kernel' 'the node is draining'
is "$(column n2 rebooting)" yes 'the node is shown as rebooting'
[ ! -e reboot.log ]
result $? 'the reboot program is not called while a job runs there'
acancel "$job" >/dev/null 2>&1
ok 'the reboot program is called when the job has ended' wait_until 20 test -s reboot.log
is "$(head -1 reboot.log)" 'n2 none' "its argument is the node name, its environment is empty"
run anode resume n2
is "$(column n2 state) $(column n2 rebooting)" 'up no' 'a resume withdraws the reboot'

# --- a node that cannot set up its tasks

echo n1 >bad
job=$(asubmit --parsable --output=/dev/null --nodelist n1 --wrap true)
tried()
{
	[ "$(of "$job" state) $(of "$job" attempt)" = 'pending 1' ]
}
ok 'a job that the node could not set up is pending again' wait_until 20 tried
like "$(of "$job" reason)" 'no scratch|no other node' 'its reason has the output of the prolog'
avoided()
{
	aexplain "$job" | grep -q 'avoided for a while: a start failed there'
}
ok 'the node is avoided for a while' wait_until 20 avoided
is "$(of "$job" attempt)" 1 'the job had one attempt'
is "$(column n1 state)" up 'one failed start does not drain the node'
second=$(asubmit --parsable --output=/dev/null --nodelist n1,n2 --exclude n2 --wrap true)
ok 'two failed starts in a row drain the node' wait_until 20 state_is n1 drained
like "$(column n1 reason)" '2 jobs in a row could not be started here; the last: .*no scratch' \
	'the reason names the last failure'
is "$(column n1 reason_by)" armctld 'the author of the drain is armctld'
elsewhere=$(asubmit --parsable --output=/dev/null --nodelist n1,n2 --wrap 'sleep 1000')
ok 'other jobs run on another node' wait_until 20 runs_on "$elsewhere" n2
acancel "$job" "$second" "$elsewhere" >/dev/null 2>&1

done_testing
