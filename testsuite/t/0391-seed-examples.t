#!/bin/bash
# The numeric examples of the documents on Armada's scheduling, each simulated by asim rounds. The
# comment above each one derives the expected result.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs python3

cat >see.py <<'EOF'
import json, sys
rounds = [json.loads(line) for line in open("out")]
def ids(r, what, prefix=""): return sum(x["id"].startswith(prefix) for x in rounds[r][what])
def why(r, id): return [x["why"] for x in rounds[r]["queued"] + rounds[r]["preempted"] if x["id"] == id][0]
def queue(r, q, what): return round(rounds[r]["queues"][q][what], 6)
print(*eval("(" + sys.argv[1] + ",)"))
EOF

# play WHAT [OPTION...]: runs the scenario on standard input
play()
{
	cat >scenario.json
	"$ARMADA_BUILDDIR/src/asim/asim" rounds --check --plugins "$ARMADA_BUILDDIR/plugins.d" "${@:2}" scenario.json \
		>out 2>err
	is "$?" 0 "$1" || diag "$(cat err)"
}
# see EXPRESSION EXPECTED WHAT
see()
{
	is "$(python3 see.py "$1")" "$2" "$3"
}

# Two queues of equal weight on 64 cores have a fair share of 32. A runs 40 one-core jobs (32 on one node and 8 on the
# other), and 50 jobs of B are submitted. A is 8 above its share, so 8 of its jobs are preempted; B gets
# 64 - 40 + 8 = 32 cores, and 50 - 32 = 18 jobs are pending. Then the 8 preempted jobs are submitted again: both queues
# are at their share, so no job is started or preempted.
play 'preemption to fair share' <<'EOF'
{ "nodes": [ {"name": "n", "count": 2, "resources": {"cpu": 32}} ],
  "priority_classes": [ {"name": "p", "priority": 1000, "preemptible": true} ],
  "queues": [ {"name": "A"}, {"name": "B"} ],
  "rounds": [
	{ "submit": [ {"id": "a", "count": 40, "queue": "A", "resources": {"cpu": 1}} ] },
	{ "advance": "1s", "submit": [ {"id": "b", "count": 50, "queue": "B", "resources": {"cpu": 1}} ] },
	{ "advance": "1s", "submit": [ {"id": "again", "count": 8, "queue": "A", "resources": {"cpu": 1}} ] },
	{ "advance": "1s" } ] }
EOF
see 'sorted(n["allocated"]["cpu"] for n in rounds[0]["nodes"].values())' '[8, 32]' 'queue A runs 40 jobs: 32 on one node and 8 on the other'
see 'ids(1, "scheduled", "b"), ids(1, "preempted", "a"), ids(1, "queued", "b")' '32 8 18' \
	'32 of B start, 8 of A are preempted, 18 of B wait'
see 'queue(1, "A", "cost"), queue(1, "B", "cost")' '0.5 0.5' 'each queue has half of the cluster'
see 'ids(2, "scheduled"), ids(2, "preempted"), ids(3, "scheduled"), ids(3, "preempted")' '0 0 0 0' \
	'preempted jobs that are submitted again unchanged preempt nothing'

# Of 32 cores a job of armada-default has 10 and a job of armada-preemptible 20, so 2 are free. A job of armada-default
# can preempt the 20 and get 32 - 10 = 22 cores; a job of armada-preemptible can get 2. The classes are those of the
# shipped armada.conf. t/0397-classes.t plays the same on a cluster.
install -m 644 "$ARMADA_SRCDIR/etc/armada.conf" shipped.conf
have()
{
	play "$3: the scenario runs" --config shipped.conf <<EOF
{ "nodes": [ {"name": "n", "resources": {"cpu": 32}} ], "queues": [ {"name": "A"} ],
  "running": [ {"id": "d", "node": "n", "queue": "A", "priority_class": "armada-default", "resources": {"cpu": 10}},
	       {"id": "p", "node": "n", "queue": "A", "priority_class": "armada-preemptible", "resources": {"cpu": 20}} ],
  "rounds": [ {"submit": [ {"id": "new", "queue": "A", "priority_class": "armada-$1", "resources": {"cpu": $2}} ]} ] }
EOF
	see '[x["id"] for x in rounds[0]["scheduled"]], [x["id"] for x in rounds[0]["preempted"]]' "$4" "$3"
}
have default 22 'a job of armada-default gets 22 cores' "['new'] ['p']"
have default 23 'a job of armada-default does not get 23 cores' '[] []'
have default 2 'a job of armada-default with 2 cores preempts nothing' "['new'] []"
have preemptible 2 'a job of armada-preemptible gets 2 cores' "['new'] []"
have preemptible 3 'a job of armada-preemptible does not get 3 cores' '[] []'

