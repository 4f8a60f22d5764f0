#!/bin/bash
# The tasks of a job on one node, of which the first runs a script: it has the cpus and the memory of all of them,
# together they never use more, and nothing of them is left.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs pgrep

cat >quick.conf <<X
agents = { heartbeat = "200ms"; node_timeout = "5s"; reconnect_max = "200ms"; };
X
test_under_armada 1 --cpus 4 --memory 4G --conf quick.conf
how=$(anode --noheader --format containment n1 | xargs)
diag "containment: $how"
[ "$how" = rlimit ] && limited='' || limited=yes

spool_id=$(od -An -v -tx1 -j24 -N8 "$cluster/spool/n1/meta" | tr -d ' \n')
# found NAME: the control groups of this node whose names begin so, one for each hierarchy.
found()
{
	find /sys/fs/cgroup -type d -name "$1armada-$spool_id-*" 2>/dev/null
}
no_groups()
{
	[ -z "$(found '' && found job-)" ]
}
nothing_left()
{
	ok "$1: no group is left" wait_until 10 no_groups || diag "$(found ''; found job-)"
}
state()
{
	aqueue --noheader --format state --state all "$id" | xargs
}
is_state()
{
	[ "$(state)" = "$1" ]
}
submit()
{
	id=$(asubmit --parsable -D "$work" "$@") || bail 'a job is not taken'
}
# up FILE: it has a line "up".
up()
{
	wait_until 20 grep -qx up "$1"
}
# A program that uses so much memory: eat MIB
cat >eat <<'X'
#!/bin/sh
head -c "$1M" /dev/zero | tail | wc -c
X
# The same until there is a file "go": hold MIB
cat >hold <<'X'
#!/bin/sh
{ head -c "$1M" /dev/zero; sleep 0.2; echo up >&2; until [ -e go ]; do sleep 0.05; done; } 2>hold.up | tail | wc -c
X
chmod 755 eat hold
on_one_node='-N 1 -c 500m --memory 100M'

# ---- which jobs have a group of several tasks ----

submit -N 1 -n 1 -o one.out --wrap 'echo up; sleep 600'
up one.out
is "$(found job-)" '' 'a job of one task has no group of several tasks'
acancel "$id" >/dev/null
submit $on_one_node -n 2 -o all-%t.out --launch=all --wrap 'echo up; sleep 600'
up all-0.out && up all-1.out
is "$(found job-)" '' 'tasks that all run the program have none'
acancel "$id" >/dev/null
nothing_left 'jobs without such a group'

# ---- memory ----

if [ "$limited" ]; then
	submit $on_one_node -n 2 -o sum.out --wrap './hold 150'
	ok 'the first of two tasks uses more than its own part' up hold.up
	isnt=$(found job- | wc -l)
	ok "both tasks are in one group: $isnt" test "$isnt" -ge 1
	is "$(find $(found job- | head -n 1) -mindepth 1 -maxdepth 1 -type d | wc -l)" 2 'with a group for each of them'
	used()
	{
		aqueue --json --state all "$id" | sed -n 's/^ *"max_rss": \([0-9]*\),*$/\1/p'
	}
	ok 'the usage of the running job has the memory' wait_until 20 eval '[ "$(used)" -ge $((150 << 20)) ]'
	touch go
	ok 'it completes' wait_until 20 is_state COMPLETED
	is "$(cat sum.out)" $((150 << 20)) 'its program succeeds'
	ok 'and at its end' test "$(used)" -ge $((150 << 20)) -a "$(used)" -lt $((201 << 20))
	nothing_left 'a job within its memory'

	submit $on_one_node -n 2 -o over.out --wrap './eat 300; sleep 600'
	ok 'more than the sum is too much' wait_until 60 is_state OUT_OF_MEMORY || diag "$(state)"
	like "$(aqueue --noheader --format reason --state all "$id")" '^oom: used (199[.0-9]*|200)M, .*the limit of the memory of 2 tasks' \
		'the reason names the memory of both tasks'
	nothing_left 'a job above its memory'

	submit $on_one_node -n 2 -o second.out --wrap 'arun -l sh -c "[ \$ARMADA_TASK_RANK = 0 ] || ./eat 150"; sleep 600'
	ok 'the second task has its own limit' wait_until 60 is_state OUT_OF_MEMORY || diag "$(state)"
	nothing_left 'a task above its memory'

	cat >groups.conf <<X
