#!/bin/bash
# Cores and gpus of tasks, the variables for their libraries, binding, and nodes with taints.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

cat >quick.conf <<X
agents = { heartbeat = "200ms"; node_timeout = "1s"; reconnect_max = "200ms"; };
X
test_under_armada 2 --cpus 8 --memory 8G --conf quick.conf

# node NAME OPTION...: restarts the node with more options on its command line.
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
ok 'the declared gpus belong to the node' wait_until 20 has_gpus n1 4

# holder NAME OPTION...: submits a task that prints its environment and runs until the file go.NAME
# exists.
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
is "$(value a CUDA_VISIBLE_DEVICES)" 0,1 "a job has its two gpus, whatever the user's environment contains"
for name in ROCR_VISIBLE_DEVICES GPU_DEVICE_ORDINAL ZE_AFFINITY_MASK ARMADA_GPU_LIST; do
	is "$(value a $name)" 0,1 "$name names the same gpus"
done
is "$(value a CUDA_DEVICE_ORDER)" PCI_BUS_ID 'CUDA_DEVICE_ORDER numbers the gpus as the node does'
is "$(value a ARMADA_CPU_LIST)" '' 'an unbound task has no list of cpus'
holder none
ok 'a job without gpus sees no gpu' grep -qx 'CUDA_VISIBLE_DEVICES=' none.out
is "$(value none ARMADA_GPU_LIST)" '' 'a job without gpus has no list of gpus'
holder b -G 1
is "$(value b CUDA_VISIBLE_DEVICES)" 2 'the next job has another gpu'
unset CUDA_VISIBLE_DEVICES

# The next armd knows the gpus of the running tasks.
"$devcluster" kill "$cluster" n1
"$devcluster" restart "$cluster" n1 >/dev/null
holder c -G 1
is "$(value c CUDA_VISIBLE_DEVICES)" 3 'after a restart of armd the fourth gpu is free'
touch go.a
a_ended()
{
	job_ended 1
}
ok 'the first job ends' wait_until 20 a_ended
holder d -G 2
is "$(value d CUDA_VISIBLE_DEVICES)" 0,1 'its gpus are free for another job'
run asubmit --parsable -w n1 -G 5 --wrap true
is "$status" 1 'a request for more gpus than the node has is refused'
touch go.b go.c go.d go.none
nobody_runs()
{
	[ -z "$(aqueue --noheader)" ]
}
ok 'all jobs end' wait_until 20 nobody_runs

# ---- binding: 0378-cpus.t has the rest ----

run asubmit --bind=left --wrap true
is "$status" 2 'an unknown binding is a usage error'
like "$err" 'must be none, cpus, cores, sockets or numa' 'the error lists the known bindings'
id=$(asubmit --parsable --hold --bind=ldoms --wrap true)
run actl show job "$id"
like "$out" 'Bound to +the NUMA nodes of its cpus' 'actl shows the binding'
acancel "$id" >/dev/null

# ---- taints, labels ----

like "$(anode --noheader --format taints n2)" 'maint=yes:NoSchedule' 'anode shows a taint'
like "$(anode --noheader --format labels n2)" 'arch=.*os=.*disk=fast' 'anode shows labels, also the ones that every node has'
run asubmit --parsable -w n2 --wrap true
is "$status" 1 'a job that does not tolerate the taint is refused for that node'
like "$err" 'taint' 'the error names the taint'
run asubmit --wait --parsable --toleration maint -C disk=fast -o where.out --wrap 'echo $ARMADA_NODE_NAME'
is "$status:$(cat where.out)" 0:n2 'a job that tolerates the taint runs there'
like "$(actl show job "$out")" 'Tolerates +maint' 'actl show job shows the toleration'
run asubmit --wait --toleration maint=no --toleration maint=yes -w n2 --wrap true
is "$status" 0 'one of several tolerations is enough'
run asubmit --wait '--toleration=*' -w n2 --wrap true
is "$status" 0 'a star tolerates every taint'
run asubmit --parsable --toleration maint=no -w n2 --wrap true
is "$status" 1 'a toleration with another value is not enough'
run asubmit --toleration maint:NoExecute --wrap true
is "$status" 2 'the effect NoExecute is refused'
like "$err" 'NoSchedule' 'the error names NoSchedule'
run asubmit --toleration =yes --wrap true
is "$status" 2 'a toleration without a key is refused'
blocker=$(asubmit --parsable -w n1 --exclusive --wrap 'sleep 600')
id=$(asubmit --parsable -c 8 --wrap true)
names_option()
{
	aexplain "$id" | grep -q -- '--toleration=maint'
}
ok 'aexplain names the option' wait_until 20 names_option
acancel "$blocker" "$id" >/dev/null

like "$(anode --noheader --format total n1)" 'fpga=2' 'anode shows the other resources of a node'
run armd --taint 'a b' --node x
is "$status" 2 'a taint with a space is refused'
like "$err" 'key=value:NoSchedule' 'the error shows the form of a taint'

done_testing
