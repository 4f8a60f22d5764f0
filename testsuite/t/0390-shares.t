#!/bin/bash
# Shares over time: listed, drawn, kept; and a history that an older release made.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs python3

cat >shares.conf <<'END'
scheduler = { share_interval = "1s"; };
queues = ( { name = "a&b"; }, { name = "plain"; } );
END
sed -i 's/a&b/a.b/' shares.conf
test_under_armada 1 --cpus 4 --memory 8G --conf "$work/shares.conf"

# valid FILE: XML by a parser that is not ours
valid()
{
	if command -v xmllint >/dev/null; then
		xmllint --noout "$1"
	else
		python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$1"
	fi
}
ok 'a picture of nothing' ashare --plot empty.svg
ok 'is one' valid empty.svg
like "$(cat empty.svg)" 'nothing was noted' 'and says so'

run asubmit --parsable --queue a.b --array 1-3 --output=/dev/null --mem 10M --wrap 'sleep 600'
job=$out
some()
{
	ashare --history --noheader --format cost "$1" | grep -q '[1-9].*%'
}
ok 'use is noted' wait_until 20 some a.b
like "$(ashare --history | head -n 1)" '^TIME +QUEUE +COST +FAIR +ADJUSTED +WEIGHT' 'with a heading'
like "$(ashare --history a.b | tail -n 1)" '^20[0-9-]+T[0-9:]+ +a\.b ' 'time and queue'
run ashare --history --noheader plain
is "$status" 3 'a queue that took no part has none'
like "$err" 'queue plain took no part since 20' 'and is named'
run ashare --plot none.svg plain
is "$status" 3 'nor is there a picture of it'
ok 'not even an empty one' test ! -e none.svg
is "$(ashare --history --noheader --since 2001-01-01 | sort -s -k1,1 | diff - <(ashare --history --noheader --since 2001-01-01))" \
	'' 'in the order of time'
like "$(ashare --history --json a.b)" '"cut": false' 'JSON'
is "$(ashare --history --json a.b | python3 -c 'import json,sys; d = json.load(sys.stdin)["samples"]
print(all(s["queue"] == "a.b" and 0 <= s["cost"] <= 1 for s in d))')" True 'of that queue, with fractions'

# pictures
ok 'a picture' ashare --plot one.svg --since 1h
ok 'is one' valid one.svg
like "$(cat one.svg)" '<title>a.b</title><path class="l" d="M' 'with the line of the queue'
is "$(ls)" "$(ls | grep -v 'svg\.')" 'and no other file is left'
chmod 600 one.svg
ok 'again' ashare --plot one.svg
is "$(stat -c %a one.svg)" 600 'a file that is replaced keeps its mode'
ln -s one.svg link.svg
ok 'through a link' ashare --plot link.svg
ok 'which stays one' test -L link.svg
run ashare --plot -
like "$out" '^<\?xml.*</svg>' 'the output'
run ashare --plot "$work/none/one.svg"
is "$status" 1 'a directory that is not there'
like "$err" 'none/one.svg: No such file' 'is named'
run ashare --plot "$work"
is "$status" 1 'a directory is no file'
cp one.svg before.svg
if [ -w /dev/full ]; then
	run ashare --plot /dev/full
	is "$status" 1 'what cannot be written is an error'
fi
for bad in '--since 1d' '--since=never --history' '--since= --history' '--history --plot x.svg' \
	'--plot=' '--plot x.svg --json' '--history --format nonsense'; do
	run ashare $bad
	is "$status" 2 "refused: ashare $bad"
done
run ashare --history --since '2999-01-01'
is "$status" 2 'nothing is listed of times to come'
like "$err" '30m, 1d or 2d12h ago' 'what would be accepted is said'

# what is idle notes nothing more
acancel "$job" >/dev/null
over()
{
	ashare --history --noheader --format weight a.b | tail -n 1 | grep -qE '^ *0 *$'
}
ok 'the queue leaves' wait_until 30 over

# The history of a release that kept no shares: it gets what it lacks, and nothing is noted twice.
count=$(ashare --history --noheader | wc -l)
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'the same after a restart' wait_until 20 eval '[ "$(ashare --history --noheader 2>/dev/null | wc -l)" = "$count" ]'
"$devcluster" stop "$cluster" >/dev/null
python3 - "$cluster/state/history.db" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("DROP TABLE share")
db.commit()
END
ok 'an older history is taken' "$devcluster" start "$cluster"
is "$(aqueue --noheader --format state "$job" | sort -u | tr -d ' \n')" CANCELLED 'with its jobs'
run asubmit --queue plain --output=/dev/null --mem 10M --wrap 'sleep 600'
ok 'and notes from now on' wait_until 20 some plain
done_testing
