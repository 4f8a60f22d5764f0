#!/bin/bash
# How jobs end: with a warning signal, at a time limit whose source is named, by their script alone,
# by signals, by a shutdown of the machine; with armd killed meanwhile. The test depends on the
# order of events only, not on times.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs ps

# The script and its child log the signals they get in NAME.log. A child that is `deaf` continues
# after SIGTERM.
cat >hears <<'X2'
#!/bin/bash
# hears NAME CHILD [END]: CHILD is obey, deaf or none; END is the exit code of the script on SIGTERM
log=${0%/*}/$1.log
say()
{
	echo "$*" >>"$log"
}
child()
{
	trap 'say child USR1' USR1
	trap 'say child HUP' HUP
	case $1 in
	deaf) trap 'say child TERM' TERM ;;
	*) trap 'say child TERM; exit 0' TERM ;;
	esac
	say "child $BASHPID"
	while :; do read -rt 0.02 <> <(:); done
}
trap 'say script USR1' USR1
trap 'say script HUP' HUP
trap 'say script TERM; exit "${end:-9}"' TERM
end=${3:-9}
if [ "$2" != none ]; then
	child "$2" &
fi
say "script $$ attempt $ARMADA_ATTEMPT"
while :; do read -rt 0.02 <> <(:); done
X2
chmod 755 hears

cat >conf <<'X2'
queues = ( { name = "fast"; default_time = "2s"; max_time = "1h"; } );
priority_classes = (
	{ name = "armada-default"; priority = 1000; },
	{ name = "quick"; priority = 1000; max_time = "2s"; }
);
limits = { max_time_limit = "2d"; max_grace_period = "2m"; };
X2

test_under_armada 2 --cpus 8 --memory 8G --conf conf

# submit NAME CHILD [option...]: prints the job id
submit()
{
	local name=$1 child=$2

	shift 2
	asubmit --parsable --output=/dev/null --memory 10M "$@" -- "$work/hears" "$name" "$child"
}

# says NAME WORDS: the log has a line that begins so
says()
{
	grep -q "^$2" "$1.log" 2>/dev/null
}

# prints the lines of the log in order, without their numbers
order()
{
	sed 's/ [0-9].*//' "$1.log" | tr '\n' ' '
}

# at NAME WORDS: prints the number of the first such line
at()
{
	grep -n "^$2" "$1.log" | head -n 1 | cut -d: -f1
}

pid_in()
{
	sed -n "s/^$2 \([0-9][0-9]*\).*/\1/p" "$1.log" | tail -n 1
}

dead()
{
	! kill -0 "$1" 2>/dev/null
}

state()
{
	aqueue --noheader --state all --format state "$1" | tr -d ' '
}

reason()
{
	aqueue --noheader --state all --format reason "$1"
}

is_in()
{
	[ "$(state "$1")" = "$2" ]
}

node_is()
{
	[ "$(anode --noheader --format state "$1" | tr -d ' ')" = "$2" ]
}

shut_down()
{
	local args

	mapfile -t args <"$cluster/nodes/$1"
	"$(command -v armd || echo "$ARMADA_BUILDDIR/armd")" "${args[@]}" --shutdown
}

# ---- at a time limit ----

a=$(submit own none --time 0:02 --output=own.out)
d=$(submit stopped none --output=stopped.out)
wait_until 20 says stopped script
acancel --quiet "$d"
b=$(submit queue none -q fast)
c=$(submit class none --priority-class quick)
ok 'three jobs end at their time limits' wait_until 60 job_ended "$a" "$b" "$c"
is "$(state "$a")$(state "$b")$(state "$c")" TIMEOUTTIMEOUTTIMEOUT 'all three have state TIMEOUT'
is "$(reason "$a")" 'it reached its time limit of 2 s (--time)' 'the reason names --time'
like "$(<own.out)" "^armada: job $a was ended on n[12] at [^ ]+: it reached its time limit of 2 s \(--time\)$" \
	'the last line of its output says so'
wait_until 20 job_ended "$d"
like "$(<stopped.out)" "^armada: job $d was ended on n[12] at [^ ]+: cancelled by $(id -un)$" \
	'the output of a cancelled job says by whom'
is "$(reason "$b")" 'it reached its time limit of 2 s (default of queue fast)' "the reason names the default of the queue"
is "$(reason "$c")" 'it reached its time limit of 2 s (maximum of class quick)' \
	"the reason names the maximum of the class, which cuts the default"
