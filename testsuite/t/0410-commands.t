#!/bin/bash
# The commands as a user sees them: their output, what they refuse, their exit codes.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

# refused CODE PATTERN COMMAND...: the command prints an error and changes nothing.
refused()
{
	local code=$1 pattern=$2

	shift 2
	run "$@"
	is "$status" "$code" "$*: exit code $code"
	like "$err" "$pattern" "$*: the error gives the reason"
}

# before there is a cluster
printf 'cluster = "none";\ncontrollers = ["127.0.0.1:1"];\ncontroller_user = "root";\nplugin_dir = "%s";\n' \
	"$ARMADA_BUILDDIR/plugins.d" >nowhere.conf
PATH=$ARMADA_BUILDDIR:$PATH
(
	export ARMADA_CONF=$work/nowhere.conf
	aqueue 2>aqueue.err
	echo $? >aqueue.status
	asubmit --retry-for 300ms --wrap true 2>asubmit.err
	echo $? >asubmit.status
)
is "$(cat aqueue.status)" 75 'without a controller aqueue gives exit code 75'
like "$(cat aqueue.err)" 'no controller of cluster none answered in [0-9.]+ m?s: .*127.0.0.1:1' 'the error lists the addresses'
is "$(cat asubmit.status)" 75 'without a controller asubmit gives exit code 75'
like "$(cat asubmit.err)" 'gave up after 300 ms' 'asubmit says that it tried again'

test_under_armada 2

# submission
run asubmit --mem 10M --wrap true
like "$out" '^Submitted batch job [0-9]+$' 'a job is submitted'
run asubmit --parsable --mem 10M --wrap true
like "$out" '^[0-9]+$' '--parsable prints the job id only'
printf '#!/bin/sh\n#ARMADA --job-name=fromscript --mem=10M\n#ARMADA -o script-%%x.txt\necho "$1 $ARMADA_JOB_NAME"\n' >job.sh
override=$'\u202e'
refused 2 'JobSpec.name: contains the invisible character U\+202E' asubmit --job-name "a${override}txt.exe" --wrap true
refused 2 'contains the invisible character' asubmit --comment "a${override}b" --wrap true
refused 2 'contains the invisible character' acancel 1 --reason "a${override}b"
refused 2 "no column 'a.xe2.x80.xaeb'" aqueue --format "a${override}b"
run asubmit --wait job.sh one
is "$(cat script-fromscript.txt)" 'one fromscript' 'a script has its directives and arguments'
asubmit --wait --name fromline job.sh two >/dev/null
is "$(cat script-fromline.txt)" 'two fromline' 'the command line overrides the script'
ASUBMIT_NAME=fromenv asubmit --wait job.sh three >/dev/null
is "$(cat script-fromenv.txt)" 'three fromenv' 'the environment overrides the script'
asubmit --wait --name stdin -o stdin.txt <job.sh >/dev/null
is "$(cat stdin.txt)" ' stdin' 'a script is read from standard input'
asubmit --wait --mem 10M -o args.txt -- /bin/echo 'a  b' "c'd" >/dev/null
is "$(cat args.txt)" "a  b c'd" 'arguments of a command stay whole'
asubmit --wait --mem 10M -o lines.txt -- sh -c $'echo one\necho two' >/dev/null
is "$(tr '\n' ' ' <lines.txt)" 'one two ' 'a word of the command line may have several lines'
run asubmit --mem 10M -- $'no\nname'
is "$status:$err" '2:asubmit: error: the program: holds a control character' 'but the name of the program may not'
run asubmit --wait --mem 10M --wrap 'exit 7'
is "$status" 7 '--wait returns the exit code'
run asubmit --wait --mem 10M --wrap 'kill -TERM $$'
is "$status" 143 '--wait returns 128 + n for a signal'
run asubmit --wait --mem 10M --array 1-4 --wrap 'exit $ARMADA_ARRAY_TASK_ID'
is "$status" 4 '--wait returns the highest exit code of an array'
asubmit --wait -n 2 --memory 10M -o once.txt --wrap 'echo $ARMADA_LAUNCH $ARMADA_TASK_RANK; arun sh -c "echo step"' >/dev/null
is "$(tr '\n' ' ' <once.txt)" 'first 0 step step ' 'the script of a job with two tasks runs once, and arun starts a program in each'
printf '#!/bin/sh\necho script\n' >once.sh
asubmit --wait -n 2 --memory 10M -o once.txt once.sh >/dev/null
is "$(tr '\n' ' ' <once.txt)" 'script ' 'a script file runs once'
asubmit --wait -n 2 --memory 10M -o each.txt -- sh -c 'echo $ARMADA_LAUNCH' >/dev/null
is "$(tr '\n' ' ' <each.txt)" 'all all ' 'a command runs in each task'
asubmit --wait -n 2 --memory 10M --launch=all -o each.txt once.sh >/dev/null
is "$(tr '\n' ' ' <each.txt)" 'script script ' '--launch=all runs a script in each task'
asubmit --wait -n 2 --memory 10M --launch=first -o once.txt -- echo one >/dev/null
is "$(tr '\n' ' ' <once.txt)" 'one ' '--launch=first runs a command once'
echo old >shared.txt
asubmit --wait -n 2 --memory 10M --launch=all -o shared.txt --wrap 'echo new' >/dev/null
is "$(tr '\n' ' ' <shared.txt)" 'new new ' 'a file of two tasks is truncated once and has the output of both'
asubmit --wait -n 2 --memory 10M --launch=all --open-mode append -o shared.txt --wrap 'echo more' >/dev/null
is "$(tr '\n' ' ' <shared.txt)" 'new new more more ' '--open-mode append keeps the file'
ARMADA_JOB_ID=999 asubmit --wait --mem 10M -o nested.txt --wrap 'echo $ARMADA_JOB_ID' >/dev/null
ok 'a job submitted inside a job has its own id' test "$(cat nested.txt)" != 999
asubmit --wait --mem 10M --export 'NONE,A=b' -o export.txt --wrap 'echo "$A $HOME$SHELL"' >/dev/null
like "$(cat export.txt)" '^b ' '--export sets the variables'

