#!/bin/bash
# /metrics: the rules of both formats, the numbers of a small cluster, names that need escapes, many queues, and a
# cluster without its controller.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"

. "${ARMADA_SRCDIR:-.}/testsuite/lib/rest.sh"
needs curl
test_under_armada 2 --cpus 4 --rest
eval "$("$devcluster" env "$cluster")"
url=$ARMADA_REST_URL

scrape()
{
	curl -s -m 20 "$@" "$url/metrics" >page
}

# value SAMPLE: its value on the page
value()
{
	awk -v sample="$1 " 'index($0, sample) == 1 { print substr($0, length(sample) + 1) }' page
}

# has_value SAMPLE VALUE: after a new scrape
has_value()
{
	scrape
	[ "$(value "$1")" = "$2" ]
}

# wrong FORMAT: prints the lines of the page that break the rules of the format. A family has HELP, then TYPE, then all of
# its samples, once; a sample has a name, labels in quotes and a number.
wrong()
{
	awk -v format="$1" '
	function bad(why) { print NR ": " why ": " $0 }
	/^# HELP / {
		if ($3 in seen) bad("the family comes twice")
		seen[$3] = 1; now = $3; typed = 0; next
	}
	/^# TYPE / {
		if ($3 != now || typed) bad("TYPE does not follow HELP")
		if ($4 != "gauge" && $4 != "counter" && $4 != "histogram") bad("unknown type")
		bucket = before = 0
		typed = 1; type = $4; next
	}
	/^# EOF$/ { ended = NR; next }
	{
		if (ended) bad("after EOF")
		if (!match($0, /^[a-zA-Z_:][a-zA-Z0-9_:]*/)) { bad("no name"); next }
		name = substr($0, 1, RLENGTH); rest = substr($0, RLENGTH + 1)
		want = now
		if (format == "openmetrics" && type == "counter") want = now "_total"
		if (type == "histogram") {
			if (name !~ "^" want "_(bucket|sum|count)$") bad("a sample of another family")
			else want = name
			if (name == now "_bucket" && $NF + 0 < before) bad("a bucket has less than the one before")
			if (name == now "_bucket") before = $NF + 0
			if (name == now "_count" && $NF + 0 != before) bad("the last bucket has not all")
		}
		if (name != want) bad("a sample of another family")
		if ((type == "counter") != (name ~ /_total$/)) bad("counters end in _total, and nothing else does")
		if (!match(rest, /^(\{[a-z_]+="([^"\\]|\\["\\n])*"(,[a-z_]+="([^"\\]|\\["\\n])*")*\})? /)) { bad("labels"); next }
		number = substr(rest, RLENGTH + 1); labels = substr(rest, 1, RLENGTH)
		if (number !~ /^(-?[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?|NaN|[-+]Inf)$/) bad("no number")
		if ((name labels) in samples) bad("the sample comes twice")
		samples[name labels] = 1
	}
	END {
		if (format == "openmetrics" && ended != NR) print "no EOF at the end"
		if (format != "openmetrics" && ended) print "EOF"
	}' page
}

scrape
is "$(wrong plain)" '' 'the page keeps the rules of the text format'
is "$(curl -s -o /dev/null -w '%{content_type}' "$url/metrics")" 'text/plain; version=0.0.4; charset=utf-8' \
	'its type has the version'
scrape -H 'Accept: application/openmetrics-text; version=1.0.0'
is "$(wrong openmetrics)" '' 'the page keeps the rules of OpenMetrics'
like "$(curl -s -o /dev/null -w '%{content_type}' -H 'Accept: application/openmetrics-text' "$url/metrics")" \
	'^application/openmetrics-text; version=1.0.0' '... and has its type'

# ---- the numbers of a small cluster ----

actl queue create a b >/dev/null
asubmit --queue a --nodelist n1 --cpus 2 --output /dev/null --wrap 'sleep 1000' >/dev/null
asubmit --queue b --array 0-4 --cpus 4 --output /dev/null --wrap 'sleep 1000' >/dev/null
asubmit --queue b --hold --output /dev/null --wrap 'sleep 1000' >/dev/null
ok 'elements run' wait_until 20 has_value 'armada_elements{state="running"}' 2
is "$(value armada_up)" 1 'the controller is up'
is "$(value 'armada_elements{state="pending"}')" 5 'five elements wait'
is "$(value 'armada_queue_running_elements{queue="a"}')" 1 'one runs in queue a'
is "$(value 'armada_queue_pending_elements{queue="b"}')" 5 'five wait in queue b'
is "$(value 'armada_nodes{state="up"}')" 2 'two nodes are up'
is "$(value 'armada_resource_capacity{resource="cpu"}')" 8000 'they have eight cpus'
is "$(value 'armada_resource_allocated{resource="cpu"}')" 6000 'six are used'
is "$(value 'armada_limit_used{limit="jobs"}')" 3 'three jobs are in memory'
like "$(value 'armada_queue_fair_share{queue="a"}')" '^0\.5$' 'the fair share is half of the cluster'
ok 'rounds are counted' test "$(value 'armada_rounds_total{end="done"}')" -gt 0
anode drain n1 'for the test' >/dev/null
ok 'a drained node is counted' wait_until 10 has_value 'armada_nodes{state="draining"}' 1
# ---- what the controller counted ----

