#!/bin/bash
# The usage of jobs as users see it: peak memory without the page cache, the usage of running jobs, and "-" where
# it is not known.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
needs python3 stat

cat >usage.conf <<X
agents = { usage_interval = "500ms"; heartbeat = "200ms"; node_timeout = "2s"; reconnect_max = "200ms"; };
X
test_under_armada 1 --cpus 4 --memory 4G --conf usage.conf
how=$(anode --noheader --format containment)
mib=$((1 << 20))

# field NAME ID
field()
{
	aqueue --json --state all "$2" | sed -n "s/^ *\"$1\": \([0-9a-z]*\),*$/\1/p"
}
# finished NAME COMMAND...: the id in $id
finished()
{
	local name=$1

	shift
	id=$(asubmit --parsable -J "$name" -o "$work/$name.out" -D "$work" --mem 1G "$@")
	ok "$name ends" wait_until 60 job_ended "$id"
	is "$(aqueue --noheader --format state --state all "$id")" COMPLETED "$name is COMPLETED" ||
		diag "$(cat "$name.out")"
}

# ---- files are no memory of the job ----

if [ "$(stat -f -c %T "$work")" = tmpfs ]; then
	skip 'the test directory is in memory'
else
	finished reads --wrap 'dd if=/dev/zero of=big bs=1M count=200 && cat big >/dev/null && rm big'
	rss=$(field max_rss "$id")
	ok "the job that reads 200 MiB of a file has a small max_rss: $rss" [ "$rss" -lt $((32 * mib)) ]
	ok 'which is not 0' [ "$rss" -gt 0 ]
	all=$(field max_with_cache "$id")
	if [ "$how" = rlimit ]; then
		is "$all" null 'contain/rlimit does not know the page cache'
		like "$(actl show job "$id")" 'memory [0-9.]+[KM], read' 'actl show job does not show it'
	else
		ok "max_with_cache has them: $all" [ "$all" -gt $((150 * mib)) ]
		like "$(actl show job "$id")" 'memory [0-9.]+[KM] \([0-9.]+[MG] with the page cache\)' \
			'actl show job shows both'
	fi
fi

# ---- a short peak counts ----

finished peak --wrap 'python3 -c "bytearray(300 << 20)"; sleep 0.2'
rss=$(field max_rss "$id")
ok "300 MiB for a moment count: $rss" [ "$rss" -ge $((300 * mib)) ]
ok 'and not much more' [ "$rss" -lt $((340 * mib)) ]
more=', with the page cache [0-9.]+[KMG]'
[ "$how" = rlimit ] && more=
like "$(aqueue --detail "$id")" "Used .* memory [0-9.]+[KM]$more, read" 'aqueue --detail has what is known'

# ---- what is not known is not 0 ----

id=$(asubmit --parsable --hold --wrap true)
is "$(aqueue --noheader --format cpu_time,max_rss,max_with_cache,read_bytes "$id" | xargs)" '- - - -' \
	'a pending job has used nothing that could be shown'
is "$(field cpu_time "$id") $(field max_rss "$id")" 'null null' 'which is null in JSON'

# ---- running jobs ----

cat >work.py <<'X'
import time
x = bytearray(100 << 20)
while time.process_time() < 1.1:
    pass
time.sleep(1000)
X
id=$(asubmit --parsable --ntasks 2 --memory 400M -o /dev/null -D "$work" -- python3 work.py) ||
	bail 'the job is not taken'
show()
{
	diag "$(aqueue --noheader --format state,reason,cpu_time,max_rss --state all "$id")"
}
# Two tasks use 1.1 s each; figures of processes in /proc are in hundredths of a second.
least_cpu=2000000
# used CPU MEMORY: at least that much is shown.
used()
{
	local cpu rss

	cpu=$(field cpu_time "$id") rss=$(field max_rss "$id")
	[ "$cpu" != null ] && [ "$cpu" -ge "$1" ] && [ "$rss" -ge "$2" ]
}
ok 'the usage of a running job is known' wait_until 30 used 1 1 || show
ok 'it grows while the job runs' wait_until 30 used $least_cpu $((100 * mib)) || show
ok 'memory is that of the largest task' [ "$(field max_rss "$id")" -lt $((190 * mib)) ]
like "$(aqueue --noheader --format cpu_time,max_rss "$id")" '^ *00:00:0[2-9] +[0-9.]+M$' 'aqueue --format has it'
like "$(actl show job "$id")" 'RUNNING .* used cpu 00:00:0[2-9], memory [0-9.]+M' 'actl show job has it'

# A job of one task has no start barrier. A file in memory is no memory of a process that getrusage knows.
one=$(asubmit --parsable --mem 400M -o /dev/null --wrap "
	dd if=/dev/zero of=/dev/shm/armada.$$ bs=1M count=100 status=none
	until [ -e '$work/remove' ]; do sleep 0.1; done; rm /dev/shm/armada.$$")
# memory_of ID BYTES: at least that much memory is shown.
memory_of()
{
	local rss

	rss=$(field max_rss "$1")
	[ -n "$rss" ] && [ "$rss" != null ] && [ "$rss" -ge "$2" ]
}
least=$([ "$how" = rlimit ] && echo 1 || echo $((100 * mib)))
ok 'the usage of a running job of one task is known' wait_until 30 memory_of "$one" "$least" ||
	diag "$(aqueue --noheader --format state,reason,max_rss --state all "$one")"
touch remove
ok 'it ends' wait_until 30 job_ended "$one"
ok 'its file in memory counts after its end' memory_of "$one" "$least"

# A new controller knows nothing of it; it asks, and does not show 0.
unknown_or_true()
{
	local cpu

	cpu=$(field cpu_time "$id")
	[ -z "$cpu" ] || [ "$cpu" = null ] || [ "$cpu" -ge $least_cpu ] || untrue=$cpu
	[ -n "$cpu" ] && [ "$cpu" != null ]
}
untrue=
"$devcluster" kill "$cluster" armctld
"$devcluster" restart "$cluster" armctld
ok 'a new controller learns it from the node' wait_until 30 unknown_or_true
is "$untrue" '' 'until then it shows nothing untrue'

# A new armd and its network process know nothing of it either.
"$devcluster" kill "$cluster" n1
"$devcluster" restart "$cluster" n1
"$devcluster" kill "$cluster" armctld
"$devcluster" restart "$cluster" armctld
ok 'a new armd learns it from the shepherds' wait_until 30 unknown_or_true
is "$untrue" '' 'until then nothing untrue is shown'

acancel "$id"
ok 'the job ends' wait_until 30 job_ended "$id"
ok 'its end has at least as much' used $least_cpu $((100 * mib)) || show

done_testing
