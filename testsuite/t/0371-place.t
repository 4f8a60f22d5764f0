#!/bin/bash
# Cores and gpus of tasks, what their libraries are told, binding, and nodes with taints.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

cat >quick.conf <<X
agents = { heartbeat = "200ms"; node_timeout = "1s"; reconnect_max = "200ms"; };
X
test_under_armada 2 --cpus 8 --memory 8G --conf quick.conf

# node NAME OPTION...: starts it anew with more on its command line.
node()
{
	local name=$1

	shift
	printf '%s\n' "$@" >>"$cluster/nodes/$name"
	"$devcluster" restart "$cluster" "$name" >/dev/null
}
has_gpus()
{
	[ "$(anode --noheader --format gpus "$1" | tr -d ' ')" = "0/$2" ]
}
node n1 --gpus=4 --resource=fpga=1 --resource=fpga=2
node n2 --taint=maint=yes:NoSchedule --label=disk=fast
ok 'declared gpus are the node'"'"'s' wait_until 20 has_gpus n1 4

# holder NAME OPTION...: a task that says what it sees, and stays until the file go.NAME is there.
holder()
{
	local name=$1

	shift
	id=$(asubmit --parsable -w n1 -o "$work/$name.out" "$@" --wrap \
		"env | sort; echo Cpus \$(sed -n 's/^Cpus_allowed_list:.//p' /proc/self/status); echo up
		while [ ! -e $work/go.$name ]; do sleep 0.02; done")
	wait_until 20 grep -qx up "$name.out"
}
value()
{
	sed -n "s/^$2=//p" "$1.out"
}

# ---- gpus ----

export CUDA_VISIBLE_DEVICES=7
holder a -G 2
is "$(value a CUDA_VISIBLE_DEVICES)" 0,1 'two gpus, whatever the user'"'"'s own environment says'
for name in ROCR_VISIBLE_DEVICES GPU_DEVICE_ORDINAL ZE_AFFINITY_MASK ARMADA_GPU_LIST; do
	is "$(value a $name)" 0,1 "$name too"
done
is "$(value a CUDA_DEVICE_ORDER)" PCI_BUS_ID 'counted as the node counts'
is "$(value a ARMADA_CPU_LIST)" '' 'no list of cpus where nothing is bound'
holder none
ok 'who asked for none sees none' grep -qx 'CUDA_VISIBLE_DEVICES=' none.out
is "$(value none ARMADA_GPU_LIST)" '' 'and has no list'
holder b -G 1
is "$(value b CUDA_VISIBLE_DEVICES)" 2 'the next has another'
unset CUDA_VISIBLE_DEVICES

# What they have is known to the next armd.
"$devcluster" kill "$cluster" n1
"$devcluster" restart "$cluster" n1 >/dev/null
holder c -G 1
is "$(value c CUDA_VISIBLE_DEVICES)" 3 'after a restart of armd the fourth is left'
touch go.a
a_ended()
{
	job_ended 1
}
ok 'the first ends' wait_until 20 a_ended
holder d -G 2
is "$(value d CUDA_VISIBLE_DEVICES)" 0,1 'and leaves its own to others'
run asubmit --parsable -w n1 -G 5 --wrap true
is "$status" 1 'more than the node has are refused'
touch go.b go.c go.d go.none
nobody_runs()
{
	[ -z "$(aqueue --noheader)" ]
}
ok 'all of them end' wait_until 20 nobody_runs

# ---- cores ----

real=$(nproc)
holder free -c 2
like "$(grep '^Cpus ' free.out)" '^Cpus [0-9]' 'a task that is not bound'
all=$(sed -n 's/^Cpus_allowed_list:.//p' /proc/self/status)
is "$(sed -n 's/^Cpus //p' free.out)" "$all" 'may run anywhere'
holder bound -c 1 --bind cores
is "$(sed -n 's/^Cpus //p' bound.out)" "$(value bound ARMADA_CPU_LIST)" 'one that is bound runs on its cpus'
like "$(value bound ARMADA_CPU_LIST)" '^[0-9]+$' 'of which it has one'
if [ "$real" -gt 1 ]; then
	holder other -c 1 --cpu-bind=threads
	unlike "$(value other ARMADA_CPU_LIST)" "^$(value bound ARMADA_CPU_LIST)\$" 'another has another'
	touch go.other
else
	skip 'this machine has one cpu'
fi
holder numa -c 1 --bind=ldoms
like "$(value numa ARMADA_CPU_LIST)" '^[0-9]' 'bound to a NUMA node'
touch go.free go.bound go.numa
run asubmit --bind=left --wrap true
is "$status" 2 'no such binding'
like "$err" 'must be none, cores, sockets or numa' 'it says which there are'
run actl show job "$id"
like "$out" 'Bound to +the NUMA nodes of its cores' 'actl shows the binding'

# ---- taints, labels ----

like "$(anode --noheader --format taints n2)" 'maint=yes:NoSchedule' 'anode shows a taint'
like "$(anode --noheader --format labels n2)" 'arch=.*os=.*disk=fast' 'and labels, those that all have too'
run asubmit --parsable -w n2 --wrap true
is "$status" 1 'a job that does not tolerate it is not taken for that node'
like "$err" 'taint' 'and told why'
run asubmit --wait --parsable --toleration maint -C disk=fast -o where.out --wrap 'echo $ARMADA_NODE_NAME'
is "$status:$(cat where.out)" 0:n2 'one that tolerates it runs there'
like "$(actl show job "$out")" 'Tolerates +maint' 'actl shows it'
run asubmit --wait --toleration maint=no --toleration maint=yes -w n2 --wrap true
is "$status" 0 'tolerations add up'
run asubmit --wait '--toleration=*' -w n2 --wrap true
is "$status" 0 'a star is for all'
run asubmit --parsable --toleration maint=no -w n2 --wrap true
is "$status" 1 'another value does not do'
run asubmit --toleration maint:NoExecute --wrap true
is "$status" 2 'NoExecute is no effect here'
like "$err" 'NoSchedule' 'which it says'
run asubmit --toleration =yes --wrap true
is "$status" 2 'a toleration has a key'
blocker=$(asubmit --parsable -w n1 --exclusive --wrap 'sleep 600')
id=$(asubmit --parsable -c 8 --wrap true)
names_option()
{
	aexplain "$id" | grep -q -- '--toleration=maint'
}
ok 'aexplain names the option' wait_until 20 names_option
acancel "$blocker" "$id" >/dev/null

like "$(anode --noheader --format total n1)" 'fpga=2' 'anode shows what else a node has'
run armd --taint 'a b' --node x
is "$status" 2 'a taint with a space'
like "$err" 'key=value:NoSchedule' 'is told what one looks like'

done_testing
