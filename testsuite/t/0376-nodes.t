#!/bin/bash
# The life of nodes with real daemons: states with who and why, labels and taints, promises of armada.conf,
# confirm-dead, the fence program, reboots, nodes that leave.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

cat >fence <<'X2'
#!/bin/sh
# The power switch of the test: what was asked, and whether it works.
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

# of JOB COLUMN
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
	[ "$(of "$1" state) $(of "$1" nodes)" = "running $2" ]
}

# --- labels and taints

run anode label n1 disk=nvme
is "$status" 0 'a label is set by hand'
like "$(column n1 labels)" 'disk=nvme' 'and shown'
job=$(asubmit --parsable --output=/dev/null --constraint disk=nvme --wrap 'sleep 1000')
ok 'a job that asks for it runs there' wait_until 20 runs_on "$job" n1
acancel "$job" >/dev/null 2>&1
run anode label n1 disk-
is "$status" 0 'it is removed'
run anode label n1 disk-
is "$status" 1 'once'
like "$err" "has no label 'disk'" 'and says so'
run anode label n1 arch-
like "$err" "own or of armada.conf" "what is the node's own is not"
run anode label n1 nonsense
is "$status" 2 'a word that is neither is a mistake'
like "$(column n3 labels)" 'room=12' 'labels of armada.conf hold'
run anode taint n2 maint=disk:NoSchedule
is "$status" 0 'a taint is set'
like "$(column n2 taints)" 'maint=disk:NoSchedule' 'and shown'
run anode taint n2 bare:PreferNoSchedule
like "$(column n2 taints)" '(^|,)bare:PreferNoSchedule' 'one without a value as it was said'
run anode taint n2 bare-
run anode taint n2 maint-
is "$status" 0 'and removed'

# --- drain, resume

run anode drain n2
is "$status" 2 'a drain has a reason'
run anode drain n2 new disks
is "$(column n2 state) $(column n2 reason)" 'drained new disks' 'it is drained'
is "$(column n2 reason_by)" "$(id -un)" 'and by whom'
run anode resume n2
is "$(column n2 state)" up 'and resumed'

# --- what armada.conf promises

sed -i 's/name = "n3"; cpus = 2;/name = "n3"; cpus = 5;/' "$cluster/armada.conf"
run actl reconfigure
is "$status" 0 'armada.conf promises more of a node than it has'
is "$(column n3 state) $(column n3 reason)" 'drained has 2 cpus, armada.conf promises 5' \
	'it is drained, with the figures'
run anode resume n3
is "$(column n3 state)" drained 'a resume does not change that'
sed -i 's/name = "n3"; cpus = 5;/name = "n3"; cpus = 1;/' "$cluster/armada.conf"
run actl reconfigure
is "$(column n3 state)" up 'it comes back when it has what is promised'

# --- what cannot be

run anode confirm-dead n1 --yes
is "$status" 1 'a node that is heard of is not dead'
like "$err" 'is not dead: it is connected' 'says so'
run anode delete n1
like "$err" 'is connected' 'nor is it forgotten'
run anode confirm-dead n9 --yes
is "$status" 3 'a node that is not known'
run anode list --yes
is "$status" 2 '--yes is for confirm-dead'

# --- silence, the fence program, an administrator's word

job=$(asubmit --parsable --output=/dev/null --nodelist n1 --exclude n2 --wrap 'sleep 1000')
other=$(asubmit --parsable --output=/dev/null --nodelist n1,n2 --wrap 'sleep 1000')
ok 'a job runs' wait_until 20 runs_on "$job" n1
"$devcluster" kill "$cluster" n1
ok 'a node that is silent is unknown' wait_until 20 state_is n1 unknown
ok 'and so are its jobs' wait_until 20 job_is "$job" unknown
ok 'the fence program is asked' wait_until 20 test -s fence.log
is "$(head -1 fence.log)" 'n1 1 none' 'for that node, with an empty environment'
asked()
{
	grep -q 'did not prove that node n1 is off: exit status 3: no answer from the switch' \
		"$cluster/log/armctld.log"
}
ok 'that it proved nothing is in the log' wait_until 20 asked
is "$(of "$job" state)" unknown 'the job is unknown all the same'
run anode confirm-dead n1 </dev/null
is "$status" 1 'without --yes it is only said what would end'
like "$out" "n1: ends .* ${job}_0.0/1" 'by name'
is "$(of "$job" state)" unknown 'and nothing does'
# the shepherds outlive their armd: the machine is switched off before that is said
"$devcluster" power-off "$cluster" n1
run anode confirm-dead n1 it burnt --yes
is "$status" 0 'an administrator says that it is dead'
is "$(column n1 state) $(column n1 reason)" 'down it burnt' 'it is down, with the reason'
ok 'what may run elsewhere does' wait_until 20 runs_on "$other" n2
is "$(of "$job" state)" pending 'what may not waits'
acancel "$job" "$other" >/dev/null 2>&1

# --- deleted, and back

run anode delete n1
is "$status" 0 'a node that has left is forgotten'
run anode list n1
is "$status" 3 'and not shown'
"$devcluster" restart "$cluster" n1
ok 'until it joins again' wait_until 20 state_is n1 up

# --- reboot

job=$(asubmit --parsable --output=/dev/null --nodelist n2 --wrap 'sleep 1000')
ok 'a job runs' wait_until 20 runs_on "$job" n2
run anode reboot n2 new kernel
is "$status" 0 'a reboot is asked for'
is "$(column n2 state) $(column n2 reason)" 'draining reboot: new kernel' 'the node is drained'
is "$(column n2 rebooting)" yes 'and shown as one to be rebooted'
[ ! -e reboot.log ]
result $? 'but not yet, while a job runs there'
acancel "$job" >/dev/null 2>&1
ok 'then its program is run' wait_until 20 test -s reboot.log
is "$(head -1 reboot.log)" 'n2 none' "with the node's name and nothing else"
run anode resume n2
is "$(column n2 state) $(column n2 rebooting)" 'up no' 'a resume takes it back'

# --- a node that cannot start what it is given

echo n1 >bad
job=$(asubmit --parsable --output=/dev/null --nodelist n1 --wrap true)
tried()
{
	[ "$(of "$job" state) $(of "$job" attempt)" = 'pending 1' ]
}
ok 'what the node could not set up waits again' wait_until 20 tried
like "$(of "$job" reason)" 'no scratch|no other node' 'with the reason'
avoided()
{
	aexplain "$job" | grep -q 'avoided for a while: it could not be started there just now'
}
ok 'and is not started there again at once' wait_until 20 avoided
is "$(of "$job" attempt)" 1 'nor has it been'
is "$(column n1 state)" up 'one job that fails drains nothing'
second=$(asubmit --parsable --output=/dev/null --nodelist n1,n2 --exclude n2 --wrap true)
ok 'two in a row do' wait_until 20 state_is n1 drained
like "$(column n1 reason)" '2 jobs in a row could not be started here; the last: .*no scratch' \
	'with the reason'
is "$(column n1 reason_by)" armctld 'and by whom'
elsewhere=$(asubmit --parsable --output=/dev/null --nodelist n1,n2 --wrap 'sleep 1000')
ok 'others go on elsewhere' wait_until 20 runs_on "$elsewhere" n2
acancel "$job" "$second" "$elsewhere" >/dev/null 2>&1

done_testing
