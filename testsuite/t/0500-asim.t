#!/bin/bash
# asim: what it refuses, time limits in scenarios, and that its manual page and completion have
# every option of --help.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs python3

PATH=$ARMADA_BUILDDIR/src/asim:$PATH
storm() { run asim storm --plugins "$ARMADA_BUILDDIR/plugins.d" "$@"; }

run asim
is "$status" 2 'asim without a mode is a usage error'
run asim frob
is "$status" 2 'an unknown mode is a usage error'
storm --seed x
is "$status" 2 'an invalid seed is a usage error'
storm --elastic 101
is "$status" 2 'more than 100 of 100 jobs is a usage error'
storm --frob
is "$status" 2 'an unknown option is a usage error'
storm --seed 3
is "$status" 0 'a run with a seed finds no error'
first=$out
storm --seed 3
is "$out" "$first" 'a second run with the seed prints the same bytes'
run asim storm --plugins "$work"
is "$status" 1 'a directory without plugins is refused'
cat >"$work/limits.json" <<'EOF'
{ "nodes": [ {"name": "n", "count": 2, "resources": {"cpu": 4, "memory": "8Gi"}} ],
  "queues": [ {"name": "A"} ],
  "policy": {"preempt": "none"},
  "running": [ {"id": "r", "queue": "A", "node": "n-0", "resources": {"cpu": 3}, "time_limit": "1h"} ],
  "rounds": [ {"advance": "10m", "submit": [
	{"id": "g", "count": 2, "queue": "A", "resources": {"cpu": 3}, "gang": {"id": "g", "cardinality": 2}},
	{"id": "short", "queue": "A", "resources": {"cpu": 2}, "time_limit": "50m"},
	{"id": "long", "queue": "A", "resources": {"cpu": 2}, "time_limit": "51m"},
	{"id": "beside", "queue": "A", "resources": {"cpu": 1}} ]} ] }
EOF
run asim rounds --check --plugins "$ARMADA_BUILDDIR/plugins.d" "$work/limits.json"
cat >"$work/show.py" <<'EOF'
import json, sys
o = json.loads(sys.stdin.read())
v = o["reservation"]
print(*[s["id"] for s in o["scheduled"]])
print(v["id"], v["start"], *["%s:%d" % n for n in sorted(v["nodes"].items())])
print(*[q["why"] for q in o["queued"] if q["id"] == "long"])
EOF
shown=$(python3 "$work/show.py" <<<"$out")
is "$(sed -n 1p <<<"$shown")" 'short beside' 'jobs that do not delay the reserved job start'
is "$(sed -n 2p <<<"$shown")" 'g.1 3600.0 n-0:1 n-1:1' 'the reservation is printed'
is "$(sed -n 3p <<<"$shown")" 'would delay job g.1, for which 2 nodes are reserved' \
	'the reason of a job that would delay it names the reservation'
sed -i 's/"51m"/"-1m"/' "$work/limits.json"
run asim rounds --plugins "$ARMADA_BUILDDIR/plugins.d" "$work/limits.json"
is "$status" 2 'a negative time limit is refused'
like "$err" 'rounds\[0\]\.submit\[2\]\.time_limit' 'the error names the place'
cat >"$work/users.json" <<'EOF'
{ "user_limits": {"max_cpus": 4}, "users": [ {"name": "bob", "max_running": 1} ],
  "nodes": [ {"name": "n", "resources": {"cpu": 32, "memory": "64G"}} ],
  "queues": [ {"name": "A", "user_max_running": 3}, {"name": "B", "max_running": 2} ],
  "rounds": [ {"submit": [
	{"id": "x", "user": "ann", "count": 4, "queue": "A", "resources": {"cpu": 1}},
	{"id": "y", "user": "ann", "count": 3, "queue": "B", "resources": {"cpu": 1}},
	{"id": "z", "user": "bob", "count": 2, "queue": "A", "resources": {"cpu": 1}},
	{"id": "g", "user": "eve", "count": 4, "queue": "A", "resources": {"cpu": 1},
	 "gang": {"id": "g", "cardinality": 4}}, {"id": "o", "queue": "A", "resources": {"cpu": 9}} ]} ] }
EOF
cat >"$work/show.py" <<'EOF'
import json, sys
o = json.loads(sys.stdin.read())
print(*sorted(s["id"] for s in o["scheduled"]))
for i in "x.2", "y.2", "z.1", "g.3":
    print(*[q["why"] for q in o["queued"] if q["id"] == i])
EOF
run asim rounds --check --plugins "$ARMADA_BUILDDIR/plugins.d" "$work/users.json"
is "$status" 0 'limits of users and queues are kept'
shown=$(python3 "$work/show.py" <<<"$out")
is "$(sed -n 1p <<<"$shown")" 'o x.0 x.1 y.0 y.1 z.0' 'exactly the jobs within the limits start'
cat >"$work/accounts.json" <<'EOF'
{ "accounts": [ {"name": "phys", "max_cpus": 3}, {"name": "bio", "user_max_running": 1} ],
  "nodes": [ {"name": "n", "resources": {"cpu": 32, "memory": "64G"}} ], "queues": [ {"name": "A"}, {"name": "B"} ],
  "rounds": [ {"submit": [
	{"id": "x", "user": "ann", "account": "phys", "count": 2, "queue": "A", "resources": {"cpu": 1}},
	{"id": "y", "account": "phys", "queue": "B", "resources": {"cpu": 2}, "priority": 5},
	{"id": "z", "user": "ann", "account": "bio", "count": 2, "queue": "B", "resources": {"cpu": 1}},
	{"id": "o", "user": "ann", "account": "chem", "queue": "A", "resources": {"cpu": 9}} ]} ] }
