#!/bin/bash
# A controller that comes late has the history of the others: aacct, awatch and actl show the same after it has taken
# over. The log begins with a snapshot, because the state was moved from SQLite, so it does not have what ended before.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/redis.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/failover.sh"
needs redis-server redis-cli
[ -f "$ARMADA_BUILDDIR/plugins.d/state_redis.so" ] || skip_all 'state/redis is not built: package libhiredis-dev'
test_under_armada 1 --cpus 4

# shown: everything that the history shows.
shown()
{
	aacct --json "$(paste -sd, ended)" && aacct --usage --by user --json && actl show job --script "$array" || return
	# its exit code is that of the jobs
	timeout 20 awatch --exit-when-done --job-set set
}

for i in 1 2; do
	asubmit --parsable --job-set set -o /dev/null -- sh -c "exit $i" >>ids
done
array=$(asubmit --parsable --job-set set -o /dev/null --array 1-3 --wrap 'echo a script')
held=$(asubmit --parsable --hold --job-set held --wrap true)
{ cat ids && echo "$array"; } >ended
for id in $(cat ended); do
	wait_until 30 job_ended "$id"
done
shown >before
like "$(cat before)" 'exit code 2' 'jobs have ended before there is another controller'
like "$(cat before)" 'echo a script' 'with a script'
like "$(cat before)" 'succeeded' 'and with events'

# ---- from SQLite to Redis, with two controllers ----

stop_gently()
{
	kill "$(cat "$cluster/armctld.pid")" && wait_until 30 ended "$(cat "$cluster/armctld.pid")"
}
ended()
{
	! kill -0 "$1" 2>/dev/null
}
end_all()
{
	kill -KILL "${pids[@]}" 2>/dev/null
	redis_stop
}
declare -A pids=()
at_exit=end_all
"$devcluster" kill "$cluster" n1
ok 'the controller ends, with a snapshot' stop_gently
redis_start "$work/redis" || bail 'the Redis servers do not start'
mkdir -m 700 ctl2 run1 run2
mv "$cluster/state" ctl1
{
	sed '/^\(controllers\|plugins\|state_dir\|run_dir\|auth\|listen\)\b/d' "$cluster/armada.conf"
	cat <<-X
	controllers = [ "ctl1=$work/run1/s", "ctl2=$work/run2/s" ];
	plugins = { auth = { name = "munge"; socket = "$cluster/munge/s"; };
		state = { name = "redis"; servers = [ $redis_servers ]; lease = "500ms"; }; };
	state_dir = "$work/%n";
	run_dir = "$work/run-%n";
	X
} >armada.conf
export ARMADA_CONF=$work/armada.conf
run armctld --migrate sqlite redis --name ctl1
is "$status" 0 'the state moves to Redis' || diag "$err"
cp -p ctl1/order.key ctl2/

# controller NAME: starts it.
controller()
{
	armctld --name "$1" >>"$1.log" 2>&1 </dev/null &
	pids[$1]=$!
}
# gone NAME: kills it.
gone()
{
	kill -KILL "${pids[$1]}"
	wait "${pids[$1]}" 2>/dev/null
}
led_by()
{
	[ "$(leader)" = "$1" ]
}
stand_by()
{
	roles | grep -q "^$1 standby"
}
said()
{
	[ "$(grep -c "$2" "$1.log")" -ge "${3:-1}" ]
}
shows()
{
	actl ping >ping && grep -q "$1" ping
}

# ---- a controller without state, at first alone ----

controller ctl2
ok 'it leads without the history' wait_until 60 led_by ctl2 || diag "$(tail -n 5 ctl2.log)"
ok 'actl ping says so' wait_until 30 shows \
	'lacks the jobs that ended in the records 1 to [0-9]*; no controller gives them now: controller ctl1: .*run1/s' ||
	diag "$(cat ping)"
like "$(actl ping --json)" '"history": "lacks the jobs' 'also as JSON'
ok 'a file keeps it' test -s ctl2/history.gap
gone ctl2
cp ctl2/history.gap gap
printf damaged >ctl2/history.gap

controller ctl1
ok 'the controller with the history leads' wait_until 60 led_by ctl1 || diag "$(tail -n 5 ctl1.log)"
controller ctl2
ok 'the other one copies the history' wait_until 60 said ctl2 'the history is complete up to record' ||
	diag "$(tail -n 5 ctl2.log)"
ok 'after it has said that its file is damaged' said ctl2 'history.gap is damaged'
ok 'nothing is missing any more' test ! -e ctl2/history.gap
asubmit --parsable --hold --job-set held --wrap true >>ids
ok 'it stands by' wait_until 30 stand_by ctl2
ok 'it takes the lead over' actl takeover ctl2
ok 'and leads' wait_until 30 led_by ctl2
shown >after
is "$(diff before after)" '' 'then everything is shown as before'
like "$(aqueue --noheader --format job,state)" "$held *PENDING" 'and the waiting job is there'
run aacct --noheader --format id --state FAILED
is "$(sort <<<"$out" | tr -d ' ')" "$(head -n 2 ids | sort)" 'a filter finds the jobs'

