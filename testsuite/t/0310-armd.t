#!/bin/bash
# armd: what it refuses, whom it runs as, and that tasks and their ends outlive it and the controller.
dir=$(mktemp -d "${TMPDIR:-/tmp}/armd-t.XXXXXX") || exit 99
chmod 755 "$dir"
me=$(id -un)
root=$([ "$(id -u)" = 0 ] && echo yes)
agent=$([ "$root" ] && echo nobody || echo "$me")
n=0
declare -A pid
unset NOTIFY_SOCKET JOURNAL_STREAM
export ARMADA_CONF=$dir/armada.conf
PATH=$ARMADA_BUILDDIR:$PATH:/usr/sbin:/sbin

ok() { # status description
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		sed 's/^/# /' "$dir/out" 2>/dev/null
		tail -n 5 "$dir"/*.log | sed 's/^/# /'
	fi
}
skip() { # description
	n=$((n + 1))
	echo "ok $n # SKIP $1"
}
runs() { # wanted exit code, description, arguments of armd...
	local want=$1 what=$2 got
	shift 2
	timeout 20 armd "$@" >"$dir/out" 2>&1
	got=$?
	[ "$got" -eq "$want" ]
	ok $? "$what (exit $got, wanted $want)"
}
says() { # pattern
	grep -q -- "$1" "$dir/out"
	ok $? "it says: $1"
}
await() { # command...: until it succeeds, 30 s at most
	local i
	for ((i = 0; i < 600; i++)); do
		"$@" >"$dir/out" 2>&1 && return
		sleep 0.05
	done
	return 1
}
conf() { # agent_user
	cat >"$ARMADA_CONF" <<X
cluster = "test";
controllers = ["$dir/run/c.sock"];
controller_user = "$me";
agent_user = "$1";
state_dir = "$dir/state";
spool_dir = "$dir/spool";
run_dir = "$dir/run";
plugin_dir = "$dir/plugins";
agents: { heartbeat = "200ms"; node_timeout = "1s"; reconnect_max = "200ms"; };
security: { min_uid = $(($(id -u) < 1000 ? $(id -u) : 1000)); allow_root_jobs = true; };
plugins: { auth: { name = "munge"; socket = "$dir/munge.sock"; }; };
X
}
start() { # name program arguments...
	"${@:2}" >>"$dir/$1.log" 2>&1 </dev/null &
	pid[$1]=$!
}
stop() { # name signal
	[ "${pid[$1]}" ] || return
	kill "-$2" "${pid[$1]}" 2>/dev/null
	wait "${pid[$1]}" 2>/dev/null
	status=$?
	unset "pid[$1]"
}
start_armctld() { start armctld armctld; }
start_node() { start "$1" armd --node "$1" --cpus 4 --memory 4G -v; }

network_pid() { # the child of armd that is no shepherd
	local p
	for p in $(pgrep -P "${pid[$tag]}"); do
		grep -q "^NoNewPrivs:.*1" "/proc/$p/status" && echo "$p"
	done
}
shepherds() { # of this test's nodes, by their spools
	local f
	for f in /proc/[0-9]*/cmdline; do
		{ tr '\0' ' ' <"$f"; } 2>/dev/null | grep -q "armd --node $tag" && echo "$f" | cut -d/ -f3
	done
}
clean_up() {
	local p
	for p in armctld "$tag" munged; do
		stop "$p" KILL
	done
	# Shepherds outlive armd; they end their tasks when they end.
	p=$(shepherds)
	[ -z "$p" ] || kill -KILL $p 2>/dev/null
	rm -rf "$dir"
}
tag=t$$
trap clean_up EXIT
trap 'exit 99' INT TERM

# ---- wrong usage ----

runs 0 "--help" --help
says "--controller"
runs 0 "--version" --version
runs 2 "an unknown option" --no-such-thing
runs 2 "a stray word" start
runs 2 "a node with a slash in its name" --node ../n1
says "letters and digits"
runs 2 "no cpus" --cpus 0
runs 2 "memory that is no size" --memory lots
runs 2 "a label without a value" --label fast
says "key=value"
runs 2 "a controller without a port" --controller head
runs 2 "a spool that is not a path from the root" --spool spool

# ---- refusals at start ----

mkdir -p "$dir"/{plugins,run,spool,work} && mkdir -m 700 "$dir/state"
chmod 755 "$dir"/{plugins,run,spool}
cp "$ARMADA_BUILDDIR"/plugins.d/*.so "$dir/plugins/" && chmod 644 "$dir"/plugins/*.so
mungekey --create --keyfile="$dir/key" || exit 99
start munged munged --foreground --socket="$dir/munge.sock" --key-file="$dir/key" \
	--pid-file="$dir/pid" --log-file="$dir/munged.log" --seed-file="$dir/seed"
await test -S "$dir/munge.sock"

runs 1 "a configuration that is not there" --config "$dir/nothing.conf"
says "nothing.conf"
conf "$agent"
sed -i 's/^controller_user.*/controller_user = "no-such-user";/' "$ARMADA_CONF"
runs 1 "a controller_user that does not exist" --node "$tag"
says 'controller_user: there is no user "no-such-user"'
if [ "$root" ]; then
	conf no-such-user
	runs 1 "an agent_user that does not exist" --node "$tag"
	says 'agent_user: there is no user "no-such-user"'
else
	skip "only root changes its user"
	skip "only root changes its user"
