#!/bin/bash
# Resources of any name: declared in armada.conf, offered by nodes, requested by jobs, counted, explained.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

conf=$work/extra.conf
cat >"$conf" <<'EOF'
resources = ( { name = "fpga"; }, { name = "scratch"; unit = "size"; } );
nodes = ( { name = "n1"; resources = ["fpga=2", "scratch=2T"]; },
          { name = "n2"; resources = ["scratch=500G"]; } );
EOF
test_under_armada 2 --cpus 4 --memory 4G --conf "$conf"

state_is()
{
	[ "$(aqueue --noheader --format state "$1" | tr -d ' ')" = "$2" ]
}
why()
{
	aqueue --noheader --format why "$1" | tr -d ' '
}
waits_for()
{
	[ "$(why "$1")" = "$2" ]
}
# refused WORDS OPTION...: asubmit refuses the options with these words
refused()
{
	local words=$1

	shift
	run asubmit "$@" --wrap true
	is "$status" 1 "asubmit $* is refused"
	like "$err" "$words" 'the error has the reason'
}
sleeper()
{
	asubmit --parsable --mem 50M "$@" --wrap 'exec sleep 1000'
}

like "$(anode --noheader --json n1 | tr -d ' \n')" '"total":\{[^}]*"fpga":2,"scratch":2199023255552' 'a node offers its resources'
refused "'fpg' is not a resource; did you mean 'fpga'" --resource fpg=1
refused 'fpga: 3 is more than any node has \(the best is n1 with 2\)' --resource fpga=3
refused 'scratch: 3T is more than any node has \(the best is n1 with 2T\)' --resource scratch=3T
refused 'gpu: 1 requested, and no node has any' --gpus 1
refused 'gpu: 1 requested, and no node it may use has any' --gpus 1 --nodelist n1
refused 'scratch: 3 has no unit: expected a size, such as 3G' --resource scratch=3
refused 'fpga is counted: expected a number without a unit' --resource fpga=1G
refused "'tmp' is not a resource" --tmp 20G
refused "no node has the label 'gpu=a100'" --gpus a100:1
anode label n1 gpu=h100 >/dev/null
refused "no node has the label 'gpu=a100'; nodes have gpu=h100" --gpus a100:1
anode label n1 gpu- >/dev/null
run asubmit --resource scratch=99999999P --wrap true
is "$status" 2 'an amount that overflows is refused'
like "$err" "scratch: '99999999P' is too large" 'the error says so'
run asubmit --gres=fpga:99999999999999999999 --wrap true
like "$err" "'99999999999999999999' is too large" 'so it does for a count'

one=$(sleeper --resource fpga=1,scratch=1T)
two=$(sleeper --gres=fpga:1)
ok 'a job with a resource runs' wait_until 20 state_is "$one" RUNNING
ok 'a second one has the rest' wait_until 20 state_is "$two" RUNNING
three=$(sleeper --resource fpga=1)
ok 'a third one waits' wait_until 20 waits_for "$three" Resources
like "$(aexplain "$three")" 'too few free resources: fpga' 'aexplain names the resource'
like "$(actl show job "$one")" 'fpga=1, scratch=1T' 'actl show job prints the amounts with their units'
like "$(anode --noheader --json n1 | tr -d ' \n')" '"allocated":\{[^}]*"fpga":2,"scratch":1099511627776' 'the node counts what is allocated'
like "$(aqueue --json "$one" | tr -d ' \n')" '"fpga":1,"scratch":1099511627776' 'JSON has the amounts'

run actl update "$three" --resource fpga=0,scratch=100G
is "$status" 0 'a waiting job may give up a resource'
ok 'then it runs' wait_until 20 state_is "$three" RUNNING
four=$(sleeper --resource scratch=1T --resource fpga=1)
ok 'a job for two resources waits' wait_until 20 waits_for "$four" Resources
acancel "$two" >/dev/null
ok 'it waits for the second one, too' wait_until 20 waits_for "$four" Resources
acancel "$one" >/dev/null
ok 'it runs when both are free' wait_until 20 state_is "$four" RUNNING

# a restart of the controller and a reload
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'the job still runs after a restart' state_is "$four" RUNNING
refused 'fpga: 3 is more than any node has' --resource fpga=3
sed -i 's/{ name = "fpga"; }/{ name = "fpga"; }, { name = "tpu"; }/' "$cluster/armada.conf"
run actl reconfigure
isnt "$status" 0 'a reload does not change the resources'
like "$err" 'a change of the resources needs a restart' 'the error says what to do'
is "$(why "$four")" '' 'nothing else has changed'
"$devcluster" restart "$cluster" armctld >/dev/null
refused 'tpu: 1 requested, and no node has any' --resource tpu=1
ok 'a new resource does not disturb a running job' state_is "$four" RUNNING
like "$(actl show job "$four")" 'fpga=1' 'its resources are the same'

# the file of the controller adds what a node does not report
sed -i 's/resources = \["scratch=500G"\]/resources = ["scratch=500G", "tpu=3"]/' "$cluster/armada.conf"
run actl reconfigure
is "$status" 0 'a reload gives a node a resource'
tpu=$(sleeper --resource tpu=3)
ok 'jobs use it' wait_until 20 state_is "$tpu" RUNNING

