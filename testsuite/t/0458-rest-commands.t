#!/bin/bash
# What commands do, over REST: the same rows, rights and sentences; and queries that could select more than was meant.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/rest.sh"

test_under_armada 1 --rest
eval "$("$devcluster" env "$cluster")"
url=$ARMADA_REST_URL
token=$(actl token create --verbs watch,script,submit,cancel,update,preempt,step,queue,admin | tail -n 1)

# detail STATUS SENTENCE DESCRIPTION: the last answer is a problem with this sentence.
detail()
{
	is "$code $(jq -r .detail <<<"$body")" "$1 $2" "$3"
}

# ---- a query selects what it says, or is refused ----

actl queue create long short >/dev/null
for queue in long long short; do
	asubmit --queue "$queue" --hold --output /dev/null --wrap 'sleep 1000' >/dev/null
done
while IFS='|' read -r query sentence; do
	http -X DELETE "/v1/jobs$query"
	detail 400 "$sentence" "DELETE /v1/jobs$query is refused"
done <<'END'
|nothing selected; give ids, or the parameters user, queue, job_set, account, name, label, class, node or state
?queue=long&user|user: needs a value
?queue=long&user=|user: needs a value
?queue=long&usr=ann|unknown parameter 'usr'; did you mean 'user'?
?queue=long&queue=short|queue: given twice
?dry_run=1|nothing selected; give ids, or the parameters user, queue, job_set, account, name, label, class, node or state
?queue=long&batch=1|batch needs signal; a job is always cancelled as a whole
?queue=long&dry_run=2|dry_run: 2 is out of range: expected 0 to 1
END
http -X DELETE '/v1/jobs?queue=lnog'
detail 404 "$(acancel --queue lnog 2>&1 | sed 's/^acancel: error: //')" 'an unknown name has the sentence of acancel'
http '/v1/jobs?queue=lnog'
detail 404 "$(aqueue --queue lnog 2>&1 | sed 's/^aqueue: error: //')" '... and of aqueue'
http '/v1/jobs?state=%ff'
like "$code $(jq -r .detail <<<"$body")" "^400 state: '\\?' is not a state" 'a word that is no UTF-8 has a sentence, too'
http '/v1/cluster?x=1'
is "$code" 400 'a route without parameters has none'
http '/livez?x=1'
is "$code" 200 'a probe may have parameters of its own'
is "$(aqueue --json | jq '.jobs | length')" 3 'nothing was cancelled'
http -X DELETE '/v1/jobs?queue=long&dry_run=1'
is "$code $(jq -c '[.would_cancel, [.jobs[].queue]]' <<<"$body")" '200 [2,["long","long"]]' 'a dry run lists the jobs'
is "$(aqueue --json | jq '.jobs | length')" 3 '... and cancels none'
http -X POST '/v1/jobs/-/release?queue=short'
is "$code $(jq .released <<<"$body")" '200 1' 'a path with - stands for the jobs of the query'
http -X PATCH -d '{"priority": 9}' '/v1/jobs/-?queue=long'
is "$code $(jq .updated <<<"$body")" '200 2' '... also for changes'
http -X DELETE '/v1/jobs?queue=long&state=pending'
is "$code $(jq -c '[.cancelled, .denied, .problems]' <<<"$body")" '200 [2,0,[]]' 'a query cancels what matches'
is "$(aqueue --json | jq -r '[.jobs[].queue] | join(" ")')" short '... and no other job'
# shellcheck disable=SC2016
ok 'the released job runs' wait_until 20 eval '[ "$(aqueue --noheader --format state --queue short | tr -d " ")" = RUNNING ]'
http -X DELETE '/v1/jobs?queue=short&signal=NOSUCH'
is "$code" 400 'an unknown signal is refused'
http -X DELETE '/v1/jobs?queue=short&signal=CONT'
is "$code $(jq .signalled <<<"$body")" '200 1' 'a signal is sent'
http -X POST '/v1/jobs/-/preempt?queue=short&dry_run=1'
is "$code $(jq .would_preempt <<<"$body")" '200 1' 'a dry run of preempt counts'

# ---- listings are those of the commands ----

# same PATH COMMAND...: the rows are those of the command's --json
same()
{
	local path=$1

	shift
	http "$path"
	is "$(jq -S 'del(.time, .release, .position, .acknowledged, .started, .log_record, .stale, .nodes_not_limited,
		.nodes_cpus_weaker, .problem, .controllers) | del(.. | .used?, .users?, .last_seen?, .load?, .lease_left?)' <<<"$body")" \
		"$("$@" --json | jq -S 'del(.time, .release, .position, .acknowledged, .problem, .controllers) | del(.. | .used?, .users?, .last_seen?, .load?, .lease_left?)')" \
		"$path is $*"
}
same /v1/classes actl show classes
http /v1/counters
is "$(jq -r '.counters[] | "\(.counter) \(.of)"' <<<"$body")" "$(actl show counters --json | jq -r '.counters[] | "\(.counter) \(.of)"')" \
	'/v1/counters has the rows of actl show counters'
