#!/bin/bash
# armctld --migrate: a state moves from SQLite to Redis and back, with its history, and each record is read back and
# compared. A running controller and a prefix that is not empty are refused; a refusal changes nothing.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/redis.sh"
needs redis-server python3 sqlite3
[ -f "$ARMADA_BUILDDIR/plugins.d/state_redis.so" ] || skip_all 'state/redis is not built: package libhiredis-dev'
test_under_armada 1 --cpus 4
at_exit=redis_stop
redis_start "$work/redis" || bail 'the Redis servers do not start'

state=$cluster/state
conf=$cluster/armada.conf
cp "$conf" "$work/sqlite.conf"
use_redis()
{
	sed "s|^plugins = {|plugins = { state = { name = \"redis\"; servers = [ $redis_servers ]; lease = \"500ms\"; ${1:-} };|" \
		"$work/sqlite.conf" >"$conf"
}
sums() { (cd "$state" && md5sum log.mark order.key); }
head_of() { redis_ask 0 hget armada:head "$1"; }

ended=$(asubmit --parsable --wrap 'exit 3')
wait_until 20 job_ended "$ended"
result $? 'a job ends'
held=$(asubmit --parsable --hold --wrap true)

use_redis
run armctld --migrate sqlite redis
is "$status" 1 'a running controller is refused'
like "$err" 'held by another controller \(pid [0-9]+\)' 'the message names it'
"$devcluster" kill "$cluster" armctld
before=$(sums)

run armctld --migrate sqlite
is "$status" 2 'one plugin alone is refused'
run armctld --migrate sqlite sqlite
like "$err" 'two different plugins' 'the same plugin twice is refused'
run armctld --migrate other redis
is "$status" 1 'an unknown plugin is refused'
redis_ask 0 set armada:something 1 >/dev/null
run armctld --migrate sqlite redis
is "$status" 1 'a prefix that is not empty is refused'
like "$err" "already holds 'armada:something' under the prefix armada:" 'the message names the key'
redis_ask 0 del armada:something >/dev/null
use_redis 'tls = true;'
run armctld --migrate sqlite redis
like "$err" 'has no TLS' 'tls = true is refused in words'
use_redis
is "$(sums)" "$before" 'refusals have changed nothing'
[ ! -e "$state/migrate" ]
result $? 'and left nothing'

run armctld --migrate sqlite redis
is "$status" 0 'the state moves to Redis'
like "$out" 'moved the state from sqlite to redis: .* [1-9][0-9]* records after it, each of which was read back' \
	'the message has the numbers'
is "$(head_of seq)" "$(head_of acked)" 'all records are acknowledged'
[ ! -e "$state/log.db" ] && ls "$state"/log.db.sqlite-* >/dev/null
result $? 'the old log has another name'
cmp -s <(sqlite3 -readonly "$state/history.db" 'SELECT job_id, state FROM jobs') <(echo "$ended|FAILED")
result $? 'the history is where it was'

run armctld --migrate redis sqlite
is "$status" 0 'the state moves back'
like "$out" "now set plugins: state to 'sqlite'" 'the message says what to do'
cp "$work/sqlite.conf" "$conf"
"$devcluster" restart "$cluster" armctld >/dev/null
result $? 'the controller starts on it'
is "$(aqueue --noheader --format state "$held")" PENDING 'the waiting job is there'
is "$(aacct --noheader --format state "$ended")" FAILED 'and the job that has ended'
"$devcluster" kill "$cluster" armctld

# a log in Redis that has lost its end: the mark of state_dir says so, and --recover keeps the rest
redis_ask 0 --scan --pattern 'armada:*' | while read -r key; do redis_ask 0 del "$key"; done >/dev/null
use_redis
run armctld --migrate sqlite redis
is "$status" 0 'the state moves again'
last=$(head_of seq)
redis_ask 0 xdel armada:log "$last-0" >/dev/null
run armctld --recover
like "$out" "Lost: *records $last to $last" 'what is missing in Redis is found'
run armctld --recover --yes
is "$status" 0 'the rest is kept'
is "$(head_of snap)" "$((last + 1000000))" 'in a new log'
like "$(redis_ask 0 keys 'armada:log*')" 'armada:log.damaged-' 'the old one has another name'
run armctld --recover
like "$out" 'nothing to recover' 'and then it is good'
done_testing