output = "groups-%g.out"; time = "3m";
groups = (
  { name = "a"; replicas = 2; cpus = 0.5; memory = "100M"; launch = "first"; wrap = "./eat 150"; },
  { name = "b"; replicas = 3; cpus = 0.5; memory = "20M"; launch = "first"; wrap = "./eat 40; ./eat 1"; }
);
X
	run asubmit --wait --quiet --file groups.conf
	is "$status:$(cat groups-a.out groups-b.out | xargs)" "0:$((150 << 20)) $((40 << 20)) $((1 << 20))" \
		'two groups of a job on one node have sums of their own' || diag "$err"
	nothing_left 'groups of a job'
else
	skip 'tasks are not limited here'
fi

# ---- signals, freezing, requeue, and what dies without a word ----

# Each of two tasks counts, and ignores SIGTERM.
cat >count.sh <<'X'
trap '' TERM
i=0
while :; do i=$((i + 1)); echo $i >count.$ARMADA_TASK_RANK.new; mv count.$ARMADA_TASK_RANK.new count.$ARMADA_TASK_RANK; sleep 0.02; done
X
counts()
{
	cat count.0 count.1 2>/dev/null | xargs
}
both_count()
{
	local before=($(counts)) now

	wait_until 20 eval 'now=($(counts)); [ "${now[0]:-0}" -gt "${before[0]:-0}" ] && [ "${now[1]:-0}" -gt "${before[1]:-0}" ]'
}
counters()
{
	pgrep -f "^sh $work/count.sh"
}
none_counts()
{
	! counters
}
start_counters()
{
	rm -f count.?
	submit $on_one_node -n 2 --grace 1 -o counters.out "$@" --wrap "arun -n 2 sh $work/count.sh"
	ok 'a program runs in both tasks' both_count
}
start_counters --no-requeue
if [ "$limited" ]; then
	actl suspend "$id" >/dev/null
	ok 'the job is suspended' wait_until 20 is_state SUSPENDED
	stands()
	{
		local before

		before=$(counts)
		! wait_until 1 eval '[ "$(counts)" != "$before" ]'
	}
	ok 'both tasks stand' wait_until 20 stands
	actl resume "$id" >/dev/null
	ok 'both continue' both_count
else
	skip 'no job can be suspended here'
fi
"$devcluster" kill "$cluster" n1
"$devcluster" restart "$cluster" n1 >/dev/null
ok 'both continue when armd was killed and is back' both_count
acancel "$id" >/dev/null
ok 'it is cancelled after a restart of armd' wait_until 20 is_state CANCELLED || diag "$(state)"
ok 'no process is left' wait_until 10 none_counts
nothing_left 'a cancelled job'

start_counters
first=$(counters | head -n 1)
actl requeue "$id" >/dev/null
ok 'it is ended and runs again' wait_until 30 eval '! kill -0 $first && both_count'
is "$(aqueue --noheader --format state "$id" | xargs)" RUNNING 'in the same groups'
armd_pid=$(cat "$cluster/n1.pid")
actl update "$id" --no-requeue >/dev/null 2>&1
kill -KILL "$armd_pid" $(pgrep -P "$armd_pid" -x armd-shepherd)
wait_until 10 test ! -d "/proc/$armd_pid"
"$devcluster" restart "$cluster" n1 >/dev/null
killed=$(counters | xargs)
gone()
{
	local pid

	for pid in $first $killed; do
		! kill -0 "$pid" 2>/dev/null || return 1
	done
}
acancel "$id" >/dev/null
ok 'what the shepherds left is killed' wait_until 20 none_counts
nothing_left 'a job whose shepherds were killed'
done_testing
