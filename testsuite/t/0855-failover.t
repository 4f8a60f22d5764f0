#!/bin/bash
# Three controllers share a state; leaders are killed, stopped and asked to give the lead up, while jobs
# are submitted and run. The engine is that of testsuite/drill/state_shared.c. ARMADA_FAILOVERS sets the
# number of faults.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/drill.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/failover.sh"

disturb()
{
	local name

	while next_fault; do
		stands || continue
		name=$led
		case $((RANDOM % 4)) in
		0) killed "$name" ;;
		1) stopped "$name" ;;
		2) actl takeover >>kills 2>&1 && fault "takeover from $name" ;;
		3) killed "armctld$((RANDOM % 3 + 1))" ;;
		esac
		pause 1000
	done
}

rounds=1
lasts=400
drill_begin 3 'agents = { heartbeat = "500ms"; node_timeout = "60s"; reconnect_max = "300ms"; };' \
	--state shared --controllers 3
ok 'one controller leads, and two stand by' wait_until 20 all_stand

first=$(leader)
# positions are announced once a second
none_behind()
{
	[ "$(actl ping --json | grep -c '"behind": 0')" -eq 5 ]
}
ok 'no controller is behind' wait_until 20 none_behind
run actl takeover "$first"
is "$status" 1 'the leader cannot take over from itself'
like "$err" 'it leads already' 'and the message says so'
run actl takeover nobody
like "$err" "controller 'nobody' is not running" 'an unknown controller is refused'
other=$(roles | awk '$2 == "standby" { print $1; exit }')
run actl takeover "$other"
is "$status" 0 'a standby takes over'
led_by_other()
{
	[ "$(leader)" = "$other" ]
}
ok 'the named standby leads' wait_until 20 led_by_other
ok 'the others stand by' wait_until 20 all_stand


# Commands that run on while the leader is killed: a watcher sees all events, a submission is not doubled.
name=$(leader)
asubmit --parsable --job-set gone -o /dev/null --memory 32M -- sleep 10 >first.id
awatch --exit-when-done --job-set gone >watched 2>watch.err &
watcher=$!
arun --memory 32M -- sh -c 'echo begins; sleep 6; echo ends' >arun.out 2>arun.err &
runner=$!
ok 'arun begins' wait_until 20 grep -q begins arun.out
"$devcluster" kill "$cluster" "$name"
run asubmit --parsable --job-set gone -o /dev/null --memory 32M -- true
is "$status" 0 'a submission waits for the next leader'
wait $runner
is "$?" 0 'a running arun ends with its program'
is "$(paste -sd' ' arun.out)" 'begins ends' 'its output is whole'
wait $watcher
is "$?" 0 'a running awatch goes on with the next leader'
is "$(grep -ci succeeded watched)" 2 'it has seen the ends of both jobs'
run aqueue --state all --noheader --format job,state "$(cat first.id)"
like "$out" COMPLETED 'the job that ran meanwhile has ended'
"$devcluster" restart "$cluster" "$name"
ok 'the killed controller stands by' wait_until 20 all_stand
is "$(roles | awk -v n="$name" '$1 == n { print $2 }')" standby 'and does not lead'

run actl copies list
like "$out" 'COPY.*REMOVED.*one .*in-sync.*two .*in-sync' 'actl copies list shows the copies'
run actl copies remove none
is "$status" 1 'an unknown copy is refused'
like "$err" "there is no copy 'none': expected one, two" 'and the message lists the copies'
run actl copies remove one
like "$err" 'copy one takes the writes' 'the copy that takes the writes is not taken out'
run actl copies remove two
like "$err" 'cannot be taken out: records have to be on two copies' 'fewer than two are refused'
run actl copies add two
like "$err" 'copy two is in the set already' 'a member is not added'

# A copy is away: submissions wait, then are refused, running jobs go on.
touch "$cluster/shared/away"
asubmit --parsable -o /dev/null --memory 32M -- true >waits.id 2>waits.err &
waiter=$!
says_away()
{
	actl ping >ping && grep -q '^Problem: .*copy two is away' ping
}
ok 'with a copy away actl ping says so after a time' wait_until 30 says_away
like "$(cat ping)" 'two  away' 'and shows the copy'
run asubmit --retry-for 0 --parsable -o /dev/null --memory 32M -- true
is "$status" 75 'a submission is refused'
like "$err" 'copy two is away' 'with the reason'
rm "$cluster/shared/away"
wait $waiter
is "$?" 0 'the submission that waited is accepted when the copy is back'
run asubmit --parsable -o /dev/null --memory 32M -- true
is "$status" 0 'it is accepted when the copy is back'