is "$(order own)" 'script script TERM ' 'the script got SIGTERM first'
like "$(actl show job "$b")" 'Time limit +00:00:02 \(default of its queue\)' 'actl show job names the source of the limit'

run asubmit -q fast --time 2h --wrap true
is "$status" 1 'more time than the queue allows is refused'
like "$err" "time: at most 1 h is accepted in queue 'fast' \(its max_time\)" 'the error names the maximum'
run asubmit --time UNLIMITED --wrap true
like "$err" 'time: at most 2 days is accepted \(limits.max_time_limit\)' 'an unlimited time is refused'
run asubmit --grace-period 3m --wrap true
like "$err" 'grace period: at most 2 min is accepted \(limits.max_grace_period\)' 'a grace period above the maximum is refused'
run asubmit --grace-period 0.5s --wrap true
is "$status" 2 'a grace period below one second is refused'
run asubmit --signal USR1@7200 --time 1h --wrap true
like "$err" 'is before the job starts' 'a warning before the start of the job is refused'
d=$(asubmit --parsable --hold --grace-period 0 --memory 10M --wrap true)
like "$(actl show job "$d")" 'Grace period +00:00:01' 'a grace period of 0 becomes one second'
acancel --quiet "$d"

# ---- a warning signal while armd is dead ----

a=$(submit warned obey --time 0:10 --signal USR1@7)
b=$(submit alone obey --time 0:10 --signal B:USR1@7)
ok 'two jobs run' wait_until 20 eval 'says warned child && says alone child && is_in $a RUNNING && is_in $b RUNNING'
node_a=$(aqueue --noheader --format nodelist "$a" | tr -d ' ')
node_b=$(aqueue --noheader --format nodelist "$b" | tr -d ' ')
for node in $(printf '%s\n' "$node_a" "$node_b" | sort -u); do
	"$devcluster" kill "$cluster" "$node" >/dev/null
done
ok 'armd is killed, and both jobs get the warning signal' wait_until 20 eval 'says warned "script USR1" && says alone "script USR1"'
ok 'both jobs end at their time limit' wait_until 30 eval 'dead $(pid_in warned script) && dead $(pid_in alone script)'
ok 'their children end too' wait_until 10 eval 'dead $(pid_in warned child) && dead $(pid_in alone child)'
ok 'the warning goes to all processes of the task' says warned 'child USR1'
ok 'the child gets SIGTERM' says warned 'child TERM'
[ "$(at warned 'script USR1')" -lt "$(at warned 'script TERM')" ]
result $? 'the warning came before SIGTERM'
says alone 'child USR1' && r=1 || r=0
is "$r" 0 'with B: only the script gets the warning'
[ "$(at alone 'script TERM')" -lt "$(at alone 'child TERM')" ]
result $? 'the script gets SIGTERM first; the processes that it leaves get it after its end'
for node in n1 n2; do
	"$devcluster" restart "$cluster" "$node" >/dev/null
done
ok 'the next armd reports the ends' wait_until 30 job_ended "$a" "$b"
is "$(reason "$a")" 'it reached its time limit of 10 s (--time)' 'the next armd reports the time limit'

# ---- signals ----

a=$(submit sent obey -w n1)
b=$(submit waits obey --hold)
ok 'a job runs' wait_until 20 eval 'says sent child && is_in $a RUNNING'
run acancel --signal USR1 --batch "$a"
is "$out" 'acancel: sent USR1 to 1 running' 'acancel --signal --batch reports one signal sent'
ok 'the script gets the signal' wait_until 10 says sent 'script USR1'
run acancel --signal SIGHUP "$a"
ok 'a signal without --batch reaches the script and the child' wait_until 10 eval 'says sent "script HUP" && says sent "child HUP"'
says sent 'child USR1' && r=1 || r=0
is "$r" 0 'a signal with --batch does not reach the child'
run acancel --signal 10 "$b"
is "$status" 1 'a signal to a pending job is refused'
like "$err" "job $b: 1 waiting element got no signal" 'the error says that the job is pending'
run acancel --signal USR9 "$a"
is "$status" 2 'an unknown signal is refused'
is "$(state "$a")" RUNNING 'the job continues'
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
wait_until 20 actl ping
wait_until 20 node_is n1 up
before=$(grep -c 'script USR1' sent.log)
ok 'a restarted controller can send a signal' wait_until 20 acancel --quiet --signal USR1 "$a"
ok 'the script gets it' wait_until 10 eval '[ $(grep -c "script USR1" sent.log) -gt $before ]'
acancel --quiet "$a" "$b"
ok 'the jobs end when they are cancelled' wait_until 20 job_ended "$a" "$b"
is "$(state "$a")" CANCELLED 'the state is CANCELLED'

