#!/bin/bash
# A hostile client, for a second or two of each attack. testsuite/hostile/README.md says how to run
# it longer.
# Its figures are shown; nothing fails on time.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

hostile=$ARMADA_BUILDDIR/testsuite/hostile/hostile
[ -x "$hostile" ] || skip_all 'the hostile client is not built'
grown_max=200 # MB

port=$(free_port)
echo "listen = \"127.0.0.1:$port\"; limits = { output_timeout = \"1s\"; };" >conf
test_under_armada 1 --conf "$work/conf"
controller=$(cat "$cluster/armctld.pid")
# With root the hostile client is another user than the honest one.
options=(--pid "$controller" --settle 0.3)
hostile_uid=$(id -u)
if [ "$hostile_uid" -eq 0 ]; then
	hostile_uid=$(id -u nobody)
	options+=(--uid "$hostile_uid")
fi

lost_percent=0 # of honest requests that may go without an answer

# attack NAME CONNECTIONS REQUESTS SECONDS [OPTION...]: shows its line; sets opened and closed.
attack()
{
	run "$hostile" "${options[@]}" --connections "$2" --requests "$3" --seconds "$4" "${@:5}" "$1"
	diag "$out${err:+
$err}"
	read -r grown asked lost opened closed < \
		<(awk 'NR == 2 { print int($5 - $4), $7, $11, $12, $14 }' <<<"$out")
	[ -n "${closed:-}" ] && [ "$grown" -lt $grown_max ] && [ "$opened" -gt 0 ] &&
		[ "$lost" -le $((asked * lost_percent / 100)) ]
	result $? "$1: less than $grown_max MB more; $((100 - lost_percent)) % of honest requests are answered"
}

all_closed()
{
	is "$closed" "$opened" "$1: connections that do not read are closed"
}

# What users see of the state. The hostile user gets a queue with the first job.
state()
{
	aqueue --noheader --format job,name,user,state
	anode --noheader --format name,state
	actl queue list | awk '$1 != "nobody" { print $1, $2, $3, $4, $5 }'
}

asubmit --parsable --hold --job-name kept --wrap 'exit 0' >/dev/null || bail 'a job is not accepted'
state >before

attack frames 45 1 2
attack garbage 4 1 2
# Each of these connections is worth two lines; a minute may have ended meanwhile.
lines=$(grep -cE "of uid $hostile_uid at" "$cluster/log/armctld.log")
[ "$lines" -gt 0 ] && [ "$lines" -le 120 ] && [ "$closed" -gt 0 ]
result $? "the log has a limited number of lines about them: $lines of $((2 * closed))"
attack silent 80 0 2 --address "127.0.0.1:$port"
# From the address of the silent ones a slow machine may lose some.
lost_percent=50
attack silent 100 0 2 --address "127.0.0.1:$port" --honest "127.0.0.1:$port"
lost_percent=0
attack flood 1 1000 5
state >after
ok 'what is no message changes nothing' diff before after

attack pipeline 2 1000 20
all_closed pipeline
attack lists 2 1000 20
all_closed lists
attack unread 20 60 20
all_closed unread
attack slow 20 60 20
all_closed slow
attack wait 2 5000 1.5
attack history 20 200 3
attack store 1 40 10
attack ends 2 10 10

state >after
ok 'the jobs of the attacks are gone, everything else is there' diff before after
ok 'the controller lives' kill -0 "$controller"
done_testing
