#!/bin/bash
# actl queue: every field of a queue, from the command line, from files and back; refused requests.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs jq

test_under_armada 1 --cpus 4 --memory 8G

# refused STATUS REGEX COMMAND...
refused()
{
	local want=$1 regex=$2

	shift 2
	run "$@"
	is "$status" "$want" "refused: ${*:2}"
	like "$err" "$regex" 'the error gives the reason'
}

ok 'a queue with every option is created' actl queue create all --factor 2 --owners root,daemon --group-owners root \
	--permission user:daemon=submit,cancel --permission all=watch --limits cpu=0.5,memory=0.25 \
	--class-limits armada-default:cpu=0.5 --class-limits armada-preemptible:cpu=1,memory=0.75 \
	--max-running 10 --max-waiting 100 --max-cpus 2.5 --max-memory 4G --max-gpus 0 \
	--submit-rate 100/h --submit-burst 5 --user-max-running 3 --user-max-waiting 30 \
	--user-max-cpus 500m --user-max-memory 1G --user-max-gpus 1 --user-submit-rate 2/s \
	--user-submit-burst 9 --default-class armada-preemptible --default-resources cpu=2,memory=4G \
	--default-time 60 --max-time 2h --lease 1d --labels site=a,kind=b --cordon
run actl queue show all
for line in 'factor +2$' 'owners +root,daemon$' 'permissions +user:daemon=submit,cancel all=watch$' \
	'limits +cpu=0.5,memory=0.25$' 'max_cpus +2.5$' 'max_memory +4G$' 'max_gpus +0$' \
	'submit_rate +100/h$' 'user_max_cpus +0?.5|500m' 'user_submit_rate +2/s$' \
	'default_class +armada-preemptible$' 'default_resources +cpu=2,memory=4G$' \
	'default_time +01:00:00$' 'labels +(site=a,kind=b|kind=b,site=a)$' 'state +cordoned$' 'declared +no$'; do
	ok "actl queue show prints ${line%% *}" grep -qE "^$line" <<<"$out"
done
run actl queue list --json all
is "$(jq -c '.queues[0] | [.max_running, .max_cpus, .max_memory, .max_gpus, .submit_rate, .user_max_cpus,
	.user_submit_rate, .default_time, .limits.cpu, .permissions[1], .declared]' <<<"$out")" \
	'[10,2500,4294967296,0,100,500,7200,3600,0.5,"all=watch",false]' 'the JSON has numbers in base units'

# to a file and back
actl queue show all --conf >all.conf
like "$(cat all.conf)" 'queues = \(' '--conf prints the syntax of armada.conf'
sed 's/"all"/"copy"/' all.conf >copy.conf
ok 'a queue is created from a file' actl queue create --file copy.conf
actl queue show copy --conf | sed 's/"copy"/"all"/' | diff - all.conf >diff.out
is "$(cat diff.out)" '' 'the queue has the same values'
ok 'a queue is created from standard input' actl queue create -f - < <(sed 's/"all"/"third"/' all.conf)
conf=$cluster/armada.conf
cp "$conf" plain.conf
cat all.conf >>"$conf"
run actl reconfigure --dry-run
like "$out" 'queue all +declared' 'armada.conf accepts the same text'
unlike "$out" 'queue all +[^d]' 'nothing else of the queue changes'
cp plain.conf "$conf"

# changes
ok 'two fields are updated' actl queue update copy --max-running 11 --permissions none
actl queue show copy --conf >after.conf
is "$(diff <(sed 's/"all"/"copy"/' all.conf) after.conf | grep -c '^[<>]')" 3 'no other field is changed'
like "$(cat after.conf)" 'max_running = 11;' 'the new limit is set'
unlike "$(cat after.conf)" 'permissions' 'permissions none clears the permissions'
ok 'several queues are uncordoned at once' actl queue uncordon all copy
is "$(actl queue list --noheader --format state all copy | sort -u)" 'open' 'both queues are open'
refused 3 "queue 'nope' does not exist" actl queue cordon all nope
is "$(actl queue list --noheader --format state all)" open 'a request with an unknown queue changes none'
printf 'queues = ( { name = "copy"; max_waiting = 7; }, { name = "all"; priority_factor = 9.0; } );\n' >up.conf
ok 'queues are updated from a file' actl queue update --file up.conf
is "$(actl queue list --noheader --format factor,max_running,max_waiting copy | tr -s ' ' | sed 's/^ //')" \
	'2 11 7' 'only the fields of the file are changed'
