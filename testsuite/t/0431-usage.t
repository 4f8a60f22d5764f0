#!/bin/bash
# The usage of jobs as users see it: peak memory without the page cache, and "-" where it is not known.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
needs python3 stat

test_under_armada 1 --cpus 4 --memory 4G
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
like "$(aqueue --detail "$id")" 'MAX_RSS +MAX_WITH_CACHE' 'aqueue --detail has both columns'

# ---- what is not known is not 0 ----

id=$(asubmit --parsable --hold --wrap true)
is "$(aqueue --noheader --format cpu_time,max_rss,max_with_cache,read_bytes "$id" | xargs)" '- - - -' \
	'a pending job has used nothing that could be shown'
is "$(field cpu_time "$id") $(field max_rss "$id")" 'null null' 'which is null in JSON'

done_testing
