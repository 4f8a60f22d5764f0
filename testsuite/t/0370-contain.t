#!/bin/bash
# Containment with real daemons: no process of a job survives its end, armd stays alive, and the
# reason names the cause of the end. ARMADA_DRILL_ROUNDS sets the number of rounds.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
needs pgrep python3

rounds=${ARMADA_DRILL_ROUNDS:-1}
[ "$(id -u)" = 0 ] && root=yes || root=''
cat >contain.conf <<X
agents = { heartbeat = "200ms"; node_timeout = "2s"; reconnect_max = "200ms"; };
X
test_under_armada 1 --cpus 4 --memory 4G --conf contain.conf
log=$cluster/log/n1.log
chmod 777 "$work"

# ---- the plugin in use ----

how=$(sed -n 's/.*containment: \([a-z0-9]*\).*/\1/p' "$log" | head -n 1)
like "$how" '^(cgroup[12]|rlimit)$' "the log names the contain plugin: $how"
if [ "$how" = cgroup2 ]; then
	like "$(grep containment: "$log")" 'containment: cgroup2' 'the log names no better plugin'
else
	like "$(grep containment: "$log")" 'not better: .*contain/cgroup2: ' 'the log says why a better plugin is not used'
fi
[ "$root" ] || is "$how" rlimit 'an ordinary user has no cgroups'
like "$(armd --help)" 'Usage: armd' 'armd --help prints the usage'

# refused CONTAIN PATTERN: a plugin that cannot work is an error at start.
refused()
{
	sed "s|^plugins = {|plugins = { contain = $1;|" "$cluster/armada.conf" >refused.conf
	run timeout 20 armd -f refused.conf --node x --spool "$work/refused"
	is "$status" 1 "contain = $1: exit 1"
	like "$err" "$2" "the error has: $2"
}
refused '"no-such-thing"' 'no such contain plugin'
refused '{ name = "auto"; pids = 7; }' 'unknown option'
if [ ! "$root" ]; then
	refused '"cgroup1"' 'plugins: contain: contain/cgroup1: armd does not run as root'
elif [ "$how" = cgroup1 ]; then
	refused '"cgroup2"' 'plugins: contain: contain/cgroup2: .* does not have the controller'
else
	refused '"cgroup1"' 'plugins: contain: contain/cgroup1: .*: no such cgroup v1 hierarchy'
fi

# ---- what is limited is shown, and can be demanded ----

refused '{ name = "rlimit"; require = "memory, devices"; }' \
	'plugins: contain: require: not limited here: memory,devices by contain/rlimit'
refused '{ name = "rlimit"; require = "memory,net"; }' "require: 'net' is not one of memory, cpu, devices, pids"
like "$err" 'memory, cpu, devices, pids' 'the error lists them'
run armctld --config refused.conf --check
is "$status" 1 'armctld --check refuses it too'
like "$err" "require: 'net' is not one of" 'with the same words'
refused '{ name = "auto"; root = "/armada/../x"; }' "root: '/armada/../x' has the part \.\.: expected the path of a group"
run armctld --config refused.conf --check
is "$status" 1 'armctld --check refuses a root that leads out of the hierarchy'
if [ "$how" = rlimit ]; then
	refused '{ name = "auto"; require = "cpu"; }' \
		'not limited here: cpu by contain/rlimit; not better: .*contain/cgroup2: .*contain/cgroup1: '
fi
like "$(anode --json n1)" "\"containment\": ?\"$how\"" 'anode --json has the containment of the node'
like "$(actl show node n1)" "containment +$how" 'actl show node has the containment of the node'
missing=$([ "$how" = rlimit ] && echo memory,cpu)
is "$(anode --noheader --format not_limited n1)" "$missing" 'the node says what is not limited'

shown=$(armd -f "$cluster/armada.conf" --show-config 2>/dev/null)
like "$shown" "# containment on this machine: $how${missing:+, not limited: $missing}\$" 'armd --show-config has the containment'
like "$shown" 'name = "auto"; # default.*require = ""; # default' 'armd --show-config has the options of the plugin'
armd -f "$cluster/armada.conf" --show-config 2>/dev/null >shown.conf
ok 'armctld accepts that output' armctld --config shown.conf --check

