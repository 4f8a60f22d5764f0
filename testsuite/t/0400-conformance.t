#!/bin/bash
# asim rounds decides as the conformance cases expect, and its own --check finds no error. Cases in
# conformance/known_failures may fail; a case that passes must be removed from that list.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs python3

cases=$ARMADA_SRCDIR/testsuite/conformance
cat >"$work/asim" <<EOF
#!/bin/sh
shift
exec "$ARMADA_BUILDDIR/src/asim/asim" rounds --check --plugins "$ARMADA_BUILDDIR/plugins.d" "\$@"
EOF
chmod +x "$work/asim"

python3 "$cases/run.py" -v "$work/asim" -- "$cases/cases" "$cases/seed_cases" "$cases/policy_cases" >"$work/out"
passed=$(grep -c '^ok ' "$work/out")
known=$(grep -v '^#' "$cases/known_failures" | sort)
failed=$(sed -n 's/^FAIL \([^ ]*\) .*/\1/p' "$work/out" | sort)

is "$((passed + $(wc -w <<<"$failed")))" "$(ls "$cases"/cases/*.json "$cases"/seed_cases/*.json "$cases"/policy_cases/*.json | wc -l)" \
	'every case was run'
is "$(comm -23 <(echo "$failed") <(echo "$known"))" '' 'every case passes that is not in known_failures' ||
	grep '^FAIL' "$work/out" | sed 's/^/# /'
is "$(comm -13 <(echo "$failed") <(echo "$known"))" '' 'every case in known_failures fails'

# refused DOCUMENT WORDS: exit code 2, and the words are in the error.
refused()
{
	echo "$1" >"$work/bad.json"
	run "$work/asim" rounds "$work/bad.json"
	is "$status" 2 "refused: $2"
	ok "the error names the place" grep -qF -- "$2" <<<"$out$err"
}
nodes='"nodes": [{"name": "n0", "resources": {"cpu": 4}}], "queues": [{"name": "A"}]'
refused '{' 'line 2'
refused '{"rounds": [{"submit": [{"id": "a", "queue": "A", "resources": {"cpu": 1}}]}]}' \
	'rounds[0].submit[0].queue: there is no queue A: there are none'
refused "{$nodes, \"rounds\": [{\"submit\": [{\"id\": \"a\", \"queue\": \"A\", \"resources\": {\"cpu\": -1}}]}]}" \
	'rounds[0].submit[0].resources.cpu'
refused "{$nodes, \"rounds\": [{\"cordon\": [\"n1\"]}]}" 'rounds[0].cordon[0]: there is no node n1: n0'
refused "{$nodes, \"rounds\": [], \"running\": [{\"id\": \"a\", \"count\": 5, \"node\": \"n0\", \"queue\": \"A\", \"resources\": {\"cpu\": 1}}]}" \
	'running[0].node: node n0 has no room'
refused "{$nodes, \"rounds\": [{\"remove_node\": [\"n0\"]}, {\"uncordon\": [\"n0\"]}]}" \
	'rounds[1].uncordon[0]: node n0 was removed before'
options='"policy": {"options": {"fairness": {"multipliers": '
refused "{$nodes, $options{\"cpus\": 1}}}}, \"rounds\": []}" \
	'policy.options.fairness.multipliers.cpus: no node has such a resource'
refused "{$nodes, $options{\"cpu\": 1e7}}}}, \"rounds\": []}" \
	'policy.options.fairness.multipliers.cpu: a number from 0 to 1e+06'
refused "{\"nodes\": [{\"name\": \"n0\", \"resources\": {\"cpu\": 4}}], \"queues\": [{\"name\": \"A\", \"limits\": {\"cpu\": 1.5}}], \"rounds\": []}" \
	'queues[0].limits.cpu: a number from 0 to 1'
refused "{$nodes, \"priority_classes\": [{\"name\": \"a\", \"max_fraction_per_queue\": {\"cpu\": 1.5}}], \"rounds\": []}" \
	'priority_classes[0].max_fraction_per_queue.cpu: a number from 0 to 1'
refused "{$nodes, \"limits\": {\"max_resource_fraction_per_round\": {\"cpu\": 1.5}}, \"rounds\": []}" \
	'limits.max_resource_fraction_per_round.cpu: a number from 0 to 1'
refused "{\"nodes\": [], \"queues\": [{\"name\": \"A\", \"class_limits\": {\"nope\": {}}}], \"rounds\": []}" \
	'queues[0].class_limits.nope: there is no priority class nope: armada-default, armada-preemptible'
refused "{$nodes, \"priority_classes\": [{\"name\": \"p0\"}, {\"name\": \"p3\"}], \"default_priority_class\": \"nope\", \"rounds\": []}" \
	'default_priority_class: there is no priority class nope: p0, p3'
refused "{$nodes, \"priority_classes\": [{\"name\": \"low\"}, {\"name\": \"urgent\"}], \"default_priority_class\": \"urgnet\", \"rounds\": []}" \
	'default_priority_class: there is no priority class urgnet: urgent, low'
refused "{\"nodes\": [{\"name\": \"rack\", \"count\": 100, \"resources\": {\"cpu\": 4}}], \"rounds\": [{\"cordon\": [\"rak-7\"]}]}" \
	'rounds[0].cordon[0]: there is no node rak-7: rack-7, '
refused "{\"nodes\": [{\"name\": \"rack\", \"count\": 100, \"resources\": {\"cpu\": 4}}], \"rounds\": [{\"cordon\": [\"nothing\"]}]}" \
	'rounds[0].cordon[0]: there is no node nothing: rack-0, rack-1, rack-2 and 97 more'
gang='"queue": "A", "resources": {"cpu": 1}, "gang": {"id": "g", "cardinality": 2}'
refused "{$nodes, \"rounds\": [{\"submit\": [{\"id\": \"a\", $gang}, {\"id\": \"b\", $gang, \"scavenge\": true}]}]}" \
	'rounds[0].submit[1].gang: gang g does not scavenge: its members are alike in this'
slices='"policy": {"order": "slices", "options": {"order": {'
refused "{$nodes, $slices\"batch_size\": 0}}}, \"rounds\": []}" \
	'policy.options.order.batch_size: a whole number from 1'
refused "{$nodes, $slices\"probabilistic_only\": 1}}}, \"rounds\": []}" \
	'policy.options.order.probabilistic_only: true or false'
refused "{$nodes, $slices\"prefer_large\": true}}}, \"rounds\": []}" \
	'policy.options.order.prefer_large'
refused "{$nodes, \"policy\": {\"order\": \"slice\"}, \"rounds\": []}" 'there are progressive, slices'
refused "{$nodes, \"policy\": {\"fairness\": \"decay\", \"options\": {\"fairness\": {\"half_life\": \"0s\"}}}, \"rounds\": []}" \
	'policy.options.fairness.half_life'
done_testing
