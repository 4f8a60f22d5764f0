#!/bin/bash
# fairness/decay: usage history counts, survives the controller, and can be simulated with asim.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs python3

cat >decay.conf <<'END'
scheduler = { share_interval = "1s"; };
plugins = { fairness = { name = "decay"; half_life = "10s"; floor = 0.1; }; };
queues = ( { name = "one"; }, { name = "two"; priority_factor = 2.0; } );
END
test_under_armada 1 --cpus 4 --memory 8G --conf "$work/decay.conf"
conf=$cluster/armada.conf

# usage QUEUE: the usage of the last round; a number, or nothing
usage()
{
	ashare --noheader --format usage "$1" 2>/dev/null | tr -d ' '
}
# compare A OP B
compare()
{
	awk -v a="$1" -v b="$3" "BEGIN { exit !(a != \"\" && a $2 b) }"
}
usage_is() # QUEUE OP NUMBER
{
	local now
	now=$(usage "$1")
	compare "${now:--}" "$2" "$3"
}
# noted QUEUE OP NUMBER: compares the latest sample
noted()
{
	local now
	now=$(ashare --history --noheader --format usage "$1" | tail -n 1 | tr -d ' ')
	compare "${now:--}" "$2" "$3"
}

# four cpus of queue one, and a pending element that keeps the queue in every round
run asubmit --parsable --queue one --array 1-5 --output=/dev/null --mem 10M --wrap 'sleep 600'
job=$out
ok 'usage grows while the job runs' wait_until 30 usage_is one '>' 1.5
before=$(usage one)
ok 'the history has a sample of it' wait_until 10 noted one '>' 1
like "$(ashare)" 'USAGE +PRIORITY' 'ashare shows usage and effective priority'
like "$(ashare --json)" '"usage": [0-9.]+' 'ashare --json shows usage'
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'the controller is killed and restarts' wait_until 20 eval 'test -n "$(usage one)"'
ok "the usage is kept (it was $before)" usage_is one '>=' "$before"
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'the controller is stopped and restarts' wait_until 20 eval 'test -n "$(usage one)"'
ok 'the usage is kept' usage_is one '>=' "$before"

# the other queue has used nothing: it is next, whatever its factor
run asubmit --parsable --queue two --array 1-5 --output=/dev/null --mem 10M --wrap 'sleep 600'
other=$out
weights()
{
	ashare --noheader --format queue,weight one two
}
ok 'both queues take part in a round' wait_until 10 eval '[ "$(weights | wc -l)" = 2 ]'
ok 'the weight of the queue without usage is larger' compare \
	"$(weights | awk '$1 == "two" { print $2 }')" '>' "$(weights | awk '$1 == "one" { print $2 }')"

# the usage of ended jobs decays; the queue leaves with a weight of 0
acancel "$job" "$other" >/dev/null
left()
{
	ashare --history --noheader --format weight one | tail -n 1 | grep -qE '^ *0 *$'
}
ok 'a queue without jobs gets one more sample' wait_until 30 left

# another plugin while jobs run: no usage is taken over
sed -i 's/fairness = {[^}]*}/fairness = "drf"/' "$conf"
ok 'a reload loads drf' actl reconfigure
run asubmit --parsable --queue one --array 1-5 --output=/dev/null --mem 10M --wrap 'sleep 600'
ok 'the new jobs run' wait_until 20 eval '[ "$(usage one)" = - ]'
unlike "$(ashare)" USAGE 'ashare has no usage column with drf'
ok 'shares are sampled with drf too' wait_until 10 eval \
	'ashare --history --noheader --format weight one | tail -n 1 | grep -qE "^ *1 *$"'
sed -i 's/fairness = "drf"/fairness = { name = "decay"; half_life = "1h"; }/' "$conf"
ok 'a reload loads decay again' actl reconfigure
ok 'the usage starts at zero' wait_until 10 eval 'compare "$(usage one)" "<" 0.1'
run actl reconfigure
sed -i 's/half_life = "1h"/half_life = "0s"/' "$conf"
run actl reconfigure
ok 'a half-life of 0 is refused' test "$status" -ne 0
like "$err" 'half_life' 'the error names the option'

# asim: time passes between the rounds
cat >decay.json <<'END'
{ "policy": { "fairness": "decay", "options": { "fairness": { "half_life": "1h" } } },
  "nodes": [ { "name": "n0", "resources": { "cpu": 10, "memory": "20Gi", "gpu": 5 } } ],
  "queues": [ { "name": "A" }, { "name": "B", "priority_factor": 2 } ],
  "running": [ { "id": "r", "queue": "A", "node": "n0",
                 "resources": { "cpu": 5, "memory": "2Gi", "gpu": 1 } } ],
  "rounds": [ {}, { "advance": "1h" }, { "advance": "1h", "finish": ["r"],
              "submit": [ { "id": "a", "count": 10, "queue": "A", "resources": { "cpu": 1 } },
                          { "id": "b", "count": 10, "queue": "B", "resources": { "cpu": 1 } } ] } ] }
END
run "$ARMADA_BUILDDIR/src/asim/asim" rounds --check --plugins "$ARMADA_BUILDDIR/plugins.d" decay.json
is "$status" 0 'asim simulates the scenario'
cat >check.py <<'END'
import json, sys
rounds = [json.loads(line)["queues"] for line in sys.stdin]
usage = [r["A"]["priority"] for r in rounds]
weights = [rounds[2][q]["weight"] for q in "AB"]
assert all(abs(a - b) < 1e-9 for a, b in zip(usage, [0, 4, 6])), usage
assert abs(rounds[1]["A"]["cost"] - 8 / 30) < 1e-9, rounds[1]
# the weight is 1/6 for the queue with usage, and 1 over floor and factor for the queue without
assert all(abs(a - b) < 1e-9 for a, b in zip(weights, [1 / 6, 1])), weights
cpus = [rounds[2][q]["allocated"].get("cpu", 0) for q in "AB"]
assert cpus == [2, 8] or cpus == [1, 9], cpus
END
ok 'usage reaches half of 8 after one half-life and three quarters after two, and shares follow it' eval \
	'python3 check.py <<<"$out"'
done_testing