# A root of several levels, of which none exists.
if [ "$root" ]; then
	sed "s|^plugins = {|plugins = { contain = { name = \"auto\"; root = \"/armada-$$/a/b\"; };|" \
		"$cluster/armada.conf" >deep.conf
	like "$(armd -f deep.conf --show-config 2>&1)" "# containment on this machine: $how\$" \
		'armd makes each level of root'
	find /sys/fs/cgroup -depth -type d -path "*/armada-$$*" -exec rmdir {} +
else
	skip 'no control groups for an ordinary user'
fi

# Root starts an armd by hand, in a group that holds other processes.
if [ "$how" = cgroup2 ]; then
	shared=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/shared$$
	mkdir "$shared"
	sleep 1000 &
	other=$!
	echo "$other" >"$shared/cgroup.procs"
	shown=$(echo "$BASHPID" >"$shared/cgroup.procs"; armd -f "$cluster/armada.conf" --show-config 2>&1)
	like "$shown" '# containment on this machine: cgroup2$' 'in a shared group armd makes its own at the top'
	is "$(cat "$shared/cgroup.procs")" "$other" 'the other process stays in its group'
	is "$(ls -d "$shared"/*/ 2>/dev/null)" '' 'nothing is left in that group'
	kill "$other"
	wait "$other"
	rmdir "$shared"
else
	skip 'no tasks in groups of cgroup v2 here'
fi

# Nobody knows the device files of gpus that do not exist, so no task can be kept away from them.
weak()
{
	sed "s|^plugins = {|plugins = { contain = $1;|" "$cluster/armada.conf" >weak.conf
	armd -f weak.conf --node weak --spool "$work/weak" --gpus 2 2>weak.log &
	weak=$!
	ok "contain = $1: the node registers" wait_until 20 node_is "$2" || diag "$(cat weak.log)"
}
node_is()
{
	[ "$(anode --noheader --format state,containment,not_limited weak 2>/dev/null | xargs)" = "$1" ]
}
weak '{ name = "auto"; }' "up $how ${missing:+$missing,}devices"
like "$(cat weak.log)" "tasks are not limited in: ${missing:+$missing,}devices" 'the log of armd warns'
like "$(anode)" 'REASON +NOT_LIMITED' 'anode shows the missing limits without being asked'
like "$(anode weak)" "os=[^ ]+ +${missing:+$missing,}devices +" 'the row of the node names them'
like "$(actl show node weak)" 'not_limited .*devices' 'actl show node names them'
like "$(actl ping)" 'Limits: +weaker than wanted on [12] of the nodes' 'actl ping counts such nodes'
kill "$weak"
wait "$weak"
weak '"rlimit"' 'up rlimit'
[ "$how" = rlimit ] || unlike "$(anode)" NOT_LIMITED 'a site that names rlimit wants no limits'
kill "$weak"
wait "$weak"
anode delete weak >/dev/null 2>&1

# ---- helpers ----

# Every process of the jobs has this variable in its environment.
mark=ARMADA_T_$$_$RANDOM
survivors()
{
	grep -lzF "$mark=" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3
}
none_survives()
{
	[ -z "$(survivors)" ]
}
some_live()
{
	[ "$(survivors | wc -l)" -ge "$1" ]
}
groups()
{
	local id

	id=$(od -An -v -tx1 -j24 -N8 "$cluster/spool/n1/meta" | tr -d ' \n')
	find /sys/fs/cgroup -type d -name "armada-$id-*" 2>/dev/null
}
no_groups()
{
	[ -z "$(groups)" ]
}
armd_pid=$(cat "$cluster/n1.pid")
state()
{
	aqueue --noheader --format state --state all "$id"
}
is_state()
{
	[ "$(state)" = "$1" ]
}
# submit NAME COMMAND [OPTION...]
submit()
{
	local name=$1 command=$2

	shift 2
	id=$(env "$mark=1" asubmit --parsable -J "$name" -o "$work/$name.out" -D "$work" "$@" \
		--wrap "$command") || bail "$name is not taken"
}
nothing_left()
{
	ok "$1: 0 survivors" wait_until 20 none_survives || diag "$(survivors | xargs -r ps -fp)"
	if [ "$how" = rlimit ]; then
		return
	fi
	ok "$1: its groups are removed" wait_until 5 no_groups || diag "$(groups)"
}