same /v1/limits actl show limits
same /v1/accounts actl show accounts
same /v1/resources actl show cluster
same /v1/notify actl show notify
same /v1/permissions actl permissions
same /v1/log actl log
same /v1/queues actl queue list
same /v1/nodes/n1 anode n1
same /v1/cluster actl ping
same /v1/usage aacct --usage
same '/v1/usage?efficiency=1&by=queue' aacct --efficiency --by queue
same '/v1/shares/history?since=1d' ashare --history
job=$(aqueue --json | jq '.jobs[0].job')
http "/v1/jobs/$job/environment"
is "$(jq -r '.environment.PATH' <<<"$body")" "$(actl show job "$job" --env | sed -n 's/^ *PATH=//p' | head -n 1)" \
	'the environment is that of actl show job'
{
	echo 'defaults = { queue = "long"; hold = true; output = "/dev/null"; wrap = "true"; }; jobs = ('
	printf '{ name = "j%s"; },\n' {1..5000}
	echo '{ name = "last"; } );'
} >many.conf
ok 'there are many jobs' asubmit --file many.conf
ok '... and more' asubmit --file many.conf
http -X DELETE '/v1/jobs?queue=long&dry_run=1'
detail 422 'more than 10000 rows are selected; select fewer jobs, or some of the elements of an array' \
	'an answer without pages has a bound'
acancel --queue long >/dev/null
http "/v1/jobs/$job/attempts"
is "$(jq -c '[.jobs[].job]' <<<"$body")" "[$job]" 'attempts are listed'
http /v1/accounts/none
detail 404 "$(actl show account none 2>&1 | sed 's/^actl: error: //')" 'an account without a list has the sentence of actl'


# ---- expected starts ----

# n1 is full; then one job has an expected start, one its begin time, and one neither
acancel --queue short >/dev/null
first=$(asubmit --parsable --queue short --cpus 4 --time 1h --output /dev/null --wrap 'sleep 1000')
# shellcheck disable=SC2016
ok 'a job fills the node' wait_until 20 eval '[ "$(aqueue --noheader --format st "$first" | tr -d " ")" = R ]'
held=$(asubmit --parsable --queue short --hold --output /dev/null --wrap true)
begins=$(asubmit --parsable --queue short --begin now+1day --output /dev/null --wrap true)
later=$(asubmit --parsable --queue short --cpus 4 --time 1h --output /dev/null --wrap 'sleep 1000')
# shellcheck disable=SC2016
ok 'a start is expected' wait_until 30 eval 'http "/v1/starts?id=$later"; [ "$(jq ".jobs[0].expected > 0" <<<"$body")" = true ]'
http /v1/starts
is "$(jq -c '[.jobs[].job]' <<<"$body")" "[$later,$begins,$held]" 'pending jobs are listed by their expected start'
is "$(jq -c '[.jobs[].job]' <<<"$body")" "$(aqueue --start --json | jq -c '[.jobs[].job]')" '... as by aqueue --start'
http "/v1/starts?id=$held,$later,$first"
is "$(jq -c '[.jobs[].job]' <<<"$body")" "[$later,$held]" 'a query selects some of them'
http '/v1/starts?queue=lnog'
detail 404 "$(aqueue --start --queue lnog 2>&1 | sed 's/^aqueue: error: //')" 'an unknown name has the sentence of aqueue --start'
http '/v1/starts?state=flying'
detail 400 "$(aqueue --start --state flying 2>&1 | sed 's/^aqueue: error: --//')" '... and so has a state that does not exist'
http '/v1/starts?limit=2'
is "$code" 400 'there are no pages'
acancel --queue short >/dev/null

# ---- administration ----

http -d '{"name": "one", "member": false}' /v1/cluster/copies
detail "$code" "$(actl copies remove one 2>&1 | sed 's/^actl: error: //')" 'copies of the state: the sentence of actl copies'
is "${code:0:1}" 4 '... and an error'
http -d '{"member": false}' /v1/cluster/copies
is "${code:0:1}" 4 'a copy without a name is refused'
http -d '{"name": "one", "member": "out"}' /v1/cluster/copies
is "${code:0:1}" 4 'a member that is neither true nor false is refused'

