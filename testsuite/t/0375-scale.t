#!/bin/bash
# Waiting jobs that are scaled and get another program, with real daemons: jobs, arrays and groups.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
test_under_armada 2 --cpus 2 --memory 1G

column()
{
	aqueue --noheader --state all --format "$2" "$1" | sed 's/ *$//'
}
state_is()
{
	[ "$(column "$1" state)" = "$2" ]
}
all_completed()
{
	[ -z "$(column "$1" state | grep -v COMPLETED)" ]
}
submit()
{
	run asubmit --parsable --hold --memory 20M "$@"
	id=$out
}
# refuses TEXT DESCRIPTION OPTION...
refuses()
{
	local text=$1 what=$2

	shift 2
	run actl update "$id" "$@"
	is "$status" 1 "$what"
	like "$err" "$text" "the error says: $text"
}

# --- the number of tasks
submit --ntasks 2 --output 'plain-%t.txt' -- sh -c 'echo $ARMADA_TASK_COUNT tasks of $ARMADA_JOB_NAME' sh
run actl update "$id" --ntasks 4
is "$out" 'Updated 1 job' 'a waiting job gets more tasks'
like "$(actl show job "$id")" 'Tasks +4 tasks' 'actl show has the new number'
refuses '9 tasks must start together; 2 of the 2 nodes .* at most 4' 'more than the cluster could hold is refused' --ntasks 9
refuses 'minimum of 6 tasks is more than the 4 tasks' 'so is a minimum above the number' --min-tasks 6
ok 'a minimum is set' actl update "$id" --ntasks 4 --min-tasks 2
refuses 'minimum of 2 tasks is more than the 1 task' 'fewer tasks than the minimum are refused' --ntasks 1
ok 'fewer again, and all of them' actl update "$id" --ntasks 3 --min-tasks 3
like "$(aqueue --json "$id")" '"tasks": *3' 'the JSON has the number'
actl release "$id" >/dev/null
ok 'the job ends' wait_until 20 state_is "$id" COMPLETED
is "$(cat plain-*.txt | sort | uniq -c | tr -s ' ')" ' 3 3 tasks of sh' 'three tasks ran, and know it'
run actl update "$id" --ntasks 2
isnt "$status" 0 'a job that has ended is not changed'

# --- the program
submit --name prog --output prog.txt --wrap 'echo old'
cat >new.sh <<'EOF'
#!/bin/sh
#ARMADA --name ignored
echo "new $* $KEPT"
EOF
export KEPT=no
ok 'it gets a script with arguments' actl update "$id" --script new.sh -- 'a b' c
like "$(actl show job "$id" --script)" 'echo "new' 'actl shows the new script'
ok 'a controller that was killed' "$devcluster" kill "$cluster" armctld
ok 'is back' "$devcluster" restart "$cluster" armctld
like "$(actl show job "$id" --script)" 'echo "new' 'and has the new script'
actl release "$id" >/dev/null
ok 'the job ends' wait_until 20 state_is "$id" COMPLETED
is "$(cat prog.txt)" 'new a b c ' 'the new script ran, in the old environment'
is "$(column "$id" name)" prog 'the lines of the script changed nothing else'
submit --output cmd.txt --wrap 'echo old'
ok 'a command may follow --' actl update "$id" --name=cmd -- echo 'x  y' --name
actl release "$id" >/dev/null
ok 'the job ends' wait_until 20 state_is "$id" COMPLETED
is "$(cat cmd.txt)" 'x  y --name' 'its words are its own'
printf 'echo no interpreter\n' >bad.sh
submit --wrap true
refuses 'interpreter' 'a text that is no script is refused' --script bad.sh
run actl update "$id" --wrap x -- y
is "$status" 2 'two programs are a usage error'
acancel "$id" >/dev/null

# --- arrays, groups, several jobs
submit --array 0-3 --output 'array-%a-%t.txt' -- sh -c 'echo $ARMADA_TASK_COUNT'
ok 'an array is scaled' actl update "$id" --ntasks 2
actl release "$id" >/dev/null
ok 'all its elements end' wait_until 30 all_completed "$id"
is "$(cat array-*.txt | sort | uniq -c | tr -s ' ')" ' 8 2' 'each had two tasks'
cat >groups.conf <<'EOF'
name = "g"; hold = true; memory = "20M"; output = "%g-%t.txt";
groups = ( { name = "ps"; command = ["echo", "serve"]; }, { name = "worker"; replicas = 2; command = ["echo", "work"]; } );
EOF
run asubmit --parsable --file groups.conf
id=$out
refuses '2 groups of tasks; give --group NAME=N .ps, worker.' 'the number of all tasks cannot change' --ntasks 2
refuses 'no such group; it has ps, worker' 'an unknown group is refused' --group wrk=2
refuses 'name one with --group' 'resources are those of a group' --cpus 2
ok 'a group is scaled and gets another command' actl update "$id" --group worker=3 -- echo toil
ok 'the resources of another' actl update "$id" --group ps --memory 30M
like "$(actl show job "$id")" 'ps +1 task, each with .*memory=30M' 'actl shows the resources'
like "$(actl show job "$id")" 'worker +3 tasks' 'and the number'
actl release "$id" >/dev/null
ok 'the job ends' wait_until 20 state_is "$id" COMPLETED
is "$(cat ps-*.txt worker-*.txt | sort | uniq -c | tr -s ' ' | tr '\n' ',')" ' 1 serve, 3 toil,' 'the groups ran as changed'
submit --job-set many --label kind=a --ntasks 1 --wrap true
submit --job-set many --label kind=a --ntasks 1 --wrap true
run actl update job-set=many --ntasks 2
is "$out" 'Updated 2 jobs' 'the jobs of a set are scaled in one go'
run actl update label=kind=a --ntasks 3
is "$out" 'Updated 2 jobs' 'so are those of a label'
submit --gang-id g --gang-cardinality 2 --wrap true
refuses 'member of gang g' 'a member of a gang of jobs keeps its tasks' --ntasks 2
submit --array 0-3 --wrap true
run actl update "${id}_2" --ntasks 2
isnt "$status" 0 'elements of an array share the number'
like "$err" 'elements cannot be selected' 'the error says so'
done_testing