# ---- SIGTERM, grace, SIGKILL ----

a=$(submit deaf deaf --grace-period 1s)
ok 'a job with a child that ignores SIGTERM runs' wait_until 20 eval 'says deaf child && is_in $a RUNNING'
acancel --quiet "$a"
ok 'the job is cancelled' wait_until 30 job_ended "$a"
ok 'the child got SIGTERM and was killed' eval 'says deaf "child TERM" && dead $(pid_in deaf child)'

# ---- a lowered maximum ends no running job ----

actl queue create slow --default-time 3h >/dev/null
a=$(submit long none -q slow --time 1h)
ok 'a job runs' wait_until 20 is_in "$a" RUNNING
ok 'the maximum of its queue is lowered' actl queue update slow --default-time none --max-time 1s
sed -i 's/max_time_limit = "2d"/max_time_limit = "1d"/' "$cluster/armada.conf"
ok 'the maximum of the cluster is lowered' actl reconfigure
run asubmit -q slow --time 1h --wrap true
is "$status" 1 'a new job above the maximum of the queue is refused'
run asubmit --time 1-12 --wrap true
like "$err" 'at most 1 day is accepted \(limits.max_time_limit\)' 'a new job above the maximum of the cluster is refused'
is "$(state "$a")" RUNNING 'the running job continues'
like "$(actl show job "$a")" 'Time limit +01:00:00' 'the running job keeps its time limit'
like "$(actl queue list --noheader --format name,default_time,max_time)" 'slow +00:00:01' 'actl queue list shows the maximum'
run actl queue update fast --max-time 1s
is "$status" 1 'a maximum below the default is refused'
actl queue update slow --max-time none >/dev/null
acancel --quiet "$a"
wait_until 20 job_ended "$a"

# ---- restart of armd, shutdown of the machine ----

a=$(submit stays obey -w n1)
ok 'a job runs' wait_until 20 eval 'says stays child && is_in $a RUNNING'
registered=$(grep -c 'registered with' "$cluster/log/n1.log")
ok 'armd is restarted' "$devcluster" restart "$cluster" n1
ok 'armd has registered again' wait_until 20 eval '[ $(grep -c "registered with" "$cluster/log/n1.log") -gt $registered ]'
is "$(wc -l <stays.log)" 2 'the task got no signal'
dead "$(pid_in stays script)" && r=1 || r=0
is "$r" 0 'the task continues'

run shut_down n1
is "$status" 0 'armd --shutdown returns when no task is left'
ok 'every process of the task got SIGTERM' eval 'says stays "script TERM" && says stays "child TERM"'
dead "$(pid_in stays script)"
result $? 'the task has ended'
ok 'its job is pending again' wait_until 20 is_in "$a" PENDING
like "$(aqueue --noheader --format attempt "$a")" '1' 'the job has had one attempt'
ok 'the node is down' node_is n1 down
like "$(anode --noheader --format reason n1)" 'the machine is being shut down' 'the reason says that the machine is being shut down'
b=$(submit other none -w n1)
is "$(state "$b")" PENDING 'no job starts there'
ok 'armd starts again, as after a boot' "$devcluster" restart "$cluster" n1
ok 'the node is up' wait_until 20 node_is n1 up
ok 'the job runs again' wait_until 20 says stays 'script [0-9]* attempt 2'

"$devcluster" kill "$cluster" n1 >/dev/null
run shut_down n1
is "$status" 0 'armd --shutdown succeeds while armd is dead'
ok 'it ends the task' eval 'dead $(pid_in stays script)'
"$devcluster" restart "$cluster" n1 >/dev/null
ok 'the next armd reports the end, and the job runs again' wait_until 30 says stays 'script [0-9]* attempt 3'

shepherd=$(ps -o ppid= -p "$(pid_in stays script)" | tr -d ' ')
kill -TERM "$shepherd"
ok 'SIGTERM to the shepherd requeues the job too' wait_until 30 says stays 'script [0-9]* attempt 4'
run shut_down n1
rm -rf "$cluster/spool/nowhere"
run "$ARMADA_BUILDDIR/armd" --config "$cluster/armada.conf" --spool "$work/nowhere" --shutdown
is "$status" 0 'armd --shutdown succeeds without a spool'
acancel --quiet "$a" "$b"
ok 'the pending jobs are cancelled' wait_until 20 job_ended "$a" "$b"
is "$(state "$a")" CANCELLED 'their state is CANCELLED'

done_testing