# ---- a damaged history ----

gone ctl1
echo damaged >ctl1/history.db
rm -f ctl1/history.db-*
controller ctl1
ok 'a damaged history is set aside' wait_until 60 said ctl1 'history.db was set aside'
ok 'and a copy takes its place' wait_until 60 said ctl1 'the history is complete up to record' ||
	diag "$(tail -n 5 ctl1.log)"
ok 'its controller stands by' wait_until 30 stand_by ctl1
ok 'and takes the lead over' actl takeover ctl1
ok 'and leads' wait_until 30 led_by ctl1
shown >after
is "$(diff before after)" '' 'then everything is shown as before'

# ---- a history that nobody has ----

snapshot=$(redis_ask 0 hget armada:head snap)
gone ctl2
kill "${pids[ctl1]}"
wait "${pids[ctl1]}"
is "$?" 0 'the leader is stopped' || diag "$(tail -n 5 ctl1.log)"
is "$(redis_ask 0 hget armada:head leader)" '' 'it has given the lead up'
is "$(redis_ask 0 hget armada:head snap)" "$snapshot" 'without a snapshot'
for name in ctl1 ctl2; do
	echo damaged >$name/history.db
	rm -f $name/history.db-*
done
controller ctl1
controller ctl2
one_said()
{
	grep -q 'are in the history of no controller any more' ctl1.log ctl2.log
}
ok 'what no controller has is lost, and the log of one says so' wait_until 60 one_said ||
	diag "$(tail -n 5 ctl1.log)"
none_lacks()
{
	[ ! -e ctl1/history.gap ] && [ ! -e ctl2/history.gap ]
}
ok 'then none lacks anything any more' wait_until 60 none_lacks

# ---- the copies lose records that one controller never saw ----

# attended NAME: it stands by. If it has ended, it starts again, as under a service manager.
attended()
{
	if ! jobs -pr | grep -qx "${pids[$1]}"; then
		tail -n 3 "$1.log" >>restarted
		controller "$1"
	fi
	stand_by "$1"
}

ok 'ctl2 leads' wait_until 60 eval 'led_by ctl2 || { actl takeover ctl2 >out 2>&1; false; }'
gone ctl1
cp -a ctl1 ctl1.old
redis_ask 0 eval "redis.call('hset', KEYS[2], unpack(redis.call('hgetall', KEYS[1])))" 2 armada:head armada:before >out
controller ctl1
ok 'the other one is back' wait_until 30 stand_by ctl1
ok 'and leads' wait_until 30 eval 'led_by ctl1 || { actl takeover ctl1 >out 2>&1; false; }'
ok 'ctl2 stands by' wait_until 60 attended ctl2 || diag "$(tail -n 5 ctl2.log)"
[ ! -e restarted ] || diag "it had ended: $(cat restarted)"
asubmit --parsable --hold --job-set held --wrap true >>ids
ok 'both know the last record' wait_until 30 cmp -s ctl1/log.mark ctl2/log.mark
kill -STOP "${pids[ctl2]}"
gone ctl1
rm -rf ctl1
mv ctl1.old ctl1
redis_ask 0 eval "redis.call('del', KEYS[1])
	redis.call('hset', KEYS[1], unpack(redis.call('hgetall', KEYS[2])))
	local seq = redis.call('hget', KEYS[1], 'seq')
	for _, r in ipairs(redis.call('xrange', KEYS[3], '(' .. seq .. '-0', '+')) do redis.call('xdel', KEYS[3], r[1]) end
	redis.call('xsetid', KEYS[3], seq .. '-0')" 3 armada:head armada:before armada:log >out
redis_ask 0 client kill type normal >out
kill -CONT "${pids[ctl2]}"
ok 'a standby that knows more does not lead' wait_until 30 said ctl2 \
	'does not lead, and follows no more: .*went backwards' || diag "$(tail -n 5 ctl2.log)"
controller ctl1
ok 'one that never saw the records is told, and ends' wait_until 60 said ctl1 \
	'controller ctl2 knows more than the store has: .*its log ends at record [0-9]*, but record [0-9]* was acknowledged' ||
	diag "$(tail -n 5 ctl1.log)"
wait "${pids[ctl1]}"
is "$?" 1 'it has ended'
ok 'the other one still runs' kill -0 "${pids[ctl2]}"
gone ctl2
controller ctl1
wait "${pids[ctl1]}"
like "$(tail -n 1 ctl1.log)" 'was acknowledged .*ctl1/log.mark' 'it remembers what it was told'
done_testing
