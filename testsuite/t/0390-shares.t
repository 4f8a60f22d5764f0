#!/bin/bash
# Shares over time: listed, plotted, kept; and the history database of an older release.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs python3

cat >shares.conf <<'END'
scheduler = { share_interval = "1s"; };
queues = ( { name = "a&b"; }, { name = "plain"; } );
END
sed -i 's/a&b/a.b/' shares.conf
test_under_armada 1 --cpus 4 --memory 8G --conf "$work/shares.conf"

# valid FILE: it is XML for an independent parser
valid()
{
	if command -v xmllint >/dev/null; then
		xmllint --noout "$1"
	else
		python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$1"
	fi
}
ok 'a plot without samples is written' ashare --plot empty.svg
ok 'it is valid XML' valid empty.svg
like "$(cat empty.svg)" 'there are no samples' 'it says that there are no samples'

run asubmit --parsable --queue a.b --array 1-3 --output=/dev/null --mem 10M --wrap 'sleep 600'
job=$out
some()
{
	ashare --history --noheader --format cost "$1" | grep -q '[1-9].*%'
}
ok 'a use of resources is sampled' wait_until 20 some a.b
like "$(ashare --history | head -n 1)" '^TIME +QUEUE +SPAN +COST +LEVEL +FAIR +ADJUSTED +WEIGHT' 'the listing has a heading'
like "$(ashare --history a.b | tail -n 1)" '^20[0-9-]+T[0-9:]+ +a\.b ' 'the listing has time and queue'
run ashare --history --noheader plain
is "$status" 3 'a queue without samples gives exit code 3'
like "$err" 'queue plain took no part since 20' 'the error names the queue'
run ashare --plot none.svg plain
is "$status" 3 'a plot of such a queue gives exit code 3'
ok 'no file is written' test ! -e none.svg
is "$(ashare --history --noheader --since 2001-01-01 | sort -s -k1,1 | diff - <(ashare --history --noheader --since 2001-01-01))" \
	'' 'samples are listed in order of time'
like "$(ashare --history --json a.b)" '"cut": false' 'the JSON is complete'
is "$(ashare --history --json a.b | python3 -c 'import json,sys; d = json.load(sys.stdin)["samples"]
print(all(s["queue"] == "a.b" and 0 <= s["cost"] <= 1 for s in d))')" True 'the JSON has samples of that queue, as fractions'

# properties
run ashare --properties --format property,value --noheader
is "$status" 0 'the properties of the last round are shown'
is "$(awk '{ print $1 }' <<<"$out" | tr '\n' ' ')" "queues incentive_below incentive_lacks envy_pairs envy_most \
waste_elements waste_cpus waste_memory waste_gpus preempted_fair_share preempted_urgency preempted_scavenging \
preempted_fair_share_total preempted_urgency_total preempted_scavenging_total " 'there is a line for each number'
property()
{
	ashare --properties --json | python3 -c 'import json, sys
print([p["value"] for p in json.load(sys.stdin)["properties"] if p["property"] == sys.argv[1]][0])' "$1"
}
is "$(property queues)" 1.0 'one queue takes part'
is "$(property envy_pairs)" 0.0 'it envies nobody'
acancel "${job}_1"
ok 'its room is free' wait_until 20 job_ended "${job}_1"
ok 'another queue gets a limit' actl queue update plain --max-running 1
limited=$(asubmit --parsable --queue plain --array 1-2 --output=/dev/null --mem 10M --wrap 'sleep 600')
wasted()
{
	[ "$(property waste_elements) $(property waste_cpus)" = '1.0 1000.0' ] &&
		ashare --properties | grep -q 'could hold at once: QueueJobsLimit 1$'
}
ok 'a job that a limit holds back although it fits is waste, with its reason' wait_until 20 wasted
is "$(property incentive_below)" 1.0 'its queue has less than its share'
ok 'it is cancelled' acancel "$limited"
run ashare --properties plain
is "$status" 2 '--properties takes no names'
run ashare --properties --history
is "$status" 2 '--properties and --history exclude each other'

