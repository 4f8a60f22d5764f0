#!/bin/bash
# armd: what it refuses, whom it runs as, and that tasks and their ends outlive it and the controller.
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
	like "$err" "$pattern" "it says: $pattern"
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
refused 2 'some cpu' --cpus 0
refused 2 'memory' --memory lots
refused 2 'key=value' --label fast
refused 2 'host:port' --controller head
refused 2 'slash' --spool spool

# ---- refusals at start ----

# changed SED: a configuration that differs.
changed()
{
	sed "$1" "$cluster/armada.conf" >changed.conf
}
refused 1 'nothing.conf' --config "$work/nothing.conf"
changed 's/^controller_user.*/controller_user = "no-such-user";/'
refused 1 'controller_user: there is no user "no-such-user"' -f changed.conf -s "$work/spool"
if [ "$root" ]; then
	changed 's/^agent_user.*/agent_user = "no-such-user";/'
	refused 1 'agent_user: there is no user "no-such-user"' -f changed.conf -s "$work/spool"
else
	skip 'only root changes its user'
	skip 'only root changes its user'
fi
mkdir -m 755 plugins && cp "$cluster"/plugins/*.so plugins/ && chmod 666 plugins/auth_munge.so
changed "s|^plugin_dir.*|plugin_dir = \"$work/plugins\";|"
refused 1 'auth_munge.so' -f changed.conf -s "$work/spool"
refused 1 'spool' -f "$cluster/armada.conf" -s "$cluster/spool/n1"

# ---- whom it runs as ----

# The child of armd that is no shepherd.
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
is "$(field Uid)" "$uid $uid $uid $uid" "the network process is $agent in every way"
is "$(field NoNewPrivs)" 1 'and can gain nothing'
if [ "$root" ]; then
	is "$(field Groups)" '' 'it is in no group of root'
	is "$(field CapPrm)" 0000000000000000 'and has no capability'
	is "$(find "/proc/$network/fd" -lname "$cluster/spool/*")" '' 'nor anything of the spool open'
	nobody=(setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups)
	# A build tree in root's home is not for others to run programs in.
	install -m 755 "$(command -v asubmit)" asubmit
	run "${nobody[@]}" ./asubmit --wait --parsable -D "$work" -o "$work/who.out" --wrap 'id -u; id -G; exit 4'
	is "$status" 4 'a job of another user ends as it does'
	is "$(paste -sd ' ' who.out)" "$(id -u nobody) $(id -g nobody)" 'it ran as that user'
	is "$(stat -c %U who.out)" nobody 'who owns its output (S1)'
else
	for i in 1 2 3 4 5 6; do
		skip 'only root has something to give up'
	done
fi

# ---- tasks go on ----

# task CODE: a task that says that it is up, waits for the file go.CODE, and ends with the code.
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
ok 'a task goes on when armd is killed' go 7
"$devcluster" restart "$cluster" n1
ok 'the next armd reports how it ended' ends 7

task 8
"$devcluster" kill "$cluster" n1
"$devcluster" restart "$cluster" n1
ok 'a new armd finds a task that runs' wait_until 20 is_running
go 8
ok 'and reports its end' ends 8

task 9
before=$(grep -c 'registered with' "$log")
kill -KILL "$(network_pid)"
ok 'the end of the network process is noticed' wait_until 20 grep -q 'network process was killed' "$log"
ok 'it is started anew and registers' wait_until 20 registrations "$before"
go 9
ok 'and no task notices' ends 9

task 10
"$devcluster" kill "$cluster" armctld
ok 'a task goes on without the controller' go 10
"$devcluster" restart "$cluster" armctld
ok 'which learns its end when it is back' ends 10

task 11
kill -HUP "$(cat "$cluster/n1.pid")"
ok 'SIGHUP is noted' wait_until 20 grep -q SIGHUP "$log"
kill -TERM "$(cat "$cluster/n1.pid")"
ok 'SIGTERM ends armd' wait_until 20 grep -q 'stopped; tasks run on' "$log"
ok 'and leaves the task' go 11
"$devcluster" restart "$cluster" n1
ok 'whose end the next armd reports' ends 11

done_testing
