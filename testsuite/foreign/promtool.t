#!/bin/bash
# /metrics and the example alert rules by promtool, and OpenMetrics by the parser of the Python client. The series of
# the tests of the rules are compared with a real scrape, so that no rule waits for a name that does not exist.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/foreign.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/rest.sh"
foreign promtool /usr/bin/python3

# A queue has a pending job, so that each family has a sample.
test_under_armada 1 --cpus 1 --rest
asubmit --array 0-1 --cpus 1 --output /dev/null --wrap 'sleep 1000' >/dev/null
scrape()
{
	curl -sSf -m 20 "$@" "$ARMADA_REST_URL/metrics"
}

has_sample()
{
	scrape >page && grep -qE "^$1" page
}
ok 'a job waits' wait_until 30 has_sample 'armada_queue_oldest_pending_seconds\{'
ok 'a job runs' wait_until 30 has_sample 'armada_job_events_total\{event="running"\} 1'

# ---- formats ----

run promtool check metrics <page
is "$status $out$err" '0 ' 'promtool finds nothing wrong with the text format'
sed 's/^# HELP armada_jobs .*//' page >wrong
run promtool check metrics <wrong
like "$status $out$err" '3 .*armada_jobs no help text' '... but sees a mistake'
scrape -H 'Accept: application/openmetrics-text; version=1.0.0' >open
cat >parse.py <<'END'
import sys
from prometheus_client.openmetrics import parser
from prometheus_client import parser as plain
take = parser if sys.argv[1] == "open" else plain
families = list(take.text_string_to_metric_families(open(sys.argv[2]).read()))
print(len(families), sum(len(f.samples) for f in families))
END
run /usr/bin/python3 parse.py open open
is "$out" "$(grep -c '^# TYPE' open) $(grep -vc '^#' open)" 'the parser of OpenMetrics reads all families and samples' || diag "$err"
run /usr/bin/python3 parse.py plain page
is "$out" "$(grep -c '^# TYPE' page) $(grep -vc '^#' page)" 'so does that of the text format' || diag "$err"
grep -v '^# EOF' open >wrong
run /usr/bin/python3 parse.py open wrong
is "$status" 1 '... which sees that the end is missing'
# promtool reads OpenMetrics when it fills a database, and wants times then
sed 's/^\([^#].*\)$/\1 1700000000/' open >timed
run promtool tsdb create-blocks-from openmetrics timed blocks
is "$status" 0 'promtool makes a database of OpenMetrics' || diag "$out$err"
like "$out" "[^0-9]$(grep -vc '^#' open) " '... of all samples'

# ---- rules ----

cp "$ARMADA_SRCDIR/contrib/examples/prometheus-rules.yml" "$ARMADA_SRCDIR/testsuite/foreign/alerts.yml" .
run promtool check rules prometheus-rules.yml
is "$status" 0 'promtool accepts the example rules' || diag "$out$err"
run promtool test rules alerts.yml
is "$status" 0 'each alert fires for its fault, and not before' || diag "$out$err"
names()
{
	sed -n "s/.*$1: *\(Armada[A-Za-z]*\).*/\1/p" "$2" | sort -u
}
is "$(names alertname alerts.yml)" "$(names alert prometheus-rules.yml)" 'each alert has a test'
is "$(grep -c exp_alerts alerts.yml)" "$(names alert prometheus-rules.yml | wc -l)" '... in which it fires'
# a rule that asks for less no longer fires
sed 's/armada_up == 0/armada_up == 2/' prometheus-rules.yml >other.yml
sed 's/prometheus-rules.yml/other.yml/' alerts.yml >other-tests.yml
run promtool test rules other-tests.yml
is "$status" 1 'a rule that never fires is found'

# Names of queues and limits stand for any; other values of labels are those of the scrape.
series()
{
	sed -E 's/(queue|limit)="[^"]*"/\1=""/g' | sort -u
}
grep -oE '^armada_[^ ]+(\{[^}]*\})?' page | series >real
grep -oE 'armada_[a-z_]+(\{[^}]*\})?' alerts.yml | series >tested
ok 'the tests have series' test "$(wc -l <tested)" -gt 15
is "$(comm -23 tested real)" '' 'a real scrape has each series of the tests'
for name in $(grep -oE 'armada_[a-z_]+' prometheus-rules.yml | sort -u); do
	grep -q "^$name[{ ]" page || is "$name" '' 'a real scrape has each name of the rules'
done
done_testing
