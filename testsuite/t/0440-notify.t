#!/bin/bash
# Ends of jobs reach the targets of armada.conf: each at least once and in order, whatever is killed; a target that
# hangs or fails is tried again and shown; mail, one for an array.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
has jq || skip_all "$missing"

cat >take <<END
#!/bin/sh
# Keeps the object; hangs, fails or kills its parent once if a file says so.
if [ -e $work/hang ]; then echo hung >>$work/trace; exec sleep 1000; fi
if [ -e $work/fail ]; then echo 'no disk' >&2; exit 4; fi
cat >>$work/ends
[ -e $work/powers ] || cat /proc/self/status /proc/self/limits >$work/powers
if rm $work/die 2>/dev/null; then kill -9 \$PPID; fi
END
cat >mailer <<END
#!/bin/sh
[ ! -e $work/nomail ] || exit 1
{ printf 'args'; printf ' [%s]' "\$@"; echo; cat; echo .; } >>$work/mails
END
chmod 755 take mailer
conf=$work/extra.conf
cat >"$conf" <<END
mail_program = "$work/mailer";
notify = ( { name = "site"; target = "$work/take"; timeout = "1s"; } );
END
test_under_armada 2 --cpus 4 --memory 4G --conf "$conf"

# got JOB: the job was given, in any number
got()
{
	[ -s ends ] && jq -es --argjson job "$1" 'any(.job == $job)' ends >/dev/null
}
run_job()
{
	asubmit --parsable --output /dev/null --cpus 0.1 --mem 50M "$@"
}
status_of()
{
	actl show notify --json | jq -r --arg name "$1" --arg what "$2" '.notify[] | select(.name == $name) | .[$what]'
}
is_status()
{
	[ "$(status_of "$1" "$2")" = "$3" ]
}
error_like()
{
	[[ $(status_of site error) =~ $1 ]]
}

job=$(run_job --job-name 'a "name"' --wrap 'exit 3')
ok 'a program gets the end of a job' wait_until 20 got "$job"
is "$(jq -r --argjson job "$job" 'select(.job == $job) | [.event, .state, .exit_code, .name, .user, .nodes[0][0:1]] | @csv' ends)" \
	'"end","FAILED",3,"a ""name""","root","n"' 'with its state, exit code, name, user and nodes'
ok 'it shows what it may' wait_until 20 grep -q '^Max realtime timeout' powers
like "$(grep NoNewPrivs powers)" 'NoNewPrivs:.1$' 'a program gains no privileges'
ok 'it has at most 1024 open files' [ "$(awk '/^Max open files/ { print $5 }' powers)" -le 1024 ]
ok 'its user has at most 4096 processes' [ "$(awk '/^Max processes/ { print $4 }' powers)" -le 4096 ]
like "$(grep '^Max core file' powers)" 'size +0 +0 ' 'it leaves no core file'
run actl show notify
like "$out" 'NAME +PLUGIN +POSITION +BEHIND +ACCEPTED +FAILS SINCE +ERROR' 'actl show notify is a listing'
like "$out" 'site +program' 'it has the target'

# --- the plugin's process is killed after the program has worked, but before the end counts as accepted
touch die
job=$(run_job --wrap true)
twice()
{
	[ "$(jq --argjson job "$job" 'select(.job == $job) | .job' ends | wc -l)" = 2 ]
}
ok 'an end is given again if its process dies' wait_until 20 twice

# --- a program that fails
touch fail
job=$(run_job --wrap true)
ok 'a failure is shown' wait_until 20 error_like 'take: exit status 4: no disk$'
ok 'the log has it' grep -q 'error: notify site: .*exit status 4: no disk; it is tried again' "$cluster/log/armctld.log"
later=$(run_job --wrap true)
ok 'the job ends' wait_until 20 job_ended "$later"
ok 'ends wait' wait_until 30 is_status site behind 2
waiting()
{
	actl show limits --json | jq -r '.limits[] | select(.limit == "ends to notify") | "\(.of) \(.used) \(.bound)"'
}
is "$(waiting)" 'target 2 null' 'actl show limits counts them'
rm fail
ok 'the end comes later' wait_until 30 got "$later"
ok 'the earlier one, too' got "$job"
is "$(jq --argjson a "$job" --argjson b "$later" 'select(.job == $a or .job == $b) | .job' ends | tr '\n' ' ')" "$job $later " \
	'in the order of the ends'
ok 'nothing waits then' wait_until 20 is_status site behind 0
is "$(status_of site error)" '' 'the error is gone'
is "$(waiting)" 'target 0 null' 'actl show limits counts none'

# --- a program that hangs, and a controller that is killed meanwhile
touch hang
job=$(run_job --wrap true)
ok 'a target that hangs is killed and shown' wait_until 20 error_like 'did not return within 1 s, and was killed'
other=$(run_job --array 1-3 --wrap true)
ok 'jobs go on' wait_until 20 job_ended "$other"
"$devcluster" kill "$cluster" armctld
rm hang
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'no end is lost' wait_until 30 got "$job"
ok 'of the array neither' wait_until 30 got "$other"
all()
{
	[ "$(jq --argjson job "$other" 'select(.job == $job) | .first_element' ends | sort -u | tr '\n' ' ')" = '1 2 3 ' ]
}
ok 'each element is given' wait_until 20 all
ok 'the order is that of the records' jq -es 'map(.sequence) | . == sort' ends