ok 'several queues are deleted at once' actl queue delete all third

# a queue with jobs
hold="until [ -e $work/over ]; do sleep 0.1; done"
actl queue update copy --default-resources none --default-class none --max-cpus none --limits none \
	--class-limits none --user-max-cpus none --user-max-memory none --max-memory none \
	--submit-rate none --submit-burst none >/dev/null
like "$(asubmit --queue copy --array 0-2%1 --output=/dev/null --wrap "$hold")" 'Submitted' 'jobs are submitted to the queue'
running()
{
	[ "$(actl queue list --noheader --format running copy | tr -d ' ')" = 1 ]
}
ok 'one of them runs' wait_until 20 running
refused 1 "queue 'copy' holds 1 job: 1 running, 2 waiting; cancel or wait for it first" actl queue delete copy
touch over

# refused by the command
refused 2 'factor: 0 is out of range' actl queue create bad --factor 0
refused 2 'factor: -1 is out of range' actl queue create bad --factor=-1
refused 2 'limits: cpu: 1.5 is out of range: expected 0 to 1' actl queue create bad --limits cpu=1.5
refused 2 'disk. is not a resource: expected cpu, memory or gpu' actl queue create bad --limits disk=0.5
refused 2 'fly. is not a verb: expected submit, cancel' actl queue create bad --permission user:daemon=fly
refused 2 'is not a rate: expected jobs by time such as 100/h' actl queue create bad --submit-rate 5
refused 2 'max-running' actl queue create bad --max-running many
refused 2 'not for: actl queue delete' actl queue delete copy --factor 2
refused 2 'no names and no settings' actl queue create x --file all.conf
refused 2 'no queue given' actl queue create
refused 2 'no settings given' actl queue update copy
refused 2 'exclude each other' actl queue update copy --cordon --uncordon
# refused by the controller
refused 1 'have the same subject' actl queue create bad --permission user:daemon=submit \
	--permission user:daemon=watch
refused 1 'there is no user .no-such-user' actl queue create bad --owners no-such-user
refused 1 'there is no group .no-such-group' actl queue create bad --permission group:no-such-group=watch
refused 1 'priority class .nope. does not exist' actl queue create bad --default-class nope
refused 1 'submit_burst needs submit_rate' actl queue create bad --submit-burst 5
refused 1 'exists already' actl queue create copy
refused 3 'does not exist' actl queue update nope --factor 2
refused 3 'queue .nope. does not exist' actl queue show nope

# bad NAME REGEX TEXT: a file that is refused, with the line
bad()
{
	printf '%s\n' "$3" >"$1.conf"
	refused "${4:-1}" "$1.conf: line $2" actl queue create --file "$1.conf"
}
bad factor '3: priority_factor: 0 is out of range' $'queues = (\n { name = "a"; },\n { name = "b"; priority_factor = 0; } );'
bad fraction '2: .*cpu: 1.5 is out of range' $'queues = ( { name = "a";\n limits = { cpu = 1.5; }; } );'
bad verb '2: .*fly. is not a verb' $'queues = ( { name = "a";\n permissions = [ "user:daemon=fly" ]; } );'
bad key '1: .*unknown key; did you mean .owners' 'queues = ( { name = "a"; owner = [ "root" ]; } );'
bad other '1: cluster: only queues = ' 'cluster = "x"; queues = ( { name = "a"; } );'
bad twice '1: .*the name .a. is given twice' 'queues = ( { name = "a"; }, { name = "a"; } );'
bad user "2: .*no-such-user" $'queues = ( { name = "fine"; },\n { name = "a"; owners = [ "no-such-user" ]; } );'
bad class "2: queue 'a': .*nope. does not exist" $'queues = ( { name = "fine"; },\n { name = "a"; default_class = "nope"; } );'
bad syntax '2: syntax error' 'queues = ( { name = '
printf 'queues = ( { name = "a"; permissions = [ "all=watch", "all=submit" ]; } );\n' >subject.conf
refused 1 'subject.conf: line 1: queues: a: permissions: .*same subject' actl queue create --file subject.conf
printf 'queues = ( );\n' >none.conf
refused 1 'none.conf: expected queues = ' actl queue create --file none.conf
refused 2 'missing.conf' actl queue create --file missing.conf
is "$(actl queue list --noheader --format name)" copy 'none of the refused queues was created'
done_testing
