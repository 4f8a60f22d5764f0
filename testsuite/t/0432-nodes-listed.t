#!/bin/bash
# Nodes at a glance: anode --summary, --reasons and --group, taints, nodes that have never registered, what actl show node
# prints, and the answers to changes that change nothing.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

# 60 nodes that are declared and have no armd
{
	echo 'nodes = ('
	for n in {01..60}; do
		echo "{ name = \"cn$n\"; cpus = 64; memory = \"256G\"; gpus = 4; },"
	done | sed '$s/,$//'
	echo ');'
} >conf
test_under_armada 2 --cpus 4 --memory 4G --conf conf
never='declared in armada.conf, but its armd has never registered'

# listed OPTION...: the listing with one space between its columns
listed()
{
	anode "$@" | tr -s ' ' | sed 's/^ //; s/ $//'
}

# ---- 62 nodes ----

listed --noheader >large
is "$(wc -l <large)" 2 'of 62 nodes, equal ones share a row'
like "$(head -1 large)" "^cn\[01-60\] 60 down 0 0/3840 0/15T 0/240 $never$" 'with the names, the number and the sums'
like "$(tail -1 large)" '^n\[1-2\] 2 up 0 0/8 0/8G 0/0 arch=[^ ]*( weight .*)?$' 'nodes that are up have another row'
is "$(anode --noheader --per-node | wc -l)" 62 '--per-node has a row for each'
is "$(anode --noheader --format name | wc -l)" 62 'so has --format'
is "$(anode --json | grep -c '"name":')" 62 'so has --json'
is "$(anode --noheader 'cn[01-60]' | wc -l)" 60 'so have nodes that are named'
is "$(ANODE_FORMAT=name anode --noheader | wc -l)" 62 'and ANODE_FORMAT'
is "$(anode --noheader --state up | wc -l)" 2 'two nodes that are selected are two rows'
is "$(listed --noheader --group --state up)" "$(tail -1 large)" '--group makes them one'
is "$(anode --noheader --group --format nodelist,nodes:4 | tr -s ' ')" $'cn[01-60] 60\nn[1-2] 2' '--group has columns of its own'
is "$(anode -g -h -o '%N %D %T')" $'cn[01-60] 60 down\nn[1-2] 2 up' "and the letters of sinfo"

# ---- nodes that have never registered ----

is "$(listed --noheader --format name,state,reason cn07)" "cn07 down $never" 'a node that has never registered is listed'
like "$(actl ping)" 'Nodes: +2 up of 62' 'and counted'
run anode drain cn07 broken
is "$status $err" "3 anode: error: node 'cn07' is $never" 'a drain says why there is no such node'
run asubmit -w cn07 --wrap true
is "$status $err" "3 asubmit: error: node 'cn07' is $never" 'so does asubmit'

# ---- the summary ----

job=$(asubmit --parsable -c 3 --mem 100M -o /dev/null -w n1 --wrap 'sleep 1000')
is_allocated()
{
	[ "$(anode -s -h -o nodes,allocated,idle,other | tail -1 | tr -s ' ')" = " $1" ]
}
anode -s -h -o states | grep -q . || diag 'there is no summary'
ok 'a node with a task is allocated' wait_until 30 is_allocated '2 1 1 0'
listed --summary >summary
is "$(head -1 summary)" 'CPUS MEMORY GPUS NODES(A/I/O/T) CPUS(A/I/O/T) GPUS(A/I/O/T) NODELIST' 'the columns of the summary'
is "$(sed -n 2p summary)" '64 256G 4 0/0/60/60 0/0/3840/3840 0/0/240/240 cn[01-60]' 'nodes that are down are others'
is "$(sed -n 3p summary)" '4 4G 0 1/1/0/2 3/5/0/8 0/0/0/0 n[1-2]' 'cpus are counted, too'
anode drain n1 'new  disks' >/dev/null
is "$(listed -s -h -t draining)" '4 4G 0 0/0/1/1 3/0/1/4 0/0/0/0 n1' 'a node that is drained is another, its tasks are allocated'
anode --summary --json >json
like "$(tr -d ' \n' <json)" '"version":1,"summary":\[\{' '--json has the summary'
like "$(tr -d ' \n' <json)" '"nodes":2,"allocated":0,"idle":1,"other":1.*"cpu":8000' 'with numbers'

# ---- the reasons ----

