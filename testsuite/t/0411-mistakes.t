#!/bin/bash
# Answers to mistakes: names that do not exist, one line for each mistake, near names, exit codes. And small things
# that are easy to get wrong without a word: --export, names in file names, begin times, names of columns.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

cat >site.conf <<'END'
security = { min_uid = 0; allow_root_jobs = true; };
queues = ( { name = "physics"; }, { name = "biology"; } );
END
test_under_armada 2 --conf "$work/site.conf"

# refused CODE PATTERN COMMAND...: one line on stderr, nothing on stdout, that exit code.
refused()
{
	local code=$1 pattern=$2

	shift 2
	run timeout 30 "$@"
	is "$status" "$code" "$*: exit code $code"
	like "$err" "$pattern" "$*: the error names it"
	is "$(wc -l <<<"$err") $out" '1 ' "$*: one line"
}

# ---- names that do not exist ----

queue="^[a-z]*: error: queue 'phisics' does not exist; did you mean 'physics'\?$"
node="^[a-z]*: error: node 'n9' does not exist; did you mean 'n[12]'\?$"
refused 3 "^aqueue: error: user 'no-such-user-here' does not exist$" aqueue -u no-such-user-here
refused 3 "user 'roto' does not exist; did you mean 'root'\?$" aqueue --user root,roto
refused 3 "$queue" aqueue -q phisics
refused 3 "$node" aqueue -w n9
refused 3 "$node" aqueue -w 'n[1-2,9]' -t all
refused 3 "priority class 'armada-defalt' does not exist; did you mean 'armada-default'\?$" aqueue --class armada-defalt
refused 2 "'runing' is not a state; did you mean RUNNING\?$" aqueue -t runing
refused 2 "'nosuchstate' is not a state: PENDING" aqueue -t nosuchstate
refused 3 "$queue" acancel -q phisics
refused 3 "$queue" acancel --dry-run -q phisics
refused 3 "$node" acancel -w n9
refused 3 "user 'no-such-user-here' does not exist" acancel -u no-such-user-here
refused 3 "$node" anode n9
refused 3 "$node" anode drain n9 broken
refused 3 "$node" actl lease extend n9 1h
refused 3 "$node" actl show node n9
refused 3 "$queue" actl queue show phisics
refused 3 "$queue" actl queue update phisics --cordon
refused 3 "$queue" actl permissions phisics
refused 3 "$queue" actl hold queue=phisics
refused 3 "$queue" actl requeue queue=phisics
refused 3 "$queue" actl update queue=phisics --priority=3
refused 3 "$queue" actl preempt --queue phisics
refused 3 "$node" actl preempt --node n9
refused 3 "$queue" asubmit -p phisics --wrap true
refused 3 "$node" asubmit -w n9 --wrap true
refused 3 "there is no job 99" aexplain 99
wait_until 20 ashare || diag 'there is no round'
refused 3 "$queue" ashare phisics
refused 3 'queue biology took no part' ashare biology

# names of users by number; a known name without jobs selects nothing
run aqueue -u "$(id -u),root" -q biology -w n1 --noheader
is "$status$out$err" 0 'names that exist and have no jobs give an empty listing'
# a name that only the history has is known
asubmit --wait --quiet --mem 10M -o /dev/null --wrap true
actl queue create passing >/dev/null
asubmit --wait --quiet --mem 10M -q passing -o /dev/null --wrap true
ok 'the queue is deleted' wait_until 20 actl queue delete passing
run aqueue -q passing -t all --noheader --format state
is "$out" COMPLETED 'a deleted queue still selects its jobs'
run aqueue -q passing --noheader
is "$status$out" 0 'a deleted queue is no mistake'

# each id that does not exist has its line
for command in acancel aqueue; do
	run $command 77 88
	is "$status $err" "3 $command: error: there is no job 77"$'\n'"$command: error: there is no job 88" "$command names both ids"
done

array=$(asubmit --parsable --hold --mem 10M -a 1-3 --wrap true)
for command in acancel aqueue; do
	refused 3 "^$command: error: there is no job $array with these elements$" $command "${array}_7"
done
acancel --quiet "$array"

# ---- a program in the place of a script ----

refused 1 '^asubmit: error: there is no script env here; to run the program: asubmit -- env \.\.\.$' asubmit env A=b
refused 1 '^asubmit: error: cannot open nosuch.sh: No such file or directory$' asubmit nosuch.sh

# ---- words of scontrol ----