# The node has 10 cpu, 20 Gi and 5 gpu: 2 Gi and 0.5 gpu for each core. A usage of 5 cpu, 2 Gi and 1 gpu counts as
# 5 + 2/2 + 1/0.5 = 8. In each half-life the priority moves half of the way to the usage: 4, 6, and finally 8. The
# whole cluster counts as 10 + 20/2 + 5/0.5 = 30, so the cost is 8/30.
play 'usage in units of cpu' <<'EOF'
{ "policy": { "fairness": "decay", "options": { "fairness": {"half_life": "1h"} } },
  "nodes": [ {"name": "n", "resources": {"cpu": 10, "memory": "20Gi", "gpu": 5}} ], "queues": [ {"name": "A"} ],
  "running": [ {"id": "r", "node": "n", "queue": "A", "resources": {"cpu": 5, "memory": "2Gi", "gpu": 1}} ],
  "rounds": [ {"advance": "1h"}, {"advance": "1h"}, {"advance": "40h"} ] }
EOF
see 'round(rounds[0]["queues"]["A"]["cost"] * 30, 6)' '8.0' 'the usage is 8 of 30'
see 'queue(0, "A", "priority"), queue(1, "A", "priority"), queue(2, "A", "priority")' '4.0 6.0 8.0' \
	'the priority approaches the usage'

# Factors 1 and 2 are weights 1 and 1/2, so the fair shares are 1 / 1.5 and 0.5 / 1.5: of 12 cores 8 and 4, with
# both order plugins.
for order in progressive slices; do
	play "factors 1 and 2, $order" <<EOF
{ "policy": {"order": "$order"}, "nodes": [ {"name": "n", "resources": {"cpu": 12}} ],
  "queues": [ {"name": "A", "priority_factor": 1}, {"name": "B", "priority_factor": 2} ],
  "rounds": [ {"submit": [ {"id": "a", "count": 20, "queue": "A", "resources": {"cpu": 1}},
			   {"id": "b", "count": 20, "queue": "B", "resources": {"cpu": 1}} ]} ] }
EOF
	see 'queue(0, "A", "fair_share"), queue(0, "B", "fair_share")' '0.666667 0.333333' 'the fair shares are 2/3 and 1/3'
	see 'ids(0, "scheduled", "a"), ids(0, "scheduled", "b")' '8 4' '8 and 4 of the 12 cores are scheduled'
done

# The same with effective priorities: after one half-life with 4 cores each, the usage of both queues is 2. With
# factors 1 and 2 the effective priorities are 2 and 4, the weights 1/2 and 1/4: again 8 and 4 of the 12 free cores.
play 'effective priorities' <<'EOF'
{ "policy": {"fairness": "decay", "order": "slices", "options": { "fairness": {"half_life": "1h"} } },
  "nodes": [ {"name": "n", "resources": {"cpu": 12}} ],
  "queues": [ {"name": "A", "priority_factor": 1}, {"name": "B", "priority_factor": 2} ],
  "running": [ {"id": "r", "node": "n", "queue": "A", "resources": {"cpu": 4}},
	       {"id": "s", "node": "n", "queue": "B", "resources": {"cpu": 4}} ],
  "rounds": [ { "advance": "1h", "finish": ["r", "s"],
		"submit": [ {"id": "a", "count": 20, "queue": "A", "resources": {"cpu": 1}},
			    {"id": "b", "count": 20, "queue": "B", "resources": {"cpu": 1}} ]} ] }
EOF
see 'queue(0, "A", "weight"), queue(0, "B", "weight")' '0.5 0.25' 'the weights are 1/2 and 1/4'
see 'ids(0, "scheduled", "a"), ids(0, "scheduled", "b")' '8 4' '8 and 4 of the 12 cores are scheduled'

# The cost is the largest share of any resource: of 10 cpu and 100 Gi, A has 2 and 50 (0.2, 0.5), and B 4 and 10 (0.4,
# 0.1). The weights are 1, 1/2 and 1/4. C is not active while it has no running and no pending job, so the fair shares
# are 1 / 1.5 and 0.5 / 1.5. With a pending job of C they are 1 / 1.75, 0.5 / 1.75 and 0.25 / 1.75.
play 'dominant resources, active queues' <<'EOF'
{ "nodes": [ {"name": "n", "resources": {"cpu": 10, "memory": "100Gi"}} ],
  "queues": [ {"name": "A", "priority_factor": 1}, {"name": "B", "priority_factor": 2}, {"name": "C", "priority_factor": 4} ],
  "running": [ {"id": "r", "node": "n", "queue": "A", "resources": {"cpu": 2, "memory": "50Gi"}},
	       {"id": "s", "node": "n", "queue": "B", "resources": {"cpu": 4, "memory": "10Gi"}} ],
  "rounds": [ {}, {"submit": [ {"id": "c", "queue": "C", "resources": {"cpu": 1}} ]} ] }
EOF
see 'queue(0, "A", "cost"), queue(0, "B", "cost"), queue(0, "C", "cost")' '0.5 0.4 0.0' 'the cost is the largest share of a resource'
see 'queue(0, "A", "weight"), queue(0, "B", "weight")' '1.0 0.5' 'a weight is one over the factor'
see 'queue(0, "A", "fair_share"), queue(0, "B", "fair_share"), queue(0, "C", "fair_share")' '0.666667 0.333333 0.0' \
	'an inactive queue has no fair share'
see 'queue(1, "A", "fair_share"), queue(1, "B", "fair_share"), queue(1, "C", "fair_share")' \
	'0.571429 0.285714 0.142857' 'a queue has a fair share as soon as a job of it is pending'
done_testing