is "$(value 'armada_job_events_total{event="submitted"}')" 3 'three jobs were submitted'
is "$(value 'armada_job_events_total{event="running"}')" 2 'two elements were started'
ok 'commits are measured' test "$(value armada_commit_seconds_count)" -gt 0
ok 'rounds are measured' test "$(value armada_round_seconds_count)" -gt 0
is "$(value armada_round_seconds_count)" \
	"$(awk '/^armada_rounds_total{/ { n += $2 } END { print n }' page)" 'each round has its time'
like "$(value 'armada_queue_oldest_pending_seconds{queue="b"}')" '^[0-9.]+$' 'the oldest pending job of a queue has its age'
is "$(value 'armada_queue_oldest_pending_seconds{queue="a"}')" '' 'a queue where none waits has none'
run asubmit --queue nowhere --wrap true
ok 'a refused request is counted' wait_until 20 has_value "armada_requests_refused_total{exit_code=\"$status\"}" 1
like "$(actl show counters)" 'job_events +event=submitted +3 ' 'actl show counters has the same'
like "$(actl show counters)" 'commit_seconds +[0-9]+ times, mean 0\.' 'and the mean time of a commit'
is "$(actl show counters --json | jq '[.counters[] | select(.counter == "commit_seconds").buckets[].count] | add')" \
	"$(actl show counters --json | jq '.counters[] | select(.counter == "commit_seconds").value')" 'the buckets have all commits'

# ---- fairness, preemptions and the history ----

# Of 8 cpus b has 4 and wants 20, and 2 are free, too few for a job of b.
is "$(value 'armada_queue_share_lacking{queue="a"}')" 0 'queue a lacks nothing: it has what it asked for'
like "$(value 'armada_queue_envy{queue="b"}')" '^0' 'queue b may envy'
is "$(value 'armada_queue_preempted_cluster_seconds_total{queue="(other)"}')" 0 'no work was lost by preemptions'
is "$(value 'armada_preempted_elements_total{reason="request"}')" 0 'nothing was preempted'
actl preempt --queue a >/dev/null
ok 'a preemption by request is counted' wait_until 20 has_value 'armada_preempted_elements_total{reason="request"}' 1
ok 'the history follows the log' wait_until 30 has_value armada_history_lag_records 0
is "$(value armada_history_lag_seconds)" 0 '... and no row waits'
for name in share_lacking envy preempted_cluster_seconds; do
	like "$(actl show counters)" "queue_$name +queue=" "actl show counters has queue_$name"
done
is "$(curl -s -H "Authorization: Bearer $(actl token create | tail -n 1)" "$url/v1/counters" |
	jq -c '[.counters[] | select(.counter == "preempted_elements") | .of.reason]')" \
	'["fair-share","urgency","scavenging","request"]' 'GET /v1/counters has the reasons of preemptions'

# Each family of the page is in the list of the manual page, with its type; and the list has no others.
listed()
{
	sed -n '/metrics: begin/,/metrics: end/s/^\.BR \(armada_[a-z_]*\) " (\([a-z]*\).*/\1 \2/p' "$ARMADA_SRCDIR/man/armrestd.8" | sort
}
is "$(sed -n 's/^# TYPE //p' page | sort | comm -23 - <(listed))" '' 'armrestd(8) has each metric with its type'
is "$(sed -n 's/^# TYPE //p' page | sort | comm -13 - <(listed))" '' '... and the page has each of the list'

# every metric of the example rules exists
for name in $(grep -oE 'armada_[a-z_]+' "$ARMADA_SRCDIR/contrib/examples/prometheus-rules.yml" | sort -u); do
	grep -q "^$name[{ ]" page || is "$name" '' 'a metric of the example rules is missing'
done

# ---- many queues ----

seq -f 'q%g' 200 | xargs actl queue create >/dev/null
ok 'queues are counted' wait_until 10 has_value armada_queues 202
is "$(grep -c '^armada_queue_pending_elements' page)" 51 'the busiest have series of their own, the others one'
is "$(value 'armada_queue_pending_elements{queue="b"}')" 5 'the busy queue is among them'
{
	echo 'defaults = { output = "/dev/null"; cpus = 4; wrap = "true"; }; jobs = ('
	printf '{ queue = "q%s"; },\n' {1..59}
	echo '{ queue = "q60"; } );'
} >many.conf
asubmit --file many.conf >/dev/null
ok 'a round has many queues' wait_until 30 has_value 'armada_fairness{property="queues"}' 62
for name in share fair_share entitled_share share_lacking envy; do
	is "$(grep -c "^armada_queue_$name{" page) $(grep -c "^armada_queue_$name{queue=\"(other)\"}" page)" '51 1' \
		"50 queues have an armada_queue_$name of their own, and the others one"
done
like "$(awk '/^armada_queue_fair_share{/ { n += $2 } END { printf "%.6f", n }' page)" '^1\.000000$' 'the fair shares of all queues are the cluster'
is "$(wrong plain)" '' 'the page keeps the rules'

# ---- without a controller ----

"$devcluster" kill "$cluster" armctld
ok 'a controller that is away is seen' wait_until 20 has_value armada_up 0
is "$(wrong plain)" '' 'the page keeps the rules then'
"$devcluster" restart "$cluster" armctld
ok 'it is up again' wait_until 20 has_value armada_up 1
done_testing