# refusals
refused 2 'unknown option --memroy; did you mean --memory' asubmit --memroy 1G --wrap true
refused 2 'mem: ' asubmit --mem lots --wrap true
refused 2 'no command after --' asubmit --
refused 2 'both' asubmit --wrap true -- true
printf '#!/bin/sh\n\n#ARMADA --memory=lots\n' >bad.sh
refused 2 'bad.sh: line 3: memory: ' asubmit bad.sh
refused 1 'does not begin with #!' asubmit "$work/nowhere.conf"
: >empty.sh
refused 1 'empty' asubmit empty.sh
refused 1 'binary' asubmit /bin/true
refused 1 'No such file' asubmit nosuch.sh
refused 3 "queue 'nosuch' does not exist" asubmit --mem 10M --queue nosuch --wrap true
refused 1 '.' asubmit --mem 900G --wrap true
refused 2 'nothing selected' acancel
refused 2 'is not a job id' acancel x
refused 3 'there is no job 99999' acancel 99999
refused 3 'there is no job 99999' aqueue 99999
refused 3 "node 'nosuch' does not exist" anode nosuch
refused 3 'nosuch' anode drain nosuch for a test
refused 2 'a reason are needed' anode drain n1
refused 3 'nosuch' actl queue show nosuch
refused 2 'did you mean actl ping' actl pnig
refused 2 'not for: actl ping' actl ping --script
refused 3 'no such jobs' actl hold 99999

# listing
id=$(asubmit --parsable --hold --mem 10M --job-set night --array '1-20%2' --wrap true)
run aqueue --noheader --format id,state,where "$id"
like "$out" "^${id}_\[1-20\] +PENDING +\(Held\)" 'the pending part of an array is one line'
is "$(aqueue --noheader --array --format id "$id" | wc -l)" 20 '--array prints a line for each element'
is "$(aqueue --noheader --job-set night --format job)" "$id" 'jobs are selected by job set'
is "$(aqueue --noheader --job-set day --format job)" '' 'another job set has no jobs'
is "$(aqueue --noheader --me -t PD --format job)" "$id" 'jobs are selected by user and state'
is "$(aqueue --noheader --user nobody-at-all)" '' 'a user without jobs has an empty listing'
is "$(aqueue --json "$id" | grep -c '"job": ')" 1 '--json prints the job once'
like "$(aqueue -o '%.10i|%.3t' "$id" | tail -1)" '\| PD$' "a format in Slurm's letters works"
run acancel "${id}_[1-5,7]"
like "$out" 'cancelled 6 waiting' 'elements of an array are cancelled'
run acancel --dry-run "$id"
like "$out" "^${id}_\[6,8-20\] PENDING" '--dry-run lists the elements'
run acancel --job-set night --reason 'wrong input'
like "$out" 'cancelled 14 waiting' 'the other elements are cancelled by job set'
like "$(aqueue --json "${id}_8")" "cancelled by $(id -un): wrong input" 'a reason does not hide who cancelled'
run acancel "$id"
is "$status" 0 'a cancel of an ended job succeeds'
like "$out" 'ended already' 'the output says that it has ended'
ended=($(for i in 1 2 3; do asubmit --parsable --hold --wrap true; done))
acancel --quiet "${ended[@]}"
run acancel "${ended[0]}-${ended[2]}"
is "$out" 'acancel: 3 had ended already' 'each job of a range is counted'
run aqueue --noheader --format id,state "${id}_3"
like "$out" "CANCELLED" 'an ended element is found'
is "$(aqueue --noheader --format job "$id" | sort -u)" "$id" 'an ended job is found by its id'
is "$(aqueue --noheader)" '' 'an ended job is not in the default listing'

