#!/bin/bash
# The commands as a user meets them: what they say, what they refuse, their exit codes.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

# refused CODE PATTERN COMMAND...: it says so and changes nothing.
refused()
{
	local code=$1 pattern=$2

	shift 2
	run "$@"
	is "$status" "$code" "$*: exit code $code"
	like "$err" "$pattern" "$*: in words"
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
is "$(cat aqueue.status)" 75 'no controller: exit code 75'
like "$(cat aqueue.err)" 'no controller of cluster none answered in [0-9.]+ s: .*127.0.0.1:1' 'and what was tried'
is "$(cat asubmit.status)" 75 'asubmit gives up with the same'
like "$(cat asubmit.err)" 'trying again' 'having said that it tries again'

test_under_armada 2

# submission
run asubmit --mem 10M --wrap true
like "$out" '^Submitted batch job [0-9]+$' 'a job is submitted'
run asubmit --parsable --mem 10M --wrap true
like "$out" '^[0-9]+$' 'its bare id'
printf '#!/bin/sh\n#ARMADA --job-name=fromscript --mem=10M\n#ARMADA -o script-%%x.txt\necho "$1 $ARMADA_JOB_NAME"\n' >job.sh
run asubmit --wait job.sh one
is "$(cat script-fromscript.txt)" 'one fromscript' 'directives and arguments of a script'
asubmit --wait --name fromline job.sh two >/dev/null
is "$(cat script-fromline.txt)" 'two fromline' 'the command line beats the script'
ASUBMIT_NAME=fromenv asubmit --wait job.sh three >/dev/null
is "$(cat script-fromenv.txt)" 'three fromenv' 'so does the environment'
asubmit --wait --name stdin -o stdin.txt <job.sh >/dev/null
is "$(cat stdin.txt)" ' stdin' 'a script on standard input'
asubmit --wait --mem 10M -o args.txt -- /bin/echo 'a  b' "c'd" >/dev/null
is "$(cat args.txt)" "a  b c'd" 'words of a command stay whole'
run asubmit --wait --mem 10M --wrap 'exit 7'
is "$status" 7 '--wait returns the exit code'
run asubmit --wait --mem 10M --wrap 'kill -TERM $$'
is "$status" 143 '128 + n for a signal'
run asubmit --wait --mem 10M --array 1-4 --wrap 'exit $ARMADA_ARRAY_TASK_ID'
is "$status" 4 'the highest of an array'
run asubmit --test-only -n 2 --mem 10M --wrap 'mpirun ./a'
is "$status" 0 'two tasks that call mpirun each are accepted'
like "$err" 'warning: each of the 2 tasks runs this, and its mpirun; say --launch=first' 'and warned of'
run asubmit --test-only -n 2 --launch=all --mem 10M --wrap 'mpirun ./a'
unlike "$err" 'warning' 'not when they are said to be meant'
echo old >shared.txt
asubmit --wait -n 2 --mem 10M -o shared.txt --wrap 'echo new' >/dev/null
is "$(tr '\n' ' ' <shared.txt)" 'new new ' 'a file that two tasks write begins anew, and has both'
asubmit --wait -n 2 --mem 10M --open-mode append -o shared.txt --wrap 'echo more' >/dev/null
is "$(tr '\n' ' ' <shared.txt)" 'new new more more ' '--open-mode append'
ARMADA_JOB_ID=999 asubmit --wait --mem 10M -o nested.txt --wrap 'echo $ARMADA_JOB_ID' >/dev/null
ok 'a job within a job has its own number' test "$(cat nested.txt)" != 999
asubmit --wait --mem 10M --export 'NONE,A=b' -o export.txt --wrap 'echo "$A $HOME$SHELL"' >/dev/null
like "$(cat export.txt)" '^b ' '--export'

# refusals
refused 2 'unknown option --memroy; did you mean --memory' asubmit --memroy 1G --wrap true
refused 2 'memory: ' asubmit --mem lots --wrap true
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
refused 3 'no node' anode nosuch
refused 3 'nosuch' anode drain nosuch for a test
refused 2 'why' anode drain n1
refused 3 'nosuch' actl queue show nosuch
refused 2 'did you mean actl ping' actl pnig
refused 2 'no meaning' actl ping --script
refused 3 'no such jobs' actl hold 99999

# listing
id=$(asubmit --parsable --hold --mem 10M --job-set night --array '1-20%2' --wrap true)
run aqueue --noheader --format id,state,where "$id"
like "$out" "^${id}_\[1-20\] +PENDING +\(Held\)" 'the waiting part of an array is one line'
is "$(aqueue --noheader --array --format id "$id" | wc -l)" 20 'or one for each element'
is "$(aqueue --noheader --job-set night --format job)" "$id" 'by job set'
is "$(aqueue --noheader --job-set day --format job)" '' 'nothing in another'
is "$(aqueue --noheader --me -t PD --format job)" "$id" 'by user and state'
is "$(aqueue --noheader --user nobody-at-all)" '' 'nobody has jobs'
is "$(aqueue --json "$id" | grep -c '"job": ')" 1 'JSON'
like "$(aqueue -o '%.10i|%.3t' "$id" | tail -1)" '\| PD$' "Slurm's letters"
run acancel "${id}_[1-5,7]"
like "$out" 'cancelled 6 waiting' 'a part of an array is cancelled'
run acancel --dry-run "$id"
like "$out" "^${id}_\[6,8-20\] PENDING" '--dry-run says what would be'
run acancel --job-set night
like "$out" 'cancelled 14 waiting' 'the rest by its job set'
run acancel "$id"
is "$status" 0 'a job that has ended is no error'
like "$out" 'ended already' 'and said to be so'
run aqueue --noheader --format id,state "${id}_3"
like "$out" "CANCELLED" 'an ended element is found'
is "$(aqueue --noheader --format job "$id" | sort -u)" "$id" 'an ended job is found by its id'
is "$(aqueue --noheader)" '' 'and not listed otherwise'

run aqueue "$id" 999999999
is "$status" 3 'an id that never was is an error beside one that was'
like "$out" ' CA ' 'which is listed'
like "$err" 'there is no job 999999999' 'and it is said which'
run asubmit --wait --mem 10M --array 1-3 --wrap 'exit $ARMADA_ARRAY_TASK_ID'
like "$err" 'not all elements succeeded; one: exit code' 'the reason told of an array is one of several'

# what the wire would not take is refused here, not by hanging up
refused 2 'reason: ' anode drain n1 $'two\nlines'
refused 2 'reason: ' acancel --reason $'a\tb' "$id"
is "$(anode --noheader --format state n1)" up 'nothing was drained'
refused 2 '"idle" is not a state: up' anode --state idle
refused 2 'is empty' aqueue --state=
refused 2 'show: expected one of job, node' actl show
refused 2 'queue: expected one of list, .*not "lst"' actl queue lst
refused 2 'exclude one another' actl queue update root --cordon --uncordon
refused 2 '--json, --noheader and --format have no meaning for: actl ping' actl ping --json

# hold, release, nodes, queues
id=$(asubmit --parsable --hold --mem 10M --wrap true)
run actl release "$id"
is "$out" 'Released 1 job' 'a held job is released'
ok 'and runs' wait_until 10 sh -c "aqueue --noheader --format state $id | grep -q COMPLETED"
ok 'a node is drained' anode drain n1 for a test
like "$(anode --noheader --format state,reason n1)" '^drained +for a test' 'with its reason'
ok 'and resumed' anode resume n1
is "$(anode --noheader --format state n1)" up 'it is up'
ok 'a queue is made' actl queue create physics --factor 0.5
like "$(actl queue list --noheader --format name,factor physics)" '^physics +0.5' 'with its factor'
ok 'cordoned' actl queue update physics --cordon
like "$(actl queue show physics)" 'cordoned' 'it is'
# complete WORD...: what bash would offer for the last of them
complete_words()
{
	bash -c 'source "$0/contrib/completion/$1.bash"; compopt() { :; }
		COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "_$1"; echo "${COMPREPLY[*]}"' "$ARMADA_SRCDIR" "$@"
}
is "$(complete_words actl queue show phy)" physics 'completion knows the queues'
is "$(complete_words actl queue delete other phy)" physics 'and the second of several'
is "$(complete_words actl preempt --que)" '--queue=' 'options right behind the verb'
touch picture.svg
is "$(complete_words ashare --plot = pict)" picture.svg 'the file of a plot'
is "$(complete_words asubmit --queue = phy)" physics 'behind an equals sign too'
is "$(complete_words actl show node n)" 'n1 n2' 'and the nodes'
is "$(complete_words asubmit --open-mode tr)" truncate 'and words that are fixed'
is "$(complete_words asubmit --time '')" '' 'and offers no file for a time'
ok 'and deleted' actl queue delete physics
for command in asubmit arun aqueue acancel aexplain ashare anode actl; do
	like "$($command --version)" "^$command \(Armada\) [0-9]" "$command --version"
	like "$($command --help)" '^Usage: ' "$command --help"
done
is "$(aqueue >/dev/full 2>/dev/null; echo $?)" 1 'output that cannot be written is an error'

done_testing
