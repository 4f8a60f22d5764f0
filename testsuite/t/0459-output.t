#!/bin/bash
# Output of jobs through actl show output and the gateway: running and ended jobs, what is no file, other users.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/rest.sh"

cat >site.conf <<'END'
security = { min_uid = 0; allow_root_jobs = true; };
END
test_under_armada 2 --cpus 4 --conf "$work/site.conf" --rest
eval "$("$devcluster" env "$cluster")"
# shellcheck disable=SC2034
url=$ARMADA_REST_URL
token=$(actl token create | tail -n 1)
mkdir files && chmod 777 files
dir=$work/files

# submit ARGUMENT...: $job, a job with the directory and the time limit of these tests
submit()
{
	job=$(asubmit --parsable --memory 10M --chdir "$dir" "$@")
}

# A job that has written a line, and waits until a file exists.
mkfifo gate
submit --output '%x-%j-%t-%N.out' --error err --name run --wrap "echo hello; echo wrong >&2; read -r x <$work/gate; echo end"
running=$job
wait_until 30 test -s "$dir/err"
is "$(actl show output "$running")" hello 'the output of a running job is shown'
is "$(actl show output --error "$running")" wrong 'its errors are shown'
http "/v1/jobs/$running/output"
is "$code $body" '200 hello' '... and by the gateway'
http "/v1/jobs/$running/output?stream=stderr&task=0&tail=3"
is "$code $body" '200 ng' '... a part of its errors'
http -D headers "/v1/jobs/$running/output?offset=1&limit=3"
is "$code $body" '200 ell' '... a part of its output'
is "$(tr -d '\r' <headers | grep -i '^armada-' | sort | tr '\n' ' ')" 'Armada-Offset: 1 Armada-Size: 6 ' \
	'... with its place'
echo >gate
wait_until 30 job_ended "$running"
is "$(actl show output "$running")" $'hello\nend' 'the output of an ended job is shown'
is "$(actl show output --length 2 --offset 3 "$running" 2>part)" lo 'a part of it is shown'
like "$(cat part)" '^actl: bytes 3 to 5 of 10 of run-[0-9]+-0-n[0-9]\.out on node n[0-9]; --offset and --length' \
	'... and named'

# An array, several tasks, and what is no file.
submit --array 3-4 --output '%A_%a.txt' --wrap "echo \$ARMADA_ARRAY_TASK_ID"
wait_until 30 job_ended "$job"
is "$(actl show output "${job}_4")" 4 'the output of an element is shown'
run actl show output "$job"
is "$status $err" "2 actl: error: job $job is an array: name an element, as in ${job}_7" 'an array has no output of its own'
run actl show output "${job}_9"
is "$status $err" "3 actl: error: there is no element ${job}_9 that has ended" 'an element that does not exist has none'
submit -n 2 --launch all --output 'task%t' -- sh -c 'echo "$ARMADA_TASK_RANK"'
wait_until 30 job_ended "$job"
is "$(actl show output --task 1 "$job")" 1 'the output of the second task is shown'
run actl show output --task 2 "$job"
is "$status $err" "2 actl: error: task 2: job $job had tasks 0 to 1" 'there is no third one'

# refused STATUS CODE TEXT DESCRIPTION: the last job has no output that can be shown, says the command and the gateway
refused()
{
	run actl show output "$job"
	is "$status $err" "$1 actl: error: $3" "$4"
	http "/v1/jobs/$job/output"
	is "$code $(jq -r .detail <<<"$body")" "$2 $3" '... says the gateway'
}
submit --output gone --wrap true
wait_until 30 job_ended "$job"
node=$(aqueue --noheader --states all --format nodelist "$job" | tr -d ' ')
rm files/gone
refused 3 404 "node $node: there is no file gone" 'a file that has vanished is named'
echo elsewhere >files/other && ln -s other files/gone
is "$(actl show output "$job")" elsewhere 'a symbolic link is followed, as by the task'
rm files/gone && mkfifo files/gone
refused 1 422 "node $node: gone is not a regular file" 'a FIFO is not opened'
rm files/gone && ln -s /proc/self/mem files/gone
refused 1 422 "node $node: gone is not a regular file" 'memory of the process that reads is no output'
submit --output /dev/null --wrap true
wait_until 30 job_ended "$job"
refused 1 422 "the output of job $job is discarded (/dev/null)" 'discarded output is none'
submit --hold --wrap true
refused 1 422 "job $job waits: it has not started" 'a job that waits has none'
acancel "$job"
wait_until 30 job_ended "$job"
refused 1 422 "job $job never started: it has no output" '... also when it was cancelled'
job=99999
refused 3 404 'there is no job 99999' 'a job that never existed has none'
for bad in stream=x task=-1 tail=2000000 'tail=1&offset=0' limit=0 offset=x; do
	http "/v1/jobs/$running/output?$bad"
	is "$code" 400 "refused: $bad"
done
run actl show output --tail 1 --offset 1 "$running"
is "$status $err" '2 actl: error: --tail excludes --offset and --length' 'two parts at once are refused'
run actl ping --tail 1
like "$err" '--error, --task, --tail, --offset and --length are not for' 'other verbs have no such options'
limited=$(actl token create --verbs watch,submit | tail -n 1)
token=$limited http "/v1/jobs/$running/output"
is "$code" 403 'a token needs the verb script'

# Another user: files that only this user may read, and nobody else's.
other=games
if [ "$(id -u)" = 0 ] && id -u $other >/dev/null 2>&1; then
	mkdir bin && install -m 755 "$(command -v asubmit)" "$(command -v actl)" bin/
	as()
	{
		(cd / && exec setpriv --reuid $other --regid "$(id -g $other)" --init-groups "$work/bin/$1" "${@:2}")
	}
	install -d -m 700 -o $other secret
	echo mine >precious && chmod 600 precious
	job=$(as asubmit --parsable --mem 10M --chdir "$work/secret" --output file --wrap 'echo theirs')
	wait_until 30 job_ended "$job"
	is "$(as actl show output "$job")" theirs 'a user reads the own file'
	is "$(actl show output "$job")" theirs 'an administrator gets it as its owner'
	run as actl show output "$running"
	is "$status $err" "4 actl: error: the output of job $running is shown only to root" 'other users do not get that of root'
	ln -sf "$work/precious" secret/file
	run as actl show output "$job"
	like "$status $err" '^1 actl: error: node n[0-9]: cannot (read|open) file: Permission denied' \
		'a link does not lead to what the user may not read'
else
	skip 4 'only root can become another user'
fi

# A node that is away.
submit --output kept --nodelist n1 --wrap 'echo kept'
wait_until 30 job_ended "$job"
"$devcluster" kill "$cluster" n1 >/dev/null
away()
{
	run actl show output "$job"
	[ "$status $err" = "75 actl: error: node n1, which has the output of job $job, is not connected" ]
}
ok 'a node that is away is named' wait_until 30 away
"$devcluster" restart "$cluster" n1 >/dev/null
back()
{
	[ "$(actl show output "$job" 2>/dev/null)" = kept ]
}
ok 'its files are shown when it is back' wait_until 30 back
done_testing