run aqueue "$id" 999999999
is "$status" 3 'an unknown id beside a known one gives exit code 3'
like "$out" ' CA ' 'the known job is listed'
like "$err" 'there is no job 999999999' 'the error names the unknown id'
run asubmit --wait --mem 10M --array 1-3 --wrap 'exit $ARMADA_ARRAY_TASK_ID'
like "$err" ': 3 of 3 elements failed: exit codes 1-3$' 'the ends of an array are counted, with all exit codes'
run asubmit --wait --mem 10M --array 0-4 --wrap '[ $ARMADA_ARRAY_TASK_ID -ne 3 ] || exit 9; [ $ARMADA_ARRAY_TASK_ID -ne 4 ] || kill -TERM $$'
like "$err" ': 2 of 5 elements failed: exit code 9, signal TERM$' 'only the failed elements are counted'
asubmit --parsable --mem 10M --array 0-1 --wait --quiet --wrap 'exit $ARMADA_ARRAY_TASK_ID' >quiet.out 2>quiet.err
is "$(cat quiet.err)" '' '--quiet prints no ends'

# a value that the wire protocol refuses is refused by the command
refused 2 'reason: ' anode drain n1 $'two\nlines'
refused 2 'reason: ' acancel --reason $'a\tb' "$id"
is "$(anode --noheader --format state n1)" up 'the node was not drained'
refused 2 "'lazy' is not a state: up" anode --state lazy
refused 2 'is empty' aqueue --state=
refused 2 'show: expected one of job, output, step, node' actl show
refused 2 "queue: expected one of list, .*not 'lst'" actl queue lst
refused 2 'exclude each other' actl queue update root --cordon --uncordon
refused 2 '--json, --noheader and --format are not for: actl shutdown' actl shutdown --json

# hold, release, nodes, queues
id=$(asubmit --parsable --hold --mem 10M --wrap true)
run actl release "$id"
is "$out" 'Released 1 job' 'a held job is released'
ok 'the job runs' wait_until 10 sh -c "aqueue --noheader --format state $id | grep -q COMPLETED"
ok 'a node is drained' anode drain n1 for a test
like "$(anode --noheader --format state,reason n1)" '^drained +for a test' 'the reason of the drain is shown'
ok 'a node is resumed' anode resume n1
is "$(anode --noheader --format state n1)" up 'the node is up'
ok 'a queue is created' actl queue create physics --factor 0.5
like "$(actl queue list --noheader --format name,factor physics)" '^physics +0.5' 'the queue has its factor'
ok 'a queue is cordoned' actl queue update physics --cordon
like "$(actl queue show physics)" 'cordoned' 'the queue is shown as cordoned'
# complete WORD...: prints the completions of the last word
complete_words()
{
	bash -c 'source "$0/contrib/completion/$1.bash"; compopt() { :; }
		COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "_$1"; echo "${COMPREPLY[*]}"' "$ARMADA_SRCDIR" "$@"
}
is "$(complete_words actl queue show phy)" physics 'completion offers queues'
is "$(complete_words actl queue delete other phy)" physics 'completion offers queues for the second argument'
is "$(complete_words actl preempt --que)" '--queue=' 'completion offers options after the verb'
touch picture.svg
is "$(complete_words ashare --plot = pict)" picture.svg 'completion offers files for a plot'
is "$(complete_words asubmit --queue = phy)" physics 'completion works behind an equals sign'
is "$(complete_words actl show node n)" 'n1 n2' 'completion offers nodes'
is "$(complete_words asubmit --open-mode tr)" truncate 'completion offers fixed values'
is "$(complete_words asubmit --time '')" '' 'completion offers nothing for a time'
ok 'a queue is deleted' actl queue delete physics
for command in aacct asubmit arun aqueue acancel aexplain ashare anode actl awatch; do
	like "$($command --version)" "^$command \(Armada\) [0-9]" "$command --version"
	like "$($command --help)" '^Usage: ' "$command --help"
done
is "$(aqueue >/dev/full 2>/dev/null; echo $?)" 1 'a write error on standard output gives exit code 1'

done_testing