# plots
ok 'a plot is written' ashare --plot one.svg --since 1h
ok 'it is valid XML' valid one.svg
like "$(cat one.svg)" '<title>a.b</title><path class="l" d="M' 'it has the line of the queue'
is "$(ls)" "$(ls | grep -v 'svg\.')" 'no temporary file is left'
chmod 600 one.svg
ok 'a stacked plot is written' ashare --plot stacked.svg --stacked
ok 'it is valid XML, too' valid stacked.svg
ok 'the plot is written again' ashare --plot one.svg
is "$(stat -c %a one.svg)" 600 'a replaced file keeps its mode'
ln -s one.svg link.svg
ok 'a plot is written through a link' ashare --plot link.svg
ok 'the link is kept' test -L link.svg
run ashare --plot -
like "$out" '^<\?xml.*</svg>' '--plot - writes to standard output'
run ashare --plot "$work/none/one.svg"
is "$status" 1 'a missing directory is an error'
like "$err" 'none/one.svg: No such file' 'the error names the file'
run ashare --plot "$work"
is "$status" 1 'a directory as the file is an error'
cp one.svg before.svg
if [ -w /dev/full ]; then
	run ashare --plot /dev/full
	is "$status" 1 'a write error is reported'
fi
for bad in '--since 1d' '--since=never --history' '--since= --history' '--history --plot x.svg' \
	'--plot=' '--plot x.svg --json' --stacked '--history --format nonsense'; do
	run ashare $bad
	is "$status" 2 "refused: ashare $bad"
done
run ashare --history --since '2999-01-01'
is "$status" 2 'a time in the future is refused'
like "$err" '30m, 1d or 2d12h ago' 'the error shows the accepted forms'

# an idle queue gets no more samples
acancel "$job" >/dev/null
over()
{
	ashare --history --noheader --format weight a.b | tail -n 1 | grep -qE '^ *0 *$'
}
ok 'the queue gets its last sample' wait_until 30 over

# Jobs that end before the next sample count, too: 6 jobs of 4 cpus for 0.3 s each are at least 1.5 s of the cluster.
used()
{
	ashare --history --json --since "$since" plain | python3 -c 'import json,sys
d = json.load(sys.stdin)["samples"]
n = sum(s["cost"] * s["span"] for s in d if s["span"])
for a, b in zip(d, d[1:]):
	if a["level"] and b["from"]:
		n += a["level"] * max(0, b["from"] - a["time"])
print(n / 1e6)'
}
since=$(date +%FT%T)
for _ in 1 2 3 4 5 6; do
	asubmit --wait --queue plain --output=/dev/null --cpus 4 --mem 10M --wrap 'sleep 0.3' >/dev/null
done
enough()
{
	python3 -c "import sys; sys.exit(0 if $(used) > 1.5 else 1)"
}
ok 'the samples count the use of short jobs' wait_until 20 enough
ok 'they do not count more than passed' python3 -c "import sys; sys.exit(0 if $(used) < 60 else 1)"

# The history of a release without shares gets the missing table; no sample is doubled.
count=$(ashare --history --noheader | wc -l)
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'the samples are the same after a restart' wait_until 20 eval '[ "$(ashare --history --noheader 2>/dev/null | wc -l)" = "$count" ]'
"$devcluster" stop "$cluster" >/dev/null
python3 - "$cluster/state/history.db" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("DROP TABLE share")
db.execute("DROP TABLE share_use")
db.commit()
END
ok 'an older history is accepted' "$devcluster" start "$cluster"
is "$(aqueue --noheader --format state "$job" | sort -u | tr -d ' \n')" CANCELLED 'its jobs are kept'
run asubmit --queue plain --output=/dev/null --mem 10M --wrap 'sleep 600'
ok 'new samples are added' wait_until 20 some plain
done_testing