fi
conf "$agent"
chmod 666 "$dir/plugins/auth_munge.so"
runs 1 "a plugin that others may write" --node "$tag"
says "auth_munge.so"
chmod 644 "$dir/plugins/auth_munge.so"

# ---- a node without a controller ----

start_node "$tag"
await grep -q "node $tag, spool" "$dir/$tag.log"
ok $? "it starts without a controller"
await grep -q "c.sock: .*No such file" "$dir/$tag.log"
ok $? "and says that there is none"
runs 1 "a second one on the same spool" --node "$tag"
says "spool"

confined() { [ "$(network_pid)" ]; }
await confined
ok $? "the network process can gain nothing"
network=$(network_pid)
[ "$(stat -c %U "/proc/$network")" = "$agent" ] ||
	[ "$(awk '/^Uid:/ { print $2, $3, $4, $5 }' "/proc/$network/status")" = \
		"$(id -u "$agent") $(id -u "$agent") $(id -u "$agent") $(id -u "$agent")" ]
ok $? "it is $agent in every way"
if [ "$root" ]; then
	[ -z "$(awk '/^Groups:/ { $1 = ""; print }' "/proc/$network/status" | tr -d ' \t')" ]
	ok $? "without groups"
	[ "$(awk '/^CapPrm:|^CapEff:/ { print $2 }' "/proc/$network/status" | sort -u)" = \
		0000000000000000 ]
	ok $? "and without capabilities"
	! find "/proc/$network/fd" -lname "$dir/spool/*" 2>/dev/null | grep -q .
	ok $? "and nothing of the spool is open in it"
else
	skip "groups of root"
	skip "capabilities of root"
	skip "files of the launcher"
fi

# ---- work ----

armctld --init >"$dir/out" 2>&1 || exit 99
start_armctld
node_is() { anode --noheader --format name,state | grep -qE "^ *$tag +$1 *$"; }
await node_is up
ok $? "it registers once there is one"

cd "$dir/work" || exit 99
submit() { asubmit --parsable -o "$dir/work/%j.out" --wrap "$1"; }
ended() { # id exit-code
	actl show job "$1" 2>&1 | tee "$dir/out" | grep -q "exit $2:"
}
running() { aqueue --noheader "$1" | grep -qE '\bR\b'; }
has_line() { grep -qsx -- "$2" "$1"; }

id=$(submit 'echo up; while [ ! -e go1 ]; do sleep 0.05; done; echo done; exit 7')
await has_line "$id.out" up
ok $? "a job runs"
stop "$tag" KILL
touch go1
await has_line "$id.out" done
ok $? "and goes on when armd is killed"
start_node "$tag"
await ended "$id" 7
ok $? "its exit status is not lost"

id=$(submit 'echo up; while [ ! -e go2 ]; do sleep 0.05; done; echo done; exit 8')
await has_line "$id.out" up
stop "$tag" KILL
start_node "$tag"
await node_is up
await running "$id"
ok $? "a new armd finds the task again"
touch go2
await ended "$id" 8
ok $? "and reports its end"

id=$(submit 'echo up; while [ ! -e go3 ]; do sleep 0.05; done; echo done; exit 9')
await has_line "$id.out" up
network=$(network_pid)
kill -KILL "$network"
await grep -q "network process was killed" "$dir/$tag.log"
ok $? "the end of the network process is noticed"
registered() { [ "$(grep -c "registered with" "$dir/$tag.log")" -ge "$1" ]; }
await registered 4
ok $? "and it is started anew"
touch go3
await ended "$id" 9
ok $? "no task notices"

id=$(submit 'echo up; while [ ! -e go4 ]; do sleep 0.05; done; echo done; exit 10')
await has_line "$id.out" up
stop armctld KILL
touch go4
await has_line "$id.out" done
ok $? "a task goes on without the controller"
start_armctld
await ended "$id" 10
ok $? "which learns its end when it is back"

id=$(submit 'echo up; while [ ! -e go5 ]; do sleep 0.05; done; echo done; exit 11')
await has_line "$id.out" up
kill -HUP "${pid[$tag]}"
await grep -q "SIGHUP" "$dir/$tag.log"
ok $? "SIGHUP is noted"
stop "$tag" TERM
[ "$status" -eq 0 ]
ok $? "SIGTERM ends armd with exit 0"
touch go5
await has_line "$id.out" done
ok $? "and leaves the task"
start_node "$tag"
await ended "$id" 11
ok $? "whose end is reported by the next armd"

# ---- a storm of kills: each job runs once, each exit status arrives ----

ids=()
for i in {1..20}; do
	ids+=("$(submit "echo \$ARMADA_JOB_ID \$ARMADA_ATTEMPT >>once; sleep 0.$((i % 10)); exit $i")")
done
for i in {1..8}; do
	sleep "0.$((i * 37 % 10))"
	stop "$tag" KILL
	[ $((i % 3)) -ne 0 ] || { stop armctld KILL && start_armctld; }
	start_node "$tag"
done
lost=0
for i in {1..20}; do
	await ended "${ids[i - 1]}" "$i" || lost=$((lost + 1))
done
[ "$lost" -eq 0 ]
ok $? "20 jobs under kill -9 of armd and armctld: every exit status arrives ($lost lost)"
sort once >"$dir/out"
[ "$(sort -u once | wc -l)" -eq 20 ] && [ "$(wc -l <once)" -eq 20 ]
ok $? "and each ran once"

echo "1..$n"
