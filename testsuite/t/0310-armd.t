#!/bin/bash
# armd: what it refuses, its user, and that tasks and their end records outlive armd and the
# controller.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
needs pgrep

[ "$(id -u)" = 0 ] && root=yes agent=daemon || root='' agent=$(id -un)
cat >quick.conf <<X
agent_user = "$agent";
agents = { heartbeat = "200ms"; node_timeout = "1s"; reconnect_max = "200ms"; };
X
test_under_armada 1 --conf quick.conf
log=$cluster/log/n1.log
chmod 777 "$work"

# ---- wrong usage ----

# refused EXIT PATTERN ARGUMENT...
refused()
{
	local want=$1 pattern=$2

	shift 2
	run timeout 20 armd "$@"
	is "$status" "$want" "armd $*: exit $want"
	like "$err" "$pattern" "the error has: $pattern"
}

run armd --help
is "$status" 0 '--help'
while read -r option; do
	ok "armd(8) has $option" grep -q -- "${option//-/\\\\-}" "$ARMADA_SRCDIR/man/armd.8"
done < <(grep -oE -- '--[a-z-]+' <<<"$out" | sort -u)
run armd --version
like "$out" '^armd \(Armada\) [0-9]' '--version'
refused 2 'no-such-thing' --no-such-thing
refused 2 'options only' start
refused 2 'letters and digits' --node ../n1
refused 2 'more than 0 cpus' --cpus 0
refused 2 'memory' --memory lots
refused 2 'key=value' --label fast
refused 2 'host:port' --controller head
refused 2 'slash' --spool spool

# ---- refusals at start ----

# changed SED: a configuration that differs from the cluster's.
changed()
{
	sed "$1" "$cluster/armada.conf" >changed.conf
}
refused 1 'nothing.conf' --config "$work/nothing.conf"
changed 's/^controller_user.*/controller_user = "no-such-user";/'
refused 1 "controller_user: there is no user 'no-such-user'" -f changed.conf -s "$work/spool"
if [ "$root" ]; then
	changed 's/^agent_user.*/agent_user = "no-such-user";/'
	refused 1 "agent_user: there is no user 'no-such-user'" -f changed.conf -s "$work/spool"
else
	skip 'only root changes its user'
	skip 'only root changes its user'
fi
mkdir -m 755 plugins && cp "$cluster"/plugins/*.so plugins/ && chmod 666 plugins/auth_munge.so
changed "s|^plugin_dir.*|plugin_dir = \"$work/plugins\";|"
refused 1 'auth_munge.so' -f changed.conf -s "$work/spool"
refused 1 'spool' -f "$cluster/armada.conf" -s "$cluster/spool/n1"

# ---- its user ----

# The child of armd that is not a shepherd.
network_pid()
{
	local p

	for p in $(pgrep -P "$(cat "$cluster/n1.pid")"); do
		grep -q '^NoNewPrivs:.*1' "/proc/$p/status" && echo "$p" && return
	done
	return 1
}
field()
{
	awk -v name="$1:" '$1 == name { $1 = ""; print substr($0, 2) }' "/proc/$network/status"
}
network=$(network_pid)
uid=$(id -u "$agent")
is "$(field Uid)" "$uid $uid $uid $uid" "all uids of the network process are $agent's"
is "$(field NoNewPrivs)" 1 'the network process can gain no privileges'
if [ "$root" ]; then
	is "$(field Groups)" '' 'the network process has no supplementary group of root'
	is "$(field CapPrm)" 0000000000000000 'the network process has no capability'
	is "$(find "/proc/$network/fd" -lname "$cluster/spool/*")" '' 'the network process has no file of the spool open'
	nobody=(setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups)
	# Other users may not be able to run programs of a build tree in root's home.
	install -m 755 "$(command -v asubmit)" asubmit
	run "${nobody[@]}" ./asubmit --wait --parsable -D "$work" -o "$work/who.out" --wrap 'id -u; id -G; exit 4'
	is "$status" 4 "the exit code of another user's job is reported"
	is "$(paste -sd ' ' who.out)" "$(id -u nobody) $(id -g nobody)" 'the job ran as that user'
	is "$(stat -c %U who.out)" nobody "that user owns the job's output"
else
	for i in 1 2 3 4 5 6; do
		skip 'only root has privileges to drop'
	done
fi

# ---- tasks outlive armd and the controller ----

# task CODE: a task that writes "up", waits for the file go.CODE, and exits with CODE.
task()
{
	id=$(asubmit --parsable -o "$work/$1.out" \
		--wrap "echo up; while [ ! -e go.$1 ]; do sleep 0.02; done; echo done; exit $1")
	wait_until 20 grep -qx up "$1.out"
}
go()
{
	touch "go.$1"
	wait_until 20 grep -qx 'done' "$1.out"
}
ended()
{
	actl show job "$id" | grep -q "exit $1:"
}
ends()
{
	wait_until 20 ended "$1"
}
is_running()
{
	aqueue --noheader --format id --state running "$id" | grep -q .
}
registrations()
{
	[ "$(grep -c 'registered with' "$log")" -gt "$1" ]
}

task 7
"$devcluster" kill "$cluster" n1
ok 'a task continues when armd is killed' go 7
"$devcluster" restart "$cluster" n1
ok "the next armd reports the task's exit code" ends 7

task 8
"$devcluster" kill "$cluster" n1
"$devcluster" restart "$cluster" n1
ok 'a new armd finds a running task' wait_until 20 is_running
go 8
ok "the new armd reports the task's end" ends 8

task 9
before=$(grep -c 'registered with' "$log")
kill -KILL "$(network_pid)"
ok 'the death of the network process is logged' wait_until 20 grep -q 'network process was killed' "$log"
ok 'the network process is restarted and registers' wait_until 20 registrations "$before"
go 9
ok 'the task is not affected' ends 9

task 10
"$devcluster" kill "$cluster" armctld
ok 'a task continues without the controller' go 10
"$devcluster" restart "$cluster" armctld
ok "the restarted controller learns of the task's end" ends 10

task 11
kill -HUP "$(cat "$cluster/n1.pid")"
ok 'SIGHUP is logged' wait_until 20 grep -q SIGHUP "$log"
kill -TERM "$(cat "$cluster/n1.pid")"
ok 'SIGTERM ends armd' wait_until 20 grep -q 'stopped; tasks continue' "$log"
ok 'the task continues after SIGTERM to armd' go 11
"$devcluster" restart "$cluster" n1
ok "the next armd reports the task's end" ends 11

done_testing