http -d '{"name": "made", "factor": 2, "max_running": 5, "permission": ["all=watch", "user:root=submit"]}' /v1/queues
is "$code" 201 'a queue is created' || diag "$body"
is "$(actl queue list --json made | jq -c '[.queues[0] | (.factor | floor), .max_running, .permissions]')" \
	'[2,5,["all=watch","user:root=submit"]]' '... with its settings'
http -X PATCH -d '{"cordon": true}' /v1/queues/made
is "$code $(actl queue list --json made | jq -r '.queues[0].state')" '200 cordoned' 'a queue is cordoned'
http -X PATCH -d '{"cordon": false}' /v1/queues/made
is "$code $(actl queue list --json made | jq -r '.queues[0].state')" '200 open' '... and uncordoned'
while IFS='|' read -r method path bad sentence; do
	http -X "$method" -d "$bad" "$path"
	detail 400 "$sentence" "$method $path refuses ${bad:0:30}"
done <<'END'
POST|/v1/queues|{"factor": 2}|queue create: no queue given; give a name
POST|/v1/queues|{"name": "x", "file": "/etc/passwd"}|file: the gateway reads no files
POST|/v1/queues|{"name": "x", "facto": 2}|facto: unknown key; did you mean 'factor'?
POST|/v1/queues|{"queues": []}|queues: expected a list of 1 to 1000 queues, alone
POST|/v1/queues|{"queues": ["x"]}|queues: expected objects
PATCH|/v1/queues/made|{}|queue update: no settings given; give factor, owners, permission, max_running, cordon or others of actl queue
PUT|/v1/log|{}|no level given: {"net": "debug"}
PUT|/v1/log|{"net": 5}|net: expected a level, such as "debug"
POST|/v1/nodes/n1/label|{"changes": []}|changes: must be a list of strings: ["disk=nvme"]
POST|/v1/nodes/n1/label|{"changes": ["disk"]}|'disk': expected KEY=VALUE to set a label, KEY- to remove it
POST|/v1/nodes/n1/drain||drain: a reason is needed: ?reason=new%20disks
POST|/v1/nodes/n1/confirm-dead||nothing was changed; give yes=1 if these machines are switched off, or dry_run=1 to see what would end
POST|/v1/nodes/n1/extend-lease||lease extend: time is missing: ?time=2h
END
http -X DELETE /v1/queues/made
is "$code" 200 'a queue is deleted'
http -X PUT -d '{"net": "info"}' /v1/log
is "$(jq -r '.log[] | select(.area == "net").level' <<<"$body")" info 'a log level is changed'
http -X POST '/v1/nodes/n1/drain?reason=new%20disks'
is "$code $(anode --json n1 | jq -r '.nodes[0].reason')" '200 new disks' 'a node is drained with its reason'
http -X POST /v1/nodes/n1/resume
is "$code $(anode --json n1 | jq -r '.nodes[0].reason')" '200 ' 'a node is resumed'
http -X POST -d '{"changes": ["disk=nvme"]}' /v1/nodes/n1/label
is "$code" 200 'a node is labelled'
like "$(anode --json n1 | jq -c '.nodes[0].labels')" nvme '... and has the label'
http -X POST '/v1/cluster/reconfigure?dry_run=1'
is "$code $(jq -c .changes <<<"$body")" '200 []' 'a dry run of reconfigure lists nothing'
http -X POST /v1/cluster/reconfigure
is "$code" 200 'the configuration is read again'
http -X POST '/v1/nodes/all/extend-lease?time=1h&reason=work'
is "$code" 200 'leases are extended' || diag "$body"
http -d '{}' /v1/tokens
is "$code" 403 'a token makes no other token'
is "$(curl -s -o body -w '%{http_code}' --unix-socket "$cluster/run/rest.sock" -d '{"verbs": ["watch"], "label": "x"}' \
	http://x/v1/tokens)" 201 'the peer of the Unix socket makes one' || diag "$(cat body)"
number=$(jq '.tokens[0].number' body)
is "$(curl -s --unix-socket "$cluster/run/rest.sock" http://x/v1/tokens | jq -S .tokens)" \
	"$(actl token list --json | jq -S .tokens)" 'tokens are listed as by actl token list'
is "$(curl -s -o body -w '%{http_code}' -X DELETE --unix-socket "$cluster/run/rest.sock" "http://x/v1/tokens/$number")" 200 \
	'a token is revoked' || diag "$(cat body)"
is "$(actl token list --json | jq "[.tokens[].number] | index($number)")" null '... and is gone'
# a token without administration
token=$(actl token create --verbs watch | tail -n 1)
for path in /v1/cluster/shutdown /v1/cluster/reconfigure /v1/cluster/takeover '/v1/nodes/n1/drain?reason=x'; do
	http -X POST "$path"
	is "$code" 403 "$path needs the right"
done
done_testing