EOF
run asim rounds --check --plugins "$ARMADA_BUILDDIR/plugins.d" "$work/accounts.json"
is "$status" 0 'limits of accounts are kept'
is "$(jq -r '[.scheduled[].id] | sort | join(" ")' <<<"$out")" 'o x.0 x.1 z.0' 'the jobs within them start'
like "$(jq -r '.queued[] | select(.id == "y").why' <<<"$out")" 'limit of account phys: accounts.max_cpus' 'the reason names the limit'
like "$(sed -n 2p <<<"$shown")" '^user ann uses 4 of at most 4 cpus, this job asks for 1 ' 'the reason names the limit of each user'
like "$(sed -n 3p <<<"$shown")" '^queue B has 2 of at most 2 jobs running ' 'the reason names the limit of the queue'
like "$(sed -n 4p <<<"$shown")" 'limit of user bob: users.max_running' 'the reason names the limit of one user'
like "$(sed -n 5p <<<"$shown")" 'counts as 4 jobs, user eve may have 3 running .* can never start' \
	'the reason of a gang above the limit says that it never starts'
sed -i 's/"max_running": 1/"max_running": -1/' "$work/users.json"
run asim rounds --plugins "$ARMADA_BUILDDIR/plugins.d" "$work/users.json"
is "$status" 2 'a negative limit is refused'
like "$err" 'users\[0\]\.max_running' 'the error names the place'
# a site's file
cat >"$work/site.conf" <<EOF
plugin_dir = "$ARMADA_BUILDDIR/plugins.d";
scheduler = { default_class = "slow"; };
priority_classes = ( { name = "slow"; priority = 1; }, { name = "fast"; priority = 2; } );
queues = ( { name = "half"; limits = { cpu = 0.5; }; } );
plugins = { preempt = "none"; };
EOF
cat >"$work/sited.json" <<'EOF'
{ "nodes": [ {"name": "n", "resources": {"cpu": 4}} ], "queues": [ {"name": "other"} ],
  "rounds": [ {"submit": [ {"id": "h", "count": 3, "queue": "half", "resources": {"cpu": 1}},
			   {"id": "o", "queue": "other", "priority_class": "fast", "resources": {"cpu": 2}} ]},
	      {"submit": [ {"id": "u", "queue": "other", "priority_class": "fast", "resources": {"cpu": 1}} ]} ] }
EOF
cat >"$work/show.py" <<'EOF'
import json, sys
for o in map(json.loads, sys.stdin):
    print(*[s["id"] for s in o["scheduled"]], "|", *[s["id"] for s in o["preempted"]])
EOF
run env -u ARMADA_PLUGIN_DIR asim rounds --check --config "$work/site.conf" "$work/sited.json"
is "$status" 0 'a scenario takes the rest from armada.conf' || diag "$err"
is "$(python3 "$work/show.py" <<<"$out" | tr '\n' ';')" 'o h.0 h.1 |;|;' \
	'classes, the limit of the queue and the plugins are those of the file'
# refused_site DOCUMENT WORDS: with --config the document is refused with these words
refused_site()
{
	echo "$1" >"$work/bad.json"
	run asim rounds --config "$work/site.conf" "$work/bad.json"
	is "$status" 2 "refused: $2"
	like "$err" "$2" 'the error has the reason'
}
for key in '"policy": {}' '"limits": {}' '"priority_classes": []' '"default_priority_class": "slow"' '"users": []' \
	'"user_limits": {}' '"accounts": []'; do
	refused_site "{$key, \"rounds\": []}" "with --config this comes from $work/site.conf; the scenario may have nodes,"
done
refused_site '{"queues": [{"name": "half"}], "rounds": []}' "queue half is declared in $work/site.conf"
refused_site '{"queues": [], "rounds": [{"submit": [{"id": "a", "queue": "hafl", "resources": {"cpu": 1}}]}]}' \
	'there is no queue hafl: half'
sed -i 's/priority = 2;/priority = 2; preemptible = true; urgency_preemptible = false;/' "$work/site.conf"
refused_site '{"rounds": []}' "site.conf: line 3: priority_classes: class 'fast': preemptible = true contradicts"
echo '{"priority_classes": [{"name": "a", "preemptible": true, "urgency_preemptible": false}], "rounds": []}' >"$work/bad.json"
run asim rounds --plugins "$ARMADA_BUILDDIR/plugins.d" "$work/bad.json"
like "$err" "priority_classes\[0\]: class 'a': preemptible = true contradicts urgency_preemptible = false" \
	'flags that contradict each other are refused in a scenario, too'
like "$(asim --version)" "^asim \(Armada\) [0-9]" "asim --version has the form of all commands"
for option in $(asim --help | grep -oE -- '--[a-z]+' | sort -u); do
	ok "asim.1 has $option" grep -q -- "${option//-/\\\\-}" "$ARMADA_SRCDIR/man/asim.1"
	ok "completion has $option" grep -q -- "$option" "$ARMADA_SRCDIR/contrib/completion/asim.bash"
done
if has mandoc; then
	is "$(mandoc -T lint -W warning "$ARMADA_SRCDIR/man/asim.1" 2>&1)" '' 'asim.1: lint'
else
	skip "asim.1: lint: $missing"
fi
done_testing