is "$(actl show queue physics)" "$(actl queue show physics)" 'actl show queue is actl queue show'
is "$(actl show partition)" "$(actl queue list)" 'and shows all queues'
like "$(actl show nodes)" $'name +n[12]\n(.*\n)+name +n[12]\n' 'actl show nodes shows all nodes'
first=$(asubmit --parsable --mem 10M --hold --wrap true)
second=$(asubmit --parsable --mem 10M --begin now+2hours --wrap true)
like "$(actl show job "$first" "$second")" "^Job +$first"$'\n(.*\n)+\n'"Job +$second"$'\n' 'actl show job shows several jobs'
is "$(actl requeuehold "$second")" 'Held 1 that was already pending' 'requeuehold says that it holds a pending job'
is "$(actl requeue "$second")" '1 already pending' 'requeue says that it was pending'
third=$(asubmit --parsable --mem 10M -o /dev/null --wrap 'sleep 1000')
ok 'a job runs' wait_until 30 eval "[ \$(aqueue -h -o state $third) = RUNNING ]"
is "$(actl requeuehold "$third")" 'Requeued and held 1 running' 'requeuehold says that it requeues and holds a running one'
acancel --quiet "$first" "$second" "$third"

# ---- the option that was given ----

refused 2 '^asubmit: error: --mem-per-cpu: ' asubmit --mem-per-cpu=lots --wrap true
refused 2 '^asubmit: error: --cpu-bind: ' asubmit --cpu-bind=sideways --wrap true
refused 2 '^aqueue: error: --partition: ' aqueue --partition=
refused 2 '^aqueue: error: unknown option --zork; --help lists them$' aqueue --zork

refused 2 '^aqueue: error: -i: aqueue lists once; .*watch ' aqueue -i 5
refused 2 '^aqueue: error: --sort: jobs are listed by id' aqueue --sort=-time

# ---- columns ----

run aqueue --format=jobid,PARTITION,TimeLimit,NumNodes,NODELIST,StateCompact
is "$(tr -s ' ' <<<"$out")" 'JOBID QUEUE TIME_LIMIT NODES NODELIST ST' 'names of squeue and headings are accepted as columns'
run aqueue --format=nodes,nodelist
is "$(tr -s ' ' <<<"$out")" 'NODES NODELIST' 'columns are named as their headings'
refused 2 "there is no column 'jobidd'; did you mean JOBID\?$" aqueue --format jobidd

# ---- begin times ----

run aqueue --start
unlike "$out" BEGIN '--start has no column for begin times if no job waits for one'
later=$(asubmit --parsable --mem 10M --begin now+2hours --wrap true)
sooner=$(asubmit --parsable --mem 10M --begin now+1hour --wrap true)
run aqueue --start
like "$out" "BEGIN .*$sooner .* 20[0-9-]*T.*$later .* 20[0-9-]*T" '--start shows begin times, the first one first'

# ---- names in file names, and the environment ----

FOO=bar REST=left asubmit --wait --quiet --mem 10M -J 'a/b' --job-set 'c/../d' -o 'out put-%x-%s.txt' --export=FOO \
	--wrap 'echo "$FOO${REST-}"; type cat >/dev/null && echo "$HOME"'
is "$(cat 'out put-a_b-c_.._d.txt')" "bar
$HOME" 'a slash in a name is no directory; --export=NAME passes PATH and HOME, too'
ok 'no directory was made' test ! -e 'out put-a'

# ---- jobs of others ----

if [ "$(id -u)" -eq 0 ]; then
	chmod 755 "$cluster"
	other=(setpriv --reuid=65534 --regid=65534 --clear-groups env "PATH=$PATH" "ARMADA_CONF=$ARMADA_CONF")
	refused 4 "^acancel: error: job $later belongs to root$" "${other[@]}" acancel "$later"
	refused 4 "^actl: error: job $later belongs to root$" "${other[@]}" actl hold "$later"
	refused 4 "^actl: error: job $later: it belongs to root$" "${other[@]}" actl update "$later" --name x
	run "${other[@]}" acancel "$later" "$sooner"
	is "$status $(sort <<<"$err")" "4 $(printf 'acancel: error: job %s belongs to root\n' "$later" "$sooner" | sort)" \
		'two refused cancels are two lines'
	mkdir -m 700 locked
	run "${other[@]}" "PATH=$work/locked:$PATH" asubmit --wait --mem 10M --chdir / --output /dev/null -- no-such-program
	like "$err" 'cannot run no-such-program: No such file or directory' \
		'a program that is nowhere is missing, also if a directory of PATH cannot be read'
else
	skip 'this test needs root'
fi
done_testing