# ---- no process survives ----

cat >double.sh <<'X'
for i in 1 2 3; do
	(setsid bash -c 'trap "" TERM HUP; (setsid bash -c "trap \"\" TERM; while :; do sleep 1000; done" &) & exec sleep 1000' &)
done
X
cat >ignore.sh <<'X'
trap '' TERM INT HUP
echo up
while :; do sleep 1000; done
X
# Bounded by its argument and by the containment.
cat >bomb.py <<'X'
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
most = int(sys.argv[1])
made = 0
try:
    while made < most:
        if os.fork() > 0:
            made += 1
        else:
            os.setsid()
            time.sleep(1000)
except OSError:
    pass
print("up", made, flush=True)
time.sleep(1000)
X
cat >threads.py <<'X'
import sys, threading, time
threading.stack_size(65536)
made = 0
try:
    for i in range(int(sys.argv[1])):
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
        made += 1
except RuntimeError:
    pass
print("up", made, flush=True)
time.sleep(1000)
X
is_up()
{
	grep -q '^up' "$1.out" 2>/dev/null
}

# drill NAME COMMAND [OPTION...]: a job that ignores SIGTERM is cancelled, and no process survives.
drill()
{
	local name=$1

	submit "$@"
	ok "$name runs" wait_until 60 is_up "$name" || diag "$(cat "$name.out")"
	ok "$name is cancelled" acancel "$id"
	ok "$name is CANCELLED" wait_until 30 is_state CANCELLED || diag "it is $(state)"
	nothing_left "$name"
	rm -f "$name.out"
}

[ "$rounds" -gt 1 ] && threads=10000 bomb=1000 || threads=500 bomb=200
for ((round = 0; round < rounds; round++)); do
	submit double "bash double.sh; echo up"
	ok 'a job that leaves daemons behind ends' wait_until 30 is_state COMPLETED || diag "it is $(state)"
	nothing_left 'double forks and sessions of their own'
	drill ignore 'bash ignore.sh' --grace 1
	drill escape 'bash double.sh; echo up; trap "" TERM; while :; do sleep 1000; done' --grace 1
	drill bomb "python3 bomb.py $bomb" --mem 2G
	drill threads "python3 threads.py $threads" --mem 3G
done
is "$(cat "$cluster/n1.pid")" "$armd_pid" 'armd was never restarted'
ok 'armd is alive' kill -0 "$armd_pid"

# ---- memory ----

# The shell outlives the process that the kernel kills, until armd ends the whole job.
eat='python3 -c "x = bytearray(512 << 20)"; sleep 600; echo survived'
if [ "$how" = rlimit ]; then
	skip 'contain/rlimit does not limit memory'
else
	for ((round = 0; round < rounds; round++)); do
		submit oom "$eat" --mem 64M
		ok 'a job above its memory limit ends' wait_until 30 is_state OUT_OF_MEMORY || diag "it is $(state)"
		is "$(aqueue --noheader --format reason --state all "$id")" \
			'oom: used 64M, the limit of its memory' 'the reason has the word oom and the peak'
		like "$(tail -n 1 oom.out)" "^armada: job $id was ended on n1 at .*: used 64M, the limit of its memory$" \
			'the last line of its output says so'
		is "$(grep survived oom.out)" '' 'the whole job was killed'
		nothing_left oom
	done
	run asubmit --wait --mem 64M -o /dev/null -D "$work" --wrap "$eat"
	like "$err" 'oom: used 64M' 'asubmit --wait prints the reason'
	submit within 'python3 -c "x = bytearray(32 << 20)"' --mem 64M
	ok 'a job within its memory limit completes' wait_until 30 is_state COMPLETED
fi

# ---- usage figures ----