# a resource that jobs hold cannot be removed
cp "$cluster/armada.conf" "$work/kept.conf"
sed -i -e 's/, { name = "tpu"; }//' -e 's/, "tpu=3"//' "$cluster/armada.conf"
run env ARMADA_CONF="$cluster/armada.conf" actl reconfigure
isnt "$status" 0 'a reload does not remove it'
"$devcluster" kill "$cluster" armctld
run "$devcluster" restart "$cluster" armctld
isnt "$status" 0 'nor does a start of armctld'
like "$(cat "$cluster/log/armctld.log")" "the resource tpu is missing in armada.conf, but a job asks for it: $tpu" 'the error has the job'
cp "$work/kept.conf" "$cluster/armada.conf"
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'with the old file the job runs on' wait_until 20 state_is "$tpu" RUNNING
acancel "$three" "$four" "$tpu" >/dev/null

# ---- a program that finds resources ----

mkdir -m 755 "$work/programs"
cat >"$work/programs/discover" <<EOF
#!/bin/sh
cat $work/found
EOF
chmod 755 "$work/programs/discover"
echo 'fpga=1' >"$work/found"
sed -i '$a hooks = { discover = ["'"$work"'/programs/discover"]; discover_timeout = "2s"; };' "$cluster/armada.conf"
total()
{
	anode --noheader --json n2 | tr -d ' \n' | grep -q "\"total\":{[^}]*$1"
}
"$devcluster" restart "$cluster" n2 >/dev/null
ok 'the program runs at the start of armd' wait_until 20 total '"fpga":1'
run anode refresh n2
is "$status" 0 'anode refresh is accepted'
printf '# two now\n\nfpga=2\n' >"$work/found"
anode refresh n2 >/dev/null
ok 'anode refresh runs it again' wait_until 20 total '"fpga":2'
echo 'fpga is broken' >"$work/found"
anode refresh n2 >/dev/null
ok 'nonsense is said' wait_until 20 grep -q "are those found when armd started: .*hooks.discover: 'fpga' is not NAME=AMOUNT" "$cluster/log/n2.log"
ok 'the node has what was found at the start of armd' wait_until 20 total '"fpga":1'
run "$ARMADA_BUILDDIR/armd" --config "$cluster/armada.conf" --node n9 --cpus 1 --memory 1G --show-config
isnt "$status" 0 'armd does not start with it'
like "$err" "hooks.discover: 'fpga' is not NAME=AMOUNT" 'and says why'
run anode refresh n77
is "$status" 3 'an unknown node is refused'
sed -i '/^hooks = { discover/d' "$cluster/armada.conf"
"$devcluster" restart "$cluster" n2 >/dev/null

# ---- countable devices: numbers, files, and only these can be opened ----

mkdir "$work/dev"
node_options()
{
	printf '%s\n' "$@" >>"$cluster/nodes/n2"
	"$devcluster" restart "$cluster" n2 >/dev/null
}
holder()
{
	local name=$1

	shift
	asubmit --parsable -w n2 --cpus 0.1 --mem 50M -o "$work/$name.out" "$@" --wrap "env | sort; \
		for f in $work/dev/*; do (exec <\$f) 2>/dev/null && echo opens \${f##*/}; done; echo up; exec sleep 1000"
	wait_until 20 grep -qx up "$work/$name.out"
}
value()
{
	sed -n "s/^$2=//p" "$work/$1.out"
}
if [ "$(id -u)" = 0 ] && mknod "$work/dev/tpu0" c 1 11 && mknod "$work/dev/tpu1" c 10 237 && mknod "$work/dev/tpu2" c 10 235; then
	chmod 666 "$work"/dev/*
	node_options "--resource=fpga=4" "--resource=tpu=$work/dev/tpu[0-2]"
	registered()
	{
		anode --noheader --json n2 | tr -d ' \n' | grep -q '"total":{[^}]*"fpga":4'
	}
	ok 'files stand for a number of devices' wait_until 20 registered
	a=$(holder a --resource fpga=2,tpu=1 | tail -1)
	is "$(value a ARMADA_FPGA_LIST)" 0,1 'a variable has the numbers of the devices'
	is "$(value a ARMADA_FPGA_FILES)" '' 'they have no files'
	is "$(value a ARMADA_TPU_LIST)" 0 'so have those with files'
	is "$(value a ARMADA_TPU_FILES)" "$work/dev/tpu0" 'and their paths'
	"$devcluster" kill "$cluster" n2
	"$devcluster" restart "$cluster" n2 >/dev/null
	b=$(holder b --resource fpga=1,tpu=1 | tail -1)
	is "$(value b ARMADA_FPGA_LIST),$(value b ARMADA_TPU_LIST)" 2,1 'another job has others, also after a restart of armd'
	holder none >/dev/null
	is "$(value none ARMADA_FPGA_LIST)$(value none ARMADA_TPU_FILES)" '' 'a job without devices has no variable'
	if anode --noheader --format containment,not_limited n2 | grep -q cgroup &&
		! anode --noheader --format not_limited n2 | grep -q devices; then
		is "$(grep ^opens "$work/a.out")" 'opens tpu0' 'a task can open its own device only'
		is "$(grep ^opens "$work/none.out")" '' 'a task without devices can open none'
	fi
	acancel "$a" >/dev/null
	c=$(holder c --resource fpga=2 | tail -1)
	is "$(value c ARMADA_FPGA_LIST)" 0,1 'devices of an ended job are free again'
	touch "$work/dev/plain"
	run "$ARMADA_BUILDDIR/armd" --config "$cluster/armada.conf" --node n9 --cpus 1 --memory 1G --show-config \
		--resource "tpu=$work/dev/plain"
	isnt "$status" 0 'a file that is no device is refused'
	like "$err" "resource tpu: $work/dev/plain is not a device" 'with its name'
fi
done_testing
