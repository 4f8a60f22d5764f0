#!/bin/bash
# Preemption on a real cluster: for fair share, for urgency, and with the controller killed meanwhile.
#
# When a task starts, it sums the cpus of all live tasks on its node, itself included: room that is
# leased to a pending task must not be used before it is free. A task writes a file with its pid and
# cpus, and a line in the journal.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

cat >conf <<'X'
queues = ( { name = "a"; owners = [ "*" ]; }, { name = "b"; owners = [ "*" ]; } );
priority_classes = (
	{ name = "armada-default"; priority = 1000; },
	{ name = "armada-preemptible"; priority = 1000; fair_share_preemptible = true; },
	{ name = "urgent"; priority = 2000; urgency_preemptible = false; }
);
scheduler = { cycle_period = "100ms"; };
X
me=$(id -un)
sed -i "s/\"\\*\"/\"$me\"/g" conf

cat >task <<'X'
#!/bin/bash
# task CPUS UNTIL HOW CODE: run until the file is there; when told to end, obey once the file
# `mercy` is there, or never
work=${0%/*} live=${0%/*}/live
key=$ARMADA_JOB_ID.$ARMADA_TASK_RANK.$ARMADA_ATTEMPT
trap 'told=1' TERM
echo "$$ $1 $ARMADA_NODE_NAME $key" >"$live/.$key"
mv "$live/.$key" "$live/$key"
sum=0
for f in "$live"/*; do
	read -r pid cpus node other <"$f" || continue
	[ "$node" = "$ARMADA_NODE_NAME" ] || continue
	[ -e "/proc/$pid" ] || continue
	sum=$((sum + cpus))
	[ "${other%.*}" != "${key%.*}" ] || [ "$other" = "$key" ] ||
		echo "$key runs on while $other does" >>"$work/wrong"
done
[ $sum -le 4 ] || echo "$key: $sum cpus are used on $ARMADA_NODE_NAME" >>"$work/wrong"
echo "start $key" >>"$work/journal"
until [ -e "$work/$2" ]; do
	read -rt 0.1 <&9 || :
	[ -z "$told" ] || [ "$3" = never ] || [ ! -e "$work/mercy" ] || exit 143
done 9<> <(:)
echo "end $key" >>"$work/journal"
exit "$4"
X
chmod 755 task
mkdir -m 777 live
: >journal
chmod 666 journal

test_under_armada 2 --cpus 4 --memory 8G --conf conf

# submit N QUEUE CLASS CPUS UNTIL HOW CODE [option...]: the job ids go to the array `ids`
submit()
{
	local n=$1 queue=$2 class=$3 cpus=$4 until=$5 how=$6 code=$7 i

	shift 7
	ids=()
	for ((i = 0; i < n; i++)); do
		ids+=("$(asubmit --parsable -q "$queue" --priority-class "$class" -c "$cpus" \
			--memory 100M --output=/dev/null "$@" -- "$work/task" "$cpus" "$until" "$how" "$code")")
	done
}

# in_state N STATE ID...: exactly N of these jobs are in STATE
in_state()
{
	local n=$1 state=$2

	shift 2
	[ "$(aqueue --noheader --format state --state all "$@" | grep -cx "$state")" -eq "$n" ]
}

kill_controller()
{
	"$devcluster" kill "$cluster" armctld >/dev/null
	"$devcluster" restart "$cluster" armctld >/dev/null
	wait_until 20 actl ping
}

# started ID...: prints how many attempts of these jobs have started
started()
{
	local id n=0

	for id; do
		n=$((n + $(grep -c "^start $id\\." journal)))
	done
	echo $n
}

# ---- preemption for fair share ----

submit 8 a armada-preemptible 1 go obey 3 --grace-period 60s --output "$work/a.%j" --open-mode append
a=("${ids[@]}")
ok 'the jobs of one queue fill the cluster' wait_until 20 in_state 8 RUNNING "${a[@]}"
submit 8 b armada-preemptible 1 go obey 4
b=("${ids[@]}")
ok 'half of them are preempted for another queue' wait_until 20 in_state 4 COMPLETING "${a[@]}"
ok "half of the other queue's jobs hold pending leases" wait_until 20 in_state 4 CONFIGURING "${b[@]}"
like "$(aqueue --noheader --state configuring --format reason | head -n 1)" \
	'^waits for room: [1-4] tasks? (is|are) being ended for it$' 'their reason says that they wait for room'
is "$(aqueue --noheader --state completing --format reason | grep -c .)" 4 \
	'each preempted job has a reason'
fair='fair-share preemption: made room for job [0-9]+ of queue b, which uses [0-9]+ % of the cluster \(share [0-9]+ %\); queue a uses [0-9]+ % of the cluster \(share [0-9]+ %\)'
is "$(aqueue --noheader --state completing --format reason | grep -cvE "^$fair\$")" 0 \
	'it names the rule, the job that gets the room, and the share of either queue'
victim=$(aqueue --noheader --state completing --format job | head -n 1 | tr -d ' ')
like "$(aexplain "$victim")" "it is being ended: $fair" 'aexplain says the same'
is "$(started "${b[@]}")" 0 'none of them has started'
is "$(anode --noheader --format cpus | sort -u)" '4/4' 'no node shows more cpus in use than it has'
for round in 1 2 3; do
	ok "the controller is killed ($round)" kill_controller
done
in_state 4 CONFIGURING "${b[@]}"
result $? 'the pending leases survive the restart'
is "$(started "${b[@]}")" 0 'none was started too early'
touch mercy
ok 'they run once the preempted jobs have ended' wait_until 30 in_state 4 RUNNING "${b[@]}"
in_state 4 PENDING "${a[@]}"
result $? 'the preempted jobs are pending again'
is "$(grep -lE "^armada: job [0-9]+ was ended on n[12] at [^ ]+: $fair\$" a.* | wc -l)" 4 \
	'the output of each ends with the reason'
like "$(aexplain "$victim")" "$fair" 'aexplain says why the job waits again'
like "$(aqueue --noheader --state pending --format attempt "${a[@]}" | sort -u)" '^1$' \
	'the preempted jobs have had one attempt'
touch go
ok 'all jobs end' wait_until 60 job_ended "${a[@]}" "${b[@]}"
is "$(aqueue --noheader --state all --format state,exit_code "${a[@]}" "${b[@]}" |
	tr -s ' ' | sort | uniq -c | tr -s ' ' | tr '\n' ';')" ' 8 FAILED 3; 8 FAILED 4;' \
	'each job has its own exit code, also the preempted ones'
is "$(aqueue --noheader --state all --format last_end "${a[@]}" | grep -cE "^attempt 1: $fair *\$")" 4 \
	'the history has the reason too'
is "$(aqueue --noheader --state all --format attempt "${a[@]}" | grep -c 2)" 4 \
	'four jobs had a second attempt'
is "$(cat wrong 2>/dev/null)" '' 'I6: no node ever ran more than it has'

# ---- preemption for urgency ----

rm -f go mercy
submit 2 a armada-default 4 go never 0 --grace-period 1s
a=("${ids[@]}")
ok 'ordinary jobs fill the cluster' wait_until 20 in_state 2 RUNNING "${a[@]}"
submit 1 b armada-preemptible 4 go obey 0
waits=("${ids[@]}")
submit 1 b urgent 3 urgent obey 0 --nodes 2
gang=("${ids[@]}")
ok 'an urgent gang runs although the running jobs ignore SIGTERM' wait_until 20 in_state 1 RUNNING "${gang[@]}"
in_state 2 PENDING "${a[@]}"
result $? 'both jobs have been killed and are pending'
is "$(started "${waits[@]}")" 0 'a job of their own class has preempted nothing'
ok 'that job is cancelled' acancel "${waits[@]}"
touch urgent
ok 'the preempted jobs run again when the gang has ended' wait_until 20 in_state 2 RUNNING "${a[@]}"
touch go
ok 'all jobs end' wait_until 30 job_ended "${a[@]}" "${gang[@]}" "${waits[@]}"
is "$(aqueue --noheader --state all --format state,attempt "${a[@]}" | tr -s ' ' | sort -u)" \
	'COMPLETED 2' 'they complete in their second attempt'

# ---- a pending lease can be withdrawn ----

rm -f go urgent
submit 2 a armada-default 4 go obey 0 --grace-period 60s --no-requeue
a=("${ids[@]}")
ok 'jobs that may not be requeued fill the cluster' wait_until 20 in_state 2 RUNNING "${a[@]}"
submit 2 b urgent 4 go obey 0
b=("${ids[@]}")
ok 'two urgent jobs hold pending leases' wait_until 20 in_state 2 CONFIGURING "${b[@]}"
ok 'one of them is cancelled' acancel "${b[0]}"
ok 'it is cancelled at once' in_state 1 CANCELLED "${b[0]}"
ok 'the nodes are drained' anode drain n1,n2 'a bad fan'
ok 'the other is pending again' in_state 1 PENDING "${b[1]}"
ok 'the nodes are resumed' anode resume n1,n2
ok 'it holds a pending lease again' wait_until 20 in_state 1 CONFIGURING "${b[1]}"
touch mercy
ok 'the preempted jobs end in state PREEMPTED' wait_until 20 in_state 2 PREEMPTED "${a[@]}"
like "$(aqueue --noheader --state all --format reason "${a[0]}")" \
	'^urgency preemption: made room for job [0-9]+ of queue b, which uses .* \(share [0-9]+ %\).*; queue a uses .* \(share [0-9]+ %\)' \
	'their history names the rule, the job and the shares'
touch go
ok 'the urgent job runs to its end' wait_until 20 in_state 1 COMPLETED "${b[1]}"
is "$(started "${b[0]}")" 0 'the cancelled job was never started'

# ---- everything at once, the controller killed meanwhile ----

rm -f go
: >journal
all=()
for round in 1 2 3 4; do
	submit 3 a armada-preemptible $((1 + round % 2)) go obey 5
	all+=("${ids[@]}")
	submit 3 b armada-preemptible 1 go never 5 --grace-period 1s
	all+=("${ids[@]}")
	kill_controller
	submit 1 b armada-preemptible $round go obey 5 --nodes 2
	all+=("${ids[@]}")
	"$devcluster" kill "$cluster" n$((1 + round % 2)) >/dev/null
	submit 1 a urgent $round soon obey 5
	all+=("${ids[@]}")
	kill_controller
	"$devcluster" restart "$cluster" n$((1 + round % 2)) >/dev/null
	ok "the urgent job runs ($round)" wait_until 30 in_state 1 RUNNING "${ids[@]}"
	touch soon
	ok 'the urgent job ends' wait_until 30 in_state 1 FAILED "${ids[@]}"
	rm -f soon
done
touch go
ok 'all jobs end, preempted or not' wait_until 60 job_ended "${all[@]}"
is "$(aqueue --noheader --state all --format state,exit_code "${all[@]}" | tr -s ' ' | sort -u)" \
	'FAILED 5' 'each has its own exit code'
is "$(sort journal | uniq -d)" '' 'I2: no attempt started twice'
is "$(cat wrong 2>/dev/null)" '' 'I3, I6: no two attempts of a task overlap, no node runs more than it has'
attempts=$(started "${all[@]}")
[ "$attempts" -gt $((${#all[@]} + 4)) ] # four of them have two tasks
result $? "some jobs were preempted: $attempts attempts of ${#all[@]} jobs"
done_testing