submit use 'python3 -c "
import time
x = bytearray(40 << 20)
while time.process_time() < 0.3: pass"; dd if=/dev/zero of=use.data bs=1M count=4 conv=fsync' --mem 128M
ok 'a job that uses cpu, memory and disk ends' wait_until 30 is_state COMPLETED
field()
{
	aqueue --json --state all "$id" | sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p"
}
ok "cpu_time is reported: $(field cpu_time)" [ "$(field cpu_time)" -ge 250000 ]
ok "max_rss is reported: $(field max_rss)" [ "$(field max_rss)" -ge $((40 << 20)) ]
ok "written_bytes is reported: $(field written_bytes)" [ -n "$(field written_bytes)" ]
if [ "$(stat -f -c %T "$work")" = tmpfs ]; then
	skip 'the test directory is on tmpfs'
else
	ok 'written_bytes counts what the job wrote' [ "$(field written_bytes)" -ge $((4 << 20)) ]
fi
like "$(aqueue --detail "$id")" 'Used +cpu 00:00:.., memory ' 'aqueue --detail shows usage'
like "$(actl show job "$id")" 'used cpu [0-9:]+, memory [0-9.]+[KMG]' 'actl show job shows the usage'

# ---- oom score and cgroup membership ----

submit score 'cat /proc/self/oom_score_adj'
ok 'a job that prints its oom_score_adj ends' wait_until 30 is_state COMPLETED
is "$(cat score.out)" "$([ "$root" ] && echo 0 || cat /proc/self/oom_score_adj)" \
	'the job has the default oom_score_adj'
submit own 'cat /proc/self/cgroup; echo up; sleep 1000'
wait_until 20 is_up own
if [ "$how" = rlimit ]; then
	skip 'contain/rlimit has no cgroups'
	skip 'contain/rlimit has no cgroups'
else
	like "$(cat own.out)" "armada-[0-9a-f]*-${id}_0.0.1" 'a job is in a cgroup of its name'
	for pid in "$armd_pid" $(pgrep -P "$armd_pid"); do
		unlike "$(cat "/proc/$pid/cgroup")" armada-.*_ "process $pid of armd is not in a job's cgroup"
	done
fi
acancel "$id"

# ---- a full disk under the output (root mounts a small tmpfs) ----

if [ "$root" ] && mkdir full && mount -t tmpfs -o size=1M tmpfs full 2>/dev/null; then
	submit full 'while echo 0123456789012345678901234567890123456789 2>/dev/null; do :; done; exit 7' \
		--output "$work/full/out" --error /dev/null
	ok 'a job that fills the disk of its output ends' wait_until 60 is_state FAILED || diag "it is $(state)"
	nothing_left full
	umount full
else
	skip 'no tmpfs can be mounted'
fi

# ---- shepherd and armd killed at once ----

shepherds()
{
	pgrep -P "$armd_pid" -x armd-shepherd
}
for ((round = 0; round < rounds; round++)); do
	submit lost 'bash double.sh; echo up; trap "" TERM; while :; do sleep 1000; done' --no-requeue
	wait_until 30 is_up lost
	wait_until 30 some_live 7
	armd_pid=$(cat "$cluster/n1.pid")
	kill -KILL "$armd_pid" $(shepherds)
	wait_until 10 test ! -d "/proc/$armd_pid" || :
	"$devcluster" restart "$cluster" n1
	ok 'the attempt is lost when armd and shepherd are killed at once' wait_until 30 is_state NODE_FAIL ||
		diag "it is $(state)"
	if [ "$how" = rlimit ]; then
		skip 'contain/rlimit cannot find the processes that were left'
		kill -KILL $(survivors) 2>/dev/null
	else
		is "$(survivors)" '' 'no process survives the lost attempt'
		is "$(groups)" '' 'no cgroup survives the lost attempt'
	fi
	rm -f lost.out
done
armd_pid=$(cat "$cluster/n1.pid")
submit after 'echo up'
ok 'the node runs the next job' wait_until 30 is_state COMPLETED

# ---- the shepherd killed, armd alive ----

submit alone 'bash double.sh; echo up; trap "" TERM; while :; do sleep 1000; done' --no-requeue
wait_until 30 is_up alone
wait_until 30 some_live 7
kill -KILL $(shepherds)
ok 'the attempt is lost when the shepherd is killed alone' wait_until 30 is_state NODE_FAIL || diag "it is $(state)"
nothing_left alone
is "$(cat "$cluster/n1.pid")" "$armd_pid" 'armd is alive'

done_testing
