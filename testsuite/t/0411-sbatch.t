#!/bin/bash
# The options of sbatch: the ones that are refused, each with what to do instead, and the effect of the others.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

cat >quick.conf <<X
agents = { heartbeat = "200ms"; node_timeout = "1s"; reconnect_max = "200ms"; };
X
test_under_armada 3 --cpus 4 --memory 4G --conf quick.conf

has_gpus()
{
	[ "$(anode --noheader --format gpus "$1" | tr -d ' ')" = "0/4" ]
}
for node in n1 n2; do
	echo --gpus=4 >>"$cluster/nodes/$node"
	"$devcluster" restart "$cluster" "$node" >/dev/null
done
for node in n1 n2; do
	ok "$node has gpus" wait_until 20 has_gpus "$node"
done

# asubmit(1) has each refused option, with the sentence that asubmit prints
sed -n '/^\.SH "OPTIONS OF SBATCH"/,/^\.SH ENVIRONMENT/p' "$ARMADA_SRCDIR/man/asubmit.1" |
	sed -n '/^These options are refused/,$p' | sed 's/\\-/-/g; s/\\(aq/'\''/g; s/\\&//g' |
	awk '/^\.TP/ { getline names; getline text; gsub(/^\.BR? |"|,/, "", names); print names "|" text }' >refused.txt
documented=$(cut -d'|' -f1 refused.txt | tr ' ' '\n' | grep -- '^--' | sort)
is "$documented" "$(grep -oP 'X\("\K[^,]+", (NULL|"[^"]+")' "$ARMADA_SRCDIR/src/client/spec/sbatch.h" | tr -d '",' |
	sed 's/ NULL//' | tr ' ' '\n' | sed 's/^/--/' | sort)" 'asubmit(1) has every refused option'
while IFS='|' read -r names text; do
	for name in $names; do
		run asubmit "$name" --hold --wrap true
		is "$err" "asubmit: error: ${name}: $text" "$name is refused with its sentence"
	done
done <refused.txt
is "$(aqueue --noheader | wc -l)" 0 'nothing was submitted'

# submitted OPTION...: what each task of a job sees
submitted()
{
	rm -f seen-*.txt
	run asubmit --wait -o 'seen-%t.txt' "$@" -- sh -c \
		'echo "$ARMADA_NODE_COUNT nodes $ARMADA_TASK_COUNT tasks $((ARMADA_MEMORY >> 20))M $ARMADA_CPUS cpus ${ARMADA_GPUS:-0} gpus"'
	[ "$status" = 0 ] || diag "$err"
	sort seen-*.txt | uniq -c | sed 's/^ *//'
}
is "$(submitted -N 2 --ntasks-per-node 2 --mem 400M)" '4 2 nodes 4 tasks 200M 1 cpus 0 gpus' \
	'--mem is divided among the tasks of a node'
is "$(submitted -N 2 --ntasks-per-node 2 --memory 400M)" '4 2 nodes 4 tasks 400M 1 cpus 0 gpus' '--memory is of each task'
is "$(submitted -N 2 -n 3 --mem 400M)" '3 2 nodes 3 tasks 200M 1 cpus 0 gpus' '-N 2 -n 3'
run asubmit --wait -N 2 -n 3 --memory 10M -o 'where-%t.txt' -- sh -c 'echo $ARMADA_NODE_ID'
is "$(cat where-[0-2].txt | tr '\n' ' ')" '0 0 1 ' 'the first node has two of three tasks'
is "$(submitted --mem 300M)" '1 1 nodes 1 tasks 300M 1 cpus 0 gpus' '--mem of a job with one task is that of the task'
is "$(submitted -N 2-7 --mem 100M)" '3 3 nodes 3 tasks 100M 1 cpus 0 gpus' '--nodes=MIN-MAX uses the nodes that there are'
is "$(submitted -N 2 --mem 1000 --mincpus 3)" '2 2 nodes 2 tasks 1000M 3 cpus 0 gpus' '--mincpus is a minimum of each node'
is "$(submitted --mem-per-cpu 100M -c 2 --wait-all-nodes=1)" '1 1 nodes 1 tasks 200M 2 cpus 0 gpus' '--mem-per-cpu'
is "$(submitted -N 2 --gpus-per-node 2 --mem-per-gpu 100M --cpus-per-gpu 1)" '2 2 nodes 2 tasks 200M 2 cpus 2 gpus' \
	'--gpus-per-node, --mem-per-gpu and --cpus-per-gpu'
is "$(submitted -N 1 --gres=gpu:4 --ntasks-per-gpu 1 --memory 100M)" '4 1 nodes 4 tasks 100M 1 cpus 1 gpus' \
	'--gres with one task for each gpu'