# The leader and a copy are gone. The next one has the lead, but its first record is not on all copies: it takes
# nothing, sends no orders, and answers as a standby.
terms()
{
	cat "$cluster"/log/armctld?.log | grep -c ' leads cluster '
}
led=$(terms)
touch "$cluster/shared/away"
name=$(leader)
"$devcluster" kill "$cluster" "$name"
says_waits()
{
	actl ping >ping 2>/dev/null && grep -q '^Store: .*has the lead, and leads when its first record' ping
}
ok 'with a copy away the next leader does not lead yet' wait_until 30 says_waits
like "$(cat ping)" 'two  away' 'and shows the copy'
run aqueue
is "$status" 0 'it answers a listing'
like "$err" 'no controller leads now; armctld. answers, a standby' 'as a standby'
run asubmit --retry-for 0 --parsable -o /dev/null --memory 32M -- true
is "$status" 75 'it takes no job'
like "$err" 'no controller of cluster dev leads' 'and the message says that none leads'
is "$(terms)" "$led" 'none has led meanwhile'
rm "$cluster/shared/away"
ok 'it leads when the copy is back' wait_until 20 has_leader
"$devcluster" restart "$cluster" "$name"
ok 'the killed one stands by again' wait_until 20 all_stand

# Without a leader a standby answers, and says so. Two controllers are gone, the third is stopped as leader.
for name in $(roles | awk '$2 == "standby" { print $1 }'); do
	echo "$name"
done >standbys
name=$(leader)
"$devcluster" kill "$cluster" "$name"
run aqueue
is "$status" 0 'a listing is answered while no controller leads'
like "$err" 'no controller leads now; armctld. answers, a standby' 'by a standby, which is said'
ok 'another one leads' wait_until 20 has_leader
"$devcluster" restart "$cluster" "$name"
ok 'all three are back' wait_until 20 all_stand

# One name twice, another order key, another configuration.
name=$(sed -n 1p standbys)
run timeout 30 armctld --config "$cluster/armada.conf" --name nobody
is "$status" 1 'a name that armada.conf does not have is refused'
like "$err" "there is no controller 'nobody': expected armctld1, armctld2, armctld3" 'and the message lists them'
mkdir -m 700 "$work/twice" "$work/run2"
cp -p "$cluster/state/$name/order.key" "$work/twice/"
sed -e "s|^state_dir.*|state_dir = \"$work/twice\";|; s|^run_dir.*|run_dir = \"$work/run2\";|" \
	"$cluster/armada.conf" >twice.conf
echo "listen = \"$work/run2/own.sock\";" >>twice.conf
run timeout 30 armctld --config "$work/twice.conf" --name "$name"
is "$status" 1 'a second controller of one name is refused'
like "$err" "another controller with the name '$name' is running" 'and the message says so'
"$devcluster" kill "$cluster" "$name"
mv "$cluster/state/$name/order.key" "$work/order.key"
run timeout 30 armctld --config "$cluster/armada.conf" --name "$name"
is "$status" 1 'a controller without the order key is refused'
like "$err" 'copy the file of another controller' 'and the message says what to do'
mv "$work/order.key" "$cluster/state/$name/order.key"
cp "$cluster/armada.conf" "$work/good.conf"
echo 'limits = { jobs_per_user = 7; };' >>"$cluster/armada.conf"
"$devcluster" restart "$cluster" "$name"
differs()
{
	actl ping | grep -q "^$name .*its configuration is another one"
}
ok 'another configuration is said in actl ping' wait_until 20 differs
like "$(actl ping)" 'jobs_per_user' 'with the difference'
cp "$work/good.conf" "$cluster/armada.conf"
kill -HUP "$(cat "$cluster/$name.pid")"
same()
{
	! differs && all_stand
}
ok 'SIGHUP lets a standby read it again' wait_until 20 same

lead_lists armctld1 armctld2 armctld3
drill_rounds disturb 60 240
is "$(cat wrong_answers 2>/dev/null)" '' 'no stopped leader answered as leader when it woke'
is "$(one_led)" '' 'no epoch had two leaders'
done_testing