by=$(id -un)
listed --reasons >reasons
is "$(head -1 reasons)" 'NODELIST STATE BY SINCE REASON' 'the columns of the reasons'
is "$(sed -n 2p reasons)" "cn[01-60] down armctld - $never" 'a reason without a time'
like "$(sed -n 3p reasons)" "^n1 draining $by 20[^ ]* new disks$" 'the node, its state, who set the reason, since when'
is "$(wc -l <reasons)" 3 'a node that is up has no reason'
anode drain n1,n2 water >/dev/null
acancel --quiet "$job"
wait_until 30 job_ended "$job"
like "$(listed -R -h | tail -1)" "^n\[1-2\] drained $by 20[^ ]* water$" 'nodes with the same reason share a row'
like "$(anode --reasons --json n1 | tr -d ' \n')" "\"reasons\":\[\{\"nodelist\":\"n1\",.*\"reason_by\":\"$by\",\"reason_time\":[0-9]{16},\"reason\":\"water\"" \
	'--json has the reasons, with the time as a number'
if has script; then
	script -qec "stty rows 40 cols 60; anode --reasons cn01" /dev/null </dev/null | tr -d '\r' | sed 's/\x1b\[[0-9;]*m//g' >narrow
	like "$(tail -n +2 narrow | tr -d ' \n')" "armctld-${never// /}$" \
		'on a narrow terminal a reason is continued on the next line'
else
	skip "$missing"
fi

# ---- changes ----

run anode resume n1,n2
is "$out" '2 nodes resumed' 'two drained nodes are resumed'
run anode resume n1,n2
is "$status $out" '0 n[1-2] are up already' 'a second time changes nothing'
anode drain n2 water >/dev/null
is "$(anode resume n1,n2)" $'1 node resumed\nn1 is up already' 'nodes that are up are not counted'
like "$(anode --json n1 | tr -d ' \n')" '"reason":"","reason_by":"","reason_time":0' 'a node without a reason has no author of it'
is "$(anode label n1 rack=r7 disk=nvme)" '1 node: labels rack=r7, disk=nvme set' 'labels that are set are named'
is "$(anode label n1 rack=r8 disk-)" '1 node: labels rack=r8 set; disk removed' 'so are those that are removed'
is "$(anode label n1 rack-)" '1 node: label rack removed' 'a label is removed'
run anode label n1 rack-
is "$status $err" "1 anode: error: n1 has no label 'rack'; nothing was changed" 'a label that is not there is not removed'
is "$(anode taint n1 maint=disk)" '1 node: taint maint=disk:NoSchedule set' 'a taint is set'
is "$(listed --format name,state,taints -h n1)" 'n1 up maint=disk:NoSchedule' 'it is listed'
like "$(listed n1 n2)" '^NODE .* LABELS TAINTS REASON' 'the default listing has a column for taints'
unlike "$(listed n2)" 'TAINTS' 'if a listed node has one'
is "$(anode taint n1 maint-)" '1 node: taint maint removed' 'it is removed'
run anode taint n1 maint-
like "$err" "n1 has no taint 'maint'" 'a taint that is not there is not removed'

# ---- actl show node ----

actl show node n1 >node
like "$(cat node)" $'\ntotal +cpu=4,memory=4G,gpu=0\n' 'sizes have units'
is "$(grep -cE 'reason|_total|_free|[0-9]{9}' node)" 0 'there are no bytes, and no author without a reason'

# ---- words of sinfo and scontrol ----

is "$(listed -h -t idle -o name)" $'n1\nn2' '--state idle: nodes that start tasks and have none'
is "$(anode -h -t alloc -o name)" '' '--state alloc: those that have some'
anode drain n2 water >/dev/null
is "$(anode -h -t drain,mix -o name)" n2 '--state drain is draining and drained'
anode resume n2 >/dev/null
run anode undrain n1
is "$status $err" "3 anode: error: 'undrain' is neither a node nor a command; did you mean anode resume NODES?" 'undrain is resume'
run anode resme n1
is "$status $err" "3 anode: error: 'resme' is neither a node nor a command; did you mean anode resume?" 'a verb with a mistake'

# ---- mistakes ----

refused()
{
	local pattern=$1

	shift
	run "$@"
	is "$status $(wc -l <<<"$err")" '2 1' "$*: exit code 2, one line"
	like "$err" "$pattern" "$*: the error gives the reason"
}
refused 'exclude each other' anode -s -R
refused "'idl' is not a state: up, " anode -t idl
refused 'named without an option' anode -n n1
refused 'has no nodes of its own' anode -p physics
refused 'actl show node shows' anode -l
refused 'anode drain n1 REASON' actl update nodename=n1 state=drain
refused 'nodes are changed by anode drain' actl drain n1
refused "there is no column 'taints'" anode --summary --format taints
refused "there is no column 'taints\?'" anode --format 'taints?'
refused 'anode drain prints no listing: --summary is not for it' anode drain n1 water --summary
refused 'anode resume prints no listing: --state is not for it' anode resume n1 --state up
is "$(anode --noheader --format state n1)" up 'the node was not drained'

done_testing
