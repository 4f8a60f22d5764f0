#!/bin/bash
# A store that is not as it must be, with a real controller: each is refused or waited for, in words that name the server,
# what is wrong and, where an administrator has to act, what to do. testsuite/state tests the engine alone.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/redis.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/failover.sh"
needs redis-server redis-cli
[ -f "$ARMADA_BUILDDIR/plugins.d/state_redis.so" ] || skip_all 'state/redis is not built: package libhiredis-dev'
test_under_armada 1 --cpus 4
"$devcluster" kill "$cluster" n1
"$devcluster" kill "$cluster" armctld
end_all()
{
	[ ! -e "$work/pid" ] || kill -KILL "$(cat "$work/pid")" 2>/dev/null
	redis_stop
}
at_exit=end_all
redis_start "$work/redis" || bail 'the Redis servers do not start'
mkdir -m 700 state run
# conf OPTION...: armada.conf, with these options of the plugin.
conf()
{
	{
		sed '/^\(controllers\|plugins\|state_dir\|run_dir\|auth\|listen\)\b/d' "$cluster/armada.conf"
		cat <<-X
		controllers = [ "ctl1=$work/run/s" ];
		plugins = { auth = { name = "munge"; socket = "$cluster/munge/s"; };
			state = { name = "redis"; servers = [ $redis_servers ]; lease = "500ms"; timeout = "500ms"; $* }; };
		state_dir = "$work/state";
		run_dir = "$work/run";
		X
	} >armada.conf
}
conf
export ARMADA_CONF=$work/armada.conf

# does_not_start WORDS DESCRIPTION: the controller ends with these words.
does_not_start()
{
	run timeout 60 armctld --name ctl1
	is "$status" 1 "$2: armctld does not start"
	like "$err" "$1" "$2: it says why"
}
all_servers()
{
	local i

	for i in 0 1 2; do
		redis_ask $i "$@" >/dev/null
	done
}
controller()
{
	armctld --name ctl1 >>"$work/log" 2>&1 </dev/null &
	echo $! >pid
	wait_until 60 has_leader
}
has_ended()
{
	! kill -0 "$1" 2>/dev/null
}
stop()
{
	kill "$(cat pid)" && wait_until 30 has_ended "$(cat pid)"
}

# ---- at the start ----

does_not_start "127.0.0.1:${redis_ports[0]} has no state under the prefix armada:.*--init" 'no state'
run armctld --init --name ctl1
is "$status" 0 'the state is made' || diag "$err"
run armctld --init --name ctl1
is "$status" 1 'it is made once'
all_servers config set appendfsync everysec
does_not_start "127.0.0.1:[0-9]*: appendfsync is 'everysec', but must be 'always'" 'a configuration that loses records'
all_servers config set appendfsync always
all_servers config set maxmemory-policy allkeys-lru
does_not_start "maxmemory-policy is 'allkeys-lru', but must be 'noeviction': records are deleted silently" 'a server that evicts'
all_servers config set maxmemory-policy noeviction
(umask 077 && echo wrong >password)
conf "password_file = \"$work/password\";"
does_not_start '127.0.0.1:[0-9]* refuses the password|refuses user' 'a password where there is none'
conf
ok 'the controller leads' controller || diag "$(tail -n 5 log)"
held=$(asubmit --parsable --hold --wrap true)

# ---- while it runs ----

says()
{
	actl ping >ping 2>/dev/null && grep -Eq "$1" ping
}
# A server without memory does not renew the lease either: no controller leads.
redis_ask 0 config set maxmemory 1 >/dev/null
ok 'out of memory: actl ping says so' wait_until 60 says \
	"^(Store|Problem): .*127.0.0.1:${redis_ports[0]} is out of memory" || diag "$(cat ping)" "$(tail -n 5 log)"
run asubmit --retry-for 0 --parsable --hold --wrap true
is "$status" 75 'out of memory: a submission is refused, and may be repeated'
redis_ask 0 config set maxmemory 0 >/dev/null
ok 'out of memory: the controller leads again afterwards' wait_until 60 has_leader
run asubmit --parsable --hold --wrap true
is "$status" 0 'out of memory: a job is accepted then' || diag "$err"
like "$(aqueue --noheader --format job)" "$held" 'the jobs are there'
ok 'the controller ends when it is told to' stop

# ---- data that went backwards, and another cluster ----

last=$(redis_ask 0 hget armada:head seq)
redis_ask 0 xdel armada:log "$last-0" >/dev/null
does_not_start "(went backwards|record $last|is missing)" 'a log that was cut'
like "$err" "$last" 'a log that was cut: with the position'
for key in $(redis_ask 0 keys 'armada:*'); do
	redis_ask 0 del "$key" >/dev/null
done
does_not_start 'went backwards: its log ends at record 0, but record [0-9]+ was acknowledged .*state/log.mark.*Nothing was changed: .*--recover' \
	'a store that was emptied'
mv state old
mkdir -m 700 state
run armctld --init --name ctl1
is "$status" 0 'another cluster is made in the store' || diag "$err"
mv state new
mv old state
does_not_start 'cluster' 'a store of another cluster'
unlike "$err" 'is ours' 'a store of another cluster: nothing is written to it'
for i in 0 1 2; do
	kill -KILL "${redis_pids[i]}"
done
does_not_start '127.0.0.1:[0-9]*.*(cannot be reached|refused)' 'servers that are away'
done_testing