is "$(submitted -w n2 --mem 0)" '1 1 nodes 1 tasks 4096M 1 cpus 0 gpus' '--mem=0 is all memory of the node'
is "$(submitted -N 2 -n 3 --mem 0)" '2 2 nodes 3 tasks 2048M 1 cpus 0 gpus
1 2 nodes 3 tasks 4096M 1 cpus 0 gpus' 'its tasks on a node share it'
run asubmit -n 4 --mem 1G --wrap true
is "$status" 2 '--mem without a number of tasks on each node is refused'
like "$err" '--memory \(of each task\) or --mem-per-cpu, or add --nodes' 'the error names the other options'
id=$(asubmit --parsable --hold -t 0 --mem 10M --wrap true)
is "$(aqueue --noheader --format time_limit "$id" | tr -d ' ')" UNLIMITED '--time=0 is no limit'
printf '#!/bin/sh\n#ARMADA --reservation=night\n' >script.sh
run asubmit script.sh
is "$status" 2 'such an option in a script is refused'
like "$err" 'script.sh: line 2: reservation: there are no reservations' 'the error names the line'
run asubmit --gpus-p 2 --wrap true
like "$err" '--gpus-p may be --gpus-per-task or --gpus-per-node' 'only options of --help are suggested'
run asubmit --ho --parsable --mem 10M --wrap true
is "$status" 0 'a beginning of an option of --help is not that of a refused one'

# shows ID COLUMN VALUE
shows()
{
	[ "$(aqueue --noheader --format "$2" "$1" | tr -d ' ')" = "$3" ]
}

# --get-user-env
BOTH=own run asubmit --wait --get-user-env --mem 10M -o user-env.txt --wrap 'echo "${HOME:+home} ${PATH:+path} $BOTH"'
is "$status $(cat user-env.txt)" '0 home path own' '--get-user-env keeps the values of the submission'
run asubmit --wait --get-user-env=5 --export=NONE --mem 10M -o user-env.txt --wrap 'echo "${HOME:+home} ${PATH:+path} ${BOTH:-none}"'
is "$status $(cat user-env.txt)" '0 home path none' 'with --export=NONE those of the login come alone'

# --deadline and --time-min
id=$(asubmit --parsable --hold -t 10m --deadline now+1hour --time-min 5m --mem 10M --wrap true)
is "$(aqueue --noheader --format time_limit,time_min "$id" | tr -s ' ')" '00:10:00 00:05:00' '--time-min is shown'
like "$(actl show job "$id")" 'Least limit +00:05:00' 'actl show job has it'
like "$(actl show job "$id")" 'Deadline +[0-9]{4}-' 'actl show job has the deadline'
like "$(aqueue -l "$id")" 'deadline [0-9]{4}-' 'and aqueue -l'
like "$(aexplain "$id")" 'It is cancelled unless it starts by [0-9]{4}-' 'aexplain tells the latest start'
is "$(aqueue --noheader --format time_min "$(asubmit --parsable --hold --mem 10M --wrap true)" | tr -d ' ')" - 'a job without it has none'
id=$(asubmit --parsable --hold -t 1s --deadline now+5 --mem 10M --wrap true)
cancelled()
{
	[ "$(aqueue --noheader --state all --format state "$id" | tr -d ' ')" = CANCELLED ]
}
ok 'a job that misses its deadline is cancelled' wait_until 20 cancelled
like "$(aqueue --noheader --state all --format reason "$id")" 'DeadlineMissed: ' 'its reason says so'
run asubmit -t 10m --deadline now+60 --wrap true
like "$err" 'give a shorter --time, or --time-min' 'a deadline that cannot be met is refused'

# --test-only tells when the job would start
tested()
{
	run asubmit --test-only --memory 10M "$@" --wrap 'sleep 600'
	is "$status" 0 "a job with $* would be accepted"
}
tested -c 4 -w n1
like "$err" 'asubmit: could start now on n1$' 'a job that fits could start now'
tested -N 3 -c 4
like "$err" 'asubmit: could start now on n\[1-3\]$' 'all its nodes are named'
blocker=$(asubmit --parsable -N 3 -n 3 -c 4 --memory 10M -t 20m -o /dev/null --wrap 'sleep 600')
ok 'a job takes all cpus' wait_until 20 shows "$blocker" state RUNNING
tested -c 4 -w n2
like "$err" 'asubmit: would start at [0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+ on n2 \(estimate\)' 'a later start has its time and node'
like "$err" 'until then it would wait: Resources: ' 'and the reason'
start=$(grep -oE '[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+' <<<"$err")
left=$(($(date -d "$start" +%s) - $(date +%s)))
ok "the start is the end of the time limit ($left s from now)" test "$left" -gt 1100 -a "$left" -le 1260
behind=$(asubmit --parsable -N 3 -c 4 --memory 10M -t 20m --wrap 'sleep 600')
ok 'another job waits for room' wait_until 20 shows "$behind" why Resources
tested -c 4 -w n2
like "$err" 'the estimate does not count 1 waiting job before it' 'the estimate names the jobs that it leaves out'
tested -c 4 --hold
like "$err" 'the start cannot be estimated: it is held' 'a held job has no start'
is "$(asubmit --parsable --hold --wrap true)" $((behind + 1)) 'nothing was submitted'
acancel "$blocker" "$behind" >/dev/null

done_testing