# --- a damaged position
"$devcluster" kill "$cluster" armctld
dd if=/dev/zero of="$cluster/state/notify-site" bs=256 count=1 2>/dev/null
rm ends
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'damage of a position is logged' grep -q 'notify site: its position was damaged, and set aside as notify-site.damaged' \
	"$cluster/log/armctld.log"
ok 'all ends are given again' wait_until 30 got "$later"

# --- mail
run asubmit --mail-type=END,NOSUCH --wrap true
is "$status" 2 'an unknown type of mail is refused'
like "$err" "'NOSUCH' is no type of mails; the types are BEGIN, END, FAIL, REQUEUE, TIME_LIMIT, ARRAY_TASKS, ALL and NONE" 'with the types'
for address in -x $'a\nb' 'a b' '$(id)@x' "$(printf 'x%.0s' {1..300})"; do
	run asubmit --mail-type=END --mail-user="$address" --wrap true
	is "$status" 2 "the address ${address:0:20} is refused"
done
job=$(run_job --job-name nightly --mail-type=FAIL --mail-user=alice@example.org --wrap 'exit 1')
silent=$(run_job --mail-type=FAIL --wrap true)
mailed()
{
	grep -qF "args [-s] [Armada job $1" mails 2>/dev/null
}
ok 'a mail is sent' wait_until 20 mailed "$job nightly ended: FAILED] [alice@example.org]"
like "$(cat mails)" "Job: +$job" 'it has the job'
array=$(run_job --array 1-3 --mail-type=END --wrap true)
ok 'a mail of an array' wait_until 20 mailed "$array"
like "$(cat mails)" 'Ended: +3 COMPLETED' 'counts its elements'
is "$(grep -c "Armada job $array" mails)" 1 'an array has one mail'
each=$(run_job --array 1-2 --mail-type=END,ARRAY_TASKS --wrap true)
ok 'ARRAY_TASKS: the first element' wait_until 20 mailed "${each}_1 "
ok 'and the second' wait_until 20 mailed "${each}_2 "
is "$(grep -c "Armada job $each " mails)" 0 'and none of the array'
ok 'no mail of a job that did not fail' test "$(grep -c "Armada job $silent" mails)" = 0
like "$(actl show job "$each")" 'Mail +END,ARRAY_TASKS to root' 'actl show job has the wishes'
# events_of JOB: what its mails say, in their order
events_of()
{
	grep -o "Armada job $1 .*\\]" mails | grep -oE 'began|requeued|ended' | xargs
}
has_events()
{
	[ "$(events_of "$1")" = "$2" ]
}
: >nomail
begins=$(run_job --job-name b --mail-type=ALL --wrap 'exec sleep 1000')
running()
{
	[ "$(aqueue --noheader --format state --state all "$1" | tr -d " ")" = RUNNING ]
}
ok 'a job with a mail of its start runs' wait_until 30 running "$begins"
fails_for_mail()
{
	[ "$(status_of mail-elements error)" != '' ]
}
ok 'the mail program fails' wait_until 30 fails_for_mail
"$devcluster" kill "$cluster" armctld
"$devcluster" restart "$cluster" armctld
rm nomail
ok 'after a restart the mail about the start is sent' wait_until 60 has_events "$begins" began
actl requeue "$begins" >/dev/null
ok 'then those about the requeue and the next start' wait_until 60 has_events "$begins" 'began requeued began'
acancel "$begins" >/dev/null
ok 'and the end' wait_until 60 has_events "$begins" 'began requeued began ended'
like "$(cat mails)" "\\[Armada job $begins b requeued: [A-Z]*\\]" 'with the state of the attempt'
# A task that ends before its start was reported has no start, so these run until their mails are there.
until_go='until [ -e go ]; do sleep 0.1; done'
array=$(run_job --array 1-3 --mail-type=BEGIN --wrap "$until_go")
ok 'an array has one mail about its start' wait_until 30 has_events "$array" began
each=$(run_job --array 1-2 --mail-type=BEGIN,END,ARRAY_TASKS --wrap "$until_go")
for element in 1 2; do
	ok "with ARRAY_TASKS each element has one about its start: $element" \
		wait_until 30 has_events "${each}_$element" began
done
: >go
for element in 1 2; do
	ok "and then one about its end: $element" wait_until 30 has_events "${each}_$element" 'began ended'
done
is "$(events_of "$array")" began 'all elements of the array have one mail together'
waits=$(run_job --hold --mail-type=END --wrap true)
actl update "$waits" --mail-type=NONE >/dev/null
unlike "$(actl show job "$waits")" 'Mail ' 'actl update changes them'
done_testing
