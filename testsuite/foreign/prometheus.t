#!/bin/bash
# A real Prometheus scrapes the gateway and evaluates the example rules.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/foreign.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/rest.sh"
foreign prometheus

test_under_armada 2 --cpus 4 --rest
asubmit --array 0-2 --cpus 4 --output /dev/null --wrap 'sleep 1000' >/dev/null
# The rules as they are, but for the time that a fault has to last.
sed 's/for: [0-9]*m/for: 2s/' "$ARMADA_SRCDIR/contrib/examples/prometheus-rules.yml" >rules.yml
cat >prometheus.yml <<END
global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [$work/rules.yml]
scrape_configs:
  - { job_name: armada, static_configs: [{ targets: ["${ARMADA_REST_URL#http://}"] }] }
END
server=
# shellcheck disable=SC2016
at_exit='[ -z "$server" ] || kill "$server"; wait'
begins()
{
	free_port
	prometheus --config.file=prometheus.yml --storage.tsdb.path="$work/data" --web.listen-address="127.0.0.1:$port" \
		2>prometheus.log &
	server=$!
	wait_until 60 eval "curl -sf http://127.0.0.1:$port/-/ready || ! kill -0 $server"
	kill -0 "$server" 2>/dev/null
}
for _ in 1 2 3; do
	begins && break
done
is $? 0 'a server starts with the example rules' || diag "$(tail -n 5 prometheus.log)"

# api PATH [CURL OPTION]...
api()
{
	curl -sSf -m 20 -G "http://127.0.0.1:$port/api/v1/$1" "${@:2}"
}

# value QUERY: the values that the server has, sorted
value()
{
	api query --data-urlencode "query=$1" | jq -r '[.data.result[].value[1]] | sort | join(" ")'
}

# gives QUERY VALUE
gives()
{
	[ "$(value "$1")" = "$2" ]
}
ok 'it scrapes the gateway' wait_until 60 gives 'armada_elements{state="running"}' 2
is "$(api targets | jq -r '.data.activeTargets[0] | .health + .lastError')" up 'the target is up, without an error'
is "$(value up)" 1 '... as its own metric says'
ok 'a page has all of its samples' gives scrape_samples_scraped "$(curl -s "$ARMADA_REST_URL/metrics" | grep -vc '^#')"
is "$(value 'armada_nodes{state="up"}')" 2 'it has the numbers of the cluster'
ok 'a histogram has quantiles' wait_until 60 eval \
	'[[ $(value "histogram_quantile(0.99, rate(armada_commit_seconds_bucket[1m]))") =~ ^[0-9.e-]+$ ]]'
is "$(api metadata --data-urlencode metric=armada_job_events | jq -r '.data[][0].type')" counter \
	'it asked for OpenMetrics, and knows the type of a counter'

rules()
{
	api rules | jq -r "$1"
}
is "$(rules '[.data.groups[].rules[].name] | length')" "$(grep -c 'alert:' rules.yml)" 'it has all rules'
ok 'it evaluates them' wait_until 60 eval '[ "$(rules "[.data.groups[].rules[].health] | unique | join(\" \")")" = ok ]'
is "$(rules '[.data.groups[].rules[] | select(.health != "ok").lastError] | join(" ")')" '' '... without an error'
is "$(rules '[.data.groups[].rules[] | select(.state != "inactive").name] | join(" ")')" '' 'no alert fires in a healthy cluster'

# ---- an alert ----

"$devcluster" kill "$cluster" armctld
firing()
{
	[ "$(api alerts | jq -r '[.data.alerts[] | select(.state == "firing").labels.alertname] | join(" ")')" = "$1" ]
}
ok 'the alert about a controller that is away fires' wait_until 60 firing ArmadaControllerDown
"$devcluster" restart "$cluster" armctld
ok '... and ends when it is back' wait_until 60 firing ''
done_testing
