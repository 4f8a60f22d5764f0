#!/bin/bash
# The gateway with curl: each kind of route, who one is, refusals, streams, and hostile requests.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/rest.sh"

cat >site.conf <<'END'
limits = { tokens_per_user = 50; };
END
test_under_armada 2 --conf "$work/site.conf" --rest
eval "$("$devcluster" env "$cluster")"
url=$ARMADA_REST_URL
like "$url" '^http://127\.0\.0\.1:[0-9]+$' 'env prints the address of the gateway'
token=$(actl token create | tail -n 1)

# refused STATUS SENTENCE DESCRIPTION: the last answer is a problem document with this status and sentence.
refused()
{
	is "$code $(jq -r .status <<<"$body")" "$1 $1" "$3"
	like "$(jq -r .detail <<<"$body")" "$2" '... and says why'
}

# ---- without a user ----

for path in /livez /readyz; do
	is "$(curl -s "$url$path")" ok "$path answers without a token"
done
curl -s "$url/openapi.json" >api
is "$(jq -r '.openapi' api)" 3.1.0 'the document is OpenAPI 3.1'
is "$(jq -r '.paths["/v1/jobs"] | keys | join(" ")' api)" 'delete get post' '/v1/jobs has GET, POST and DELETE'
is "$(jq -r '[.paths[][] | .operationId] | length == (unique | length)' api)" true 'no operation id comes twice'
# every {part} of a path is a parameter
is "$(jq -r '.paths | to_entries[] | .key as $p | .value[] | ([$p | scan("{([a-z]+)}")[]] ==
	[.parameters[] | select(.in == "path").name])' api | sort -u)" true 'the parts of each path are parameters'
aqueue --json | jq -r '.jobs[0] // {} | keys[]' >columns
is "$(jq -r '.components.schemas.Job.properties | has("nodelist")' api)" true 'the schema of jobs has the columns'

# ---- jobs ----

http -d '{"wrap": "echo $HOME; sleep 1000", "name": "one", "job_set": "s", "output": "/dev/null"}' /v1/jobs
is "$code" 201 'a job is submitted'
job=$(jq '.ids[0]' <<<"$body")
is "$(aqueue --noheader --format name "$job")" one 'the command lists it'
http -H 'Idempotency-Key: k' -d '{"jobs": [{"script": "#!/bin/sh\nsleep 900\n", "output": "/dev/null"},
	{"wrap": "sleep 900", "cpus": 2, "output": "/dev/null"}]}' /v1/jobs
ids=$(jq -c .ids <<<"$body")
is "$code $(jq length <<<"$ids")" '201 2' 'two jobs are submitted together'
http -H 'Idempotency-Key: k' -d '{"jobs": [{"script": "#!/bin/sh\nsleep 900\n", "output": "/dev/null"},
	{"wrap": "sleep 900", "cpus": 2, "output": "/dev/null"}]}' /v1/jobs
is "$code $(jq -c .ids <<<"$body") $(jq .duplicate <<<"$body")" "200 $ids true" 'a repeated key gets the same ids'
http -H 'Idempotency-Key: k' -d '{"wrap": "other"}' /v1/jobs
is "$code" 422 'the same key with another body is refused'
http /v1/jobs
is "$(jq '.jobs | length' <<<"$body")" 3 'the listing has all jobs'
http '/v1/jobs?limit=2'
next=$(jq -r .next <<<"$body")
is "$(jq '.jobs | length' <<<"$body")" 2 'a page has as many as were asked for'
http "/v1/jobs?limit=2&cursor=$next"
is "$(jq -c '[(.jobs | length), .next]' <<<"$body")" '[1,null]' 'the next page has the rest'
http '/v1/jobs?name=one&state=running,pending'
is "$(jq -c '[.jobs[].job]' <<<"$body")" "[$job]" 'a listing selects'
is "$(jq -S '.jobs[0] | keys' <<<"$body")" "$(aqueue --json "$job" | jq -S '.jobs[0] | keys')" \
	'a job has the members of aqueue --json'
http "/v1/jobs/$job"
is "$code $(jq -r '.jobs[0].name' <<<"$body")" '200 one' 'a job is shown'
second=$(jq '.[0]' <<<"$ids")
http "/v1/jobs/$second/script"
is "$body" $'#!/bin/sh\nsleep 900' 'its script is shown'
http "/v1/jobs/$second/explain"
is "$(jq .job <<<"$body")" "$second" 'it is explained'
http -X DELETE "/v1/jobs/$second"
is "$code" 200 'a job is cancelled'
wait_until 20 eval "[ -z \"\$(aqueue --noheader $second)\" ]"
http -X DELETE "/v1/jobs/$second"
is "$code $(jq .already_ended <<<"$body")" '200 1' 'a job that has ended is no error, as in acancel'
http -X DELETE /v1/jobs/99999
refused 404 'there is no job 99999' 'a job that never existed is one'
http -X POST "/v1/jobs/$second/requeue"
refused 404 "job $second has ended; submit it again to run it again" 'a job that has ended is not requeued'
http -d '{"wrap": "true", "hold": true, "output": "/dev/null"}' /v1/jobs
held=$(jq '.ids[0]' <<<"$body")
http -X POST "/v1/jobs/$held/release"
is "$(jq .released <<<"$body")" 1 'a held job is released'
http '/v1/jobs?state=COMPLETED,CANCELLED'
is "$code" 200 'ended jobs are listed'

# ---- changes ----

http -d '{"wrap": "sleep 900", "hold": true, "output": "/dev/null", "time": "1h", "groups": []}' /v1/jobs
is "$code" 400 'a job without groups is refused'
http -d '{"wrap": "sleep 900", "hold": true, "output": "/dev/null", "time": "1h"}' /v1/jobs
waits=$(jq '.ids[0]' <<<"$body")

# patch BODY [ID]
patch()
{
	http -X PATCH -d "$1" "/v1/jobs/${2:-$waits}"
}

# job_is COLUMNS VALUES DESCRIPTION
job_is()
{
	is "$(aqueue --noheader --format "$1" "$waits" | tr -s ' ' | sed 's/^ //; s/ $//')" "$2" "$3"
}
patch '{"name": "two", "priority": 7, "time": "+30m", "cpus": 2, "comment": "<b>", "no_requeue": true}'
is "$code $(jq .updated <<<"$body")" '200 1' 'a job that waits is changed'
job_is name,priority,time_limit,cpus 'two 7 01:30:00 2' '... as the listing shows'
is "$(actl show job "$waits" | grep -c '<b>')" 1 '... and actl show'
patch '{"requeue": false, "scavenge": true, "ntasks": 2, "constraint": "none", "dependency": ["after:'"$job"'", "afterany:'"$job"'"], "gpus-per-task": 0}'
is "$code" 200 'truth, lists and names with _ and - are read' || diag "$body"
job_is tasks 2 '... and change the job'
patch '{"script": "#!/bin/sh\nexit 0\n", "args": ["a b", "c"]}'
is "$code" 200 'a script is replaced by a text'
http "/v1/jobs/$waits/script"
is "$body" $'#!/bin/sh\nexit 0' '... which is the script then'
patch '{"command": ["sleep", "901"]}'
is "$code" 200 'a command is replaced'
patch '{"cpus": 1, "restart": true}' "$job"
is "$code" 200 'a job that runs is restarted with a change' || diag "$body"
patch '{"cpus": 1}' "$job"
is "$code" "$(actl update "$job" --cpus=1 >/dev/null 2>err && echo 200 || echo 422)" 'without a restart it is as actl update says'
before=$(aqueue --json "$waits" | jq -S 'del(.jobs[].elapsed, .time)')
while IFS='|' read -r bad sentence; do
	patch "$bad"
	refused 400 "$sentence" "refused: ${bad:0:40}"
done <<'END'
|the body is not a JSON object with the options of actl update
[]|the body is not a JSON object with the options of actl update$
{}|no changes given
{"priorty": 5}|priorty: unknown key; did you mean 'priority'
{"priority": "x"}|priority: 'x' is not a whole number
{"script": 5}|script: expected the text of a script
{"priority": 1e400}|the body is not a JSON object
{"priority": null}|priority: must be a string or a number
{"priority": {"a": 1}}|priority: must be a string or a number
{"priority": 5, "priority": 6}|duplicate object key
{"name": ["a", "b"]}|name: must be one value, not a list
{"nodelist": [1]}|nodelist: must be a list of strings
{"nodelist": []}|nodelist: is an empty list
{"memory": 4}|memory: must be a string with a unit, as in "4G"
{"time": 5}|time: must be a string with a unit, as in "2h"
{"requeue": "yes"}|requeue: must be true or false
{"restart": true}|--restart needs a change that a running job cannot have
{"mem_per_cpu": "1G"}|--mem-per-cpu needs --cpus
{"wrap": "a", "script": "#!/bin/sh\n"}|--wrap and a script or command cannot both be given
{"command": ["a"], "script": "#!/bin/sh\n"}|only one of command, script and wrap is allowed
{"command": ["a"], "args": ["b"]}|only one of command and args is allowed
{"args": ["b"]}|args: needs script
{"command": "a"}|command: must be a list of strings
{"name": "two", "cpus": -1}|cpus: '-1'
END
patch '{"queue": "none"}'
is "$code" 422 'a queue that does not exist is refused' || diag "$body"
patch '{"priority": 5}' 99999
refused 404 'there is no job 99999' 'a job that does not exist is not changed'
for id in x 1,2 1-3 "$waits%0a"; do
	patch '{"priority": 5}' "$id"
	is "$code" 400 "one job is changed, not $id"
done
is "$(aqueue --json "$waits" | jq -S 'del(.jobs[].elapsed, .time)')" "$before" 'nothing of these changed the job'

# ---- other lists ----

http /v1/queues && is "$code" 200 'queues are listed'
http /v1/queues/none && refused 404 "queue 'none' does not exist" 'an unknown queue'
http /v1/nodes && is "$(jq -r '[.nodes[].name] | sort | join(" ")' <<<"$body")" 'n1 n2' 'nodes are listed'
http /v1/nodes/n9 && refused 404 "node 'n9' does not exist" 'an unknown node'
http /v1/shares && is "$code" 200 'shares are listed'
http /v1/rounds && is "$code" 200 'the round is shown'
http /v1/cluster && is "$(jq -r .cluster <<<"$body")" dev 'the cluster is shown'
http /v1/configuration && like "$body" 'rest = ' 'the configuration is shown'

# ---- accounting ----

http -d '{"job_set": "acc", "jobs": [{"wrap": "exit 3", "output": "/dev/null"}, {"wrap": "true",
	"output": "/dev/null"}, {"wrap": "true", "output": "/dev/null"}]}' /v1/jobs
# shellcheck disable=SC2016
ok 'three jobs end' wait_until 30 eval 'http "/v1/accounting?job_set=acc"; [ "$(jq ".attempts | length" <<<"$body")" = 3 ]'
http '/v1/accounting?job_set=acc'
is "$(jq -r .next <<<"$body")" null 'they are one page'
ids=$(jq -r '[.attempts[].job] | join(",")' <<<"$body")
is "$(jq -S '[.attempts | sort_by(.job)[] | del(.cpu_time, .elapsed)]' <<<"$body")" \
	"$(aacct --json --job-set acc | jq -S '[.attempts | sort_by(.job)[] | del(.cpu_time, .elapsed)]')" 'they are those of aacct --json'
http '/v1/accounting?job_set=acc&limit=2'
is "$(jq '.attempts | length' <<<"$body")" 2 'a page has as many as were asked for'
next=$(jq -r .next <<<"$body")
first=$(jq -r '[.attempts[].job] | join(",")' <<<"$body")
http "/v1/accounting?job_set=acc&limit=2&cursor=$next"
is "$first,$(jq -r '[.attempts[].job, .next] | join(",")' <<<"$body")" "$ids," 'the next page has the rest'
http '/v1/accounting?job_set=acc&state=FAILED'
is "$(jq -r '[.attempts[].state] | join(",")' <<<"$body")" FAILED 'a state selects'
http "/v1/accounting?id=${ids##*,}&from=1d"
is "$(jq '[.attempts[].job] | join(",")' -r <<<"$body")" "${ids##*,}" 'an id selects'
http '/v1/accounting?job_set=acc&to=yesterday&from=7d'
is "$code $(jq -c .attempts <<<"$body")" '200 []' 'so does a period'
for query in from=x 'from=now&to=yesterday' to=-1 limit=0 limit=1001 cursor=1 cursor=1.2.3 cursor=1.2.3.4.5 cursor=a.1.1.1 \
	cursor=1.1.4294967296.1 "cursor=1.1.1.$(printf '1%.0s' {1..200})" state=flying id=x node=; do
	http "/v1/accounting?$query"
	is "$code" 400 "accounting of ${query:0:30} is refused"
done

# ---- events ----

queue=$(id -un)
http '/v1/queues/'"$queue"'/job-sets/s/events?follow=0'
like "$body" '^id: 1'$'\n''event: job'$'\n''data: \{"number":1' 'a stream begins with the first event'
http -H 'Last-Event-ID: 2' '/v1/queues/'"$queue"'/job-sets/s/events?follow=0'
like "$body" '^id: 3' 'it goes on after the last event'
http -H 'Accept: application/x-ndjson' '/v1/queues/'"$queue"'/job-sets/s/events?follow=0'
is "$(head -n 1 <<<"$body" | jq .number)" 1 'or has a line of JSON for each event'
http '/v1/queues/'"$queue"'/job-sets/none/events'
is "$code" 404 'an unknown job set is not followed'
for label in color=red color=blue; do
	http -d '{"wrap": "true", "hold": true, "output": "/dev/null", "job_set": "labels", "labels": ["'$label'", "size=2"]}' /v1/jobs
	is "$code" 201 "a job with the label $label is submitted" || diag "$body"
done
red=$(jq '.ids[0] - 1' <<<"$body")
events=/v1/queues/$queue/job-sets/labels/events
http -X PATCH -d '{"priority": 3}' "/v1/jobs/$red"
http -H 'Accept: application/x-ndjson' "$events?follow=0&label=color=red"
is "$(jq -sc '[.[].job] | [unique, length > 1]' <<<"$body")" "[[$red],true]" 'a label selects the events of jobs'
last=$(jq -s '.[-1].number' <<<"$body")
http -H 'Accept: application/x-ndjson' "$events?follow=0&label=!color"
is "$code [$body]" '200 []' '... and may select none'
http -H "Last-Event-ID: $((last - 1))" "$events?follow=0&label=color,size=2,color=red"
is "$(grep '^id' <<<"$body")" "id: $last" '... also after the last event, which is not that of the submission'
http "$events?follow=0&label=color%3Dred%2Csize%3D2&from=$last"
is "$(grep '^id' <<<"$body")" "id: $last" '... and from a number on'
for label in =x 'color red' color=a,b=%; do
	http -G --data-urlencode "label=$label" "$events"
	is "$code --$(jq -r .detail <<<"$body")" "400 $(awatch --job-set labels --label "$label" 2>&1 | sed 's/^awatch: error: //')" \
		"a label is refused as by awatch: $label"
done
http "$events?follow=0&label="
refused 400 'label: needs a value' 'an empty one, too'

# ---- bad requests ----

for bad in '' 'x' '[]' '{' '{"wrap": "a", "wrap": "b"}' '{"wrap": 1.5e400}' '{"jobs": 5}' '{"jobs": [{}]}' \
	'{"script": 5}' '{"wrap": "true", "nam": "x"}' '{"wrap": "true", "cpus": -1}' '{"wrap": "true\u0000"}' \
	'{"wrap": "true", "get_user_env": true}' "{\"jobs\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]"; do
	http --data-binary "$bad" /v1/jobs
	[ "$code" = 400 ] && continue
	is "$code: $body" 400 "a bad body is refused: $bad"
done
http -d '{"wrap": "true", "nam": "x"}' /v1/jobs
refused 400 "^nam: unknown key; did you mean 'name'" 'an unknown key'
http -d '{"jobs": [{"wrap": "true"}, {"wrap": "true", "cpus": "x"}]}' /v1/jobs
refused 400 "^jobs\[1\]\.cpus: 'x' is not understood" 'a bad value in the second of two jobs'
http -d '{"wrap": "true", "queue": "none"}' /v1/jobs
is "$code" 404 'an unknown queue is refused'
for path in '/v1/jobs?limit=0' '/v1/jobs?limit=x' '/v1/jobs?cursor=../1' '/v1/jobs?id=a' '/v1/jobs?state=flying' \
	/v1/jobs/x '/v1/jobs/1%00' '/v1/jobs/%2e%2e'; do
	http "$path"
	is "$code" 400 "$path is refused"
done
for path in / /v1 /v1/ /v2/jobs /v1/jobs/ //v1/jobs /v1/../etc/passwd /../../etc/passwd /v1/%2e%2e/x '/v1/jobs/1/2/3' \
	"/v1/queues/$(printf 'q%.0s' {1..300})"; do
	http "$path"
	is "$code" 404 "${path:0:30} is no path"
done
http -X PUT /v1/jobs
refused 405 'no such method' 'another method'
head -c 5000000 /dev/zero >large
http --data-binary @large /v1/jobs
refused 413 'rest.body_size' 'a body that is too large'
http -H 'Transfer-Encoding: chunked' --data-binary @large /v1/jobs
refused 413 'rest.body_size' 'the same in pieces'
http -H "X-Long: $(head -c 60000 /dev/zero | tr '\0' x)" /v1/jobs
is "$code" 431 'headers that are too large'

# names that are scripts stay data: the answer is JSON that a browser does not run
evil="<script>alert(1)</script>\"'&"
http -d "$(jq -n --arg name "$evil" '{wrap: "true", hold: true, output: "/dev/null", name: $name, comment: $name}')" /v1/jobs
is "$code" 201 'a name may have the text of a script'
evil_job=$(jq '.ids[0]' <<<"$body")
http -D headers "/v1/jobs/$evil_job"
is "$(jq -r '.jobs[0].name' <<<"$body")" "$evil" '... and comes back as it was given'
for header in 'Content-Type: application/json' 'X-Content-Type-Options: nosniff' "Content-Security-Policy: default-src 'none'"; do
	like "$(tr -d '\r' <headers)" "$header" "... with ${header%%:*}"
done
http -D headers '/v1/nodes/%3Cscript%3Ealert(1)%3C%2Fscript%3E'
like "$(tr -d '\r' <headers)" 'HTTP/1.1 404.*Content-Type: application/problem\+json' 'nor is a refusal a page for a browser'
http -D headers '/v1/jobs/1%0d%0aX-Evil:%20yes'
is "$code $(grep -ci '^x-evil' headers)" '400 0' 'no path adds a header'
http -X DELETE "/v1/jobs/$evil_job"
# a path goes to no file and to no other route
for path in '/v1/queues/..%2f..%2fetc%2fpasswd' '/v1/nodes/%2e%2e%2f%2e%2e%2fetc%2fpasswd' '/v1/queues/%2e%2e%2fnodes' \
	'/v1/nodes/..' '/v1/queues/..' '/v1/queues/x/../../nodes' '/openapi.json/../v1/nodes' '/livez/' '/%2e%2e/etc/passwd'; do
	http "$path"
	is "$code" 404 "$path is not found"
	unlike "$body" 'root:|"nodes"' '... and shows nothing'
done

# raw REQUEST: $statuses of all answers on one connection until the gateway closes it, or is silent for a second
raw()
{
	local line

	statuses=
	exec {conn}<>"/dev/tcp/127.0.0.1/${url##*:}"
	# in a process of its own: the gateway may close before all is written
	# shellcheck disable=SC2059
	(printf "$1" >&"$conn") 2>/dev/null
	while IFS= read -rt 1 line <&"$conn"; do
		[[ $line != HTTP/1.1\ * ]] || statuses+="${line:9:3} "
	done
	exec {conn}<&-
}
post="POST /v1/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer $token\r\n"
hidden='GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
jobs_before=$(aqueue --json | jq '.jobs | length')
# what two programs could read differently is refused, and the bytes after it are no request
while IFS='|' read -r headers why; do
	raw "$post$headers\r\n0\r\n\r\n$hidden"
	like "$statuses" '^((400|413) )*$' "refused: $why"
	raw "$post$headers\r\n$hidden"
	like "$statuses" '^((400|413) )*$' '... also with the hidden request at once'
done <<'END'
Content-Length: 5\r\nTransfer-Encoding: chunked\r\n|both lengths
Transfer-Encoding: chunked\r\nContent-Length: 5\r\n|both lengths, in the other order
Content-Length: 5\r\nContent-Length: 60\r\n|two lengths
Content-Length: -5\r\n|a negative length
Content-Length: 5x\r\n|a length that is no number
Content-Length: 99999999999999999999999\r\n|a length of 77 bits
Transfer-Encoding: xchunked\r\n|an unknown encoding
Transfer-Encoding: chunked \r\n|an encoding with a space after it
Transfer-Encoding: \vchunked\r\n|an encoding with a vertical tab
Transfer-Encoding : chunked\r\n|a space before the colon
Content-Length : 5\r\n|a space before the colon of a length
Transfer-Encoding:\r\n chunked\r\n|a folded encoding
Content-Length: 5\r\nTransfer-Encoding:\r\n chunked\r\n|a length and a folded encoding
Content-Length: 5\r\n 5\r\n|a folded length
X: y\r\n Transfer-Encoding: chunked\r\n|an encoding in a folded line
X: y\rTransfer-Encoding: chunked\r\n|an encoding after a carriage return
Authorization: Bearer x\r\n|two users
Host: y\r\n|two hosts
END
is "$(aqueue --json | jq '.jobs | length')" "$jobs_before" 'none of them submitted a job'
http /v1/cluster
is "$code" 200 'the gateway goes on'

# ---- who one is ----

good=$token
for token in '' armt_ "${good%?????}AAAAA" "$(printf 'x%.0s' {1..2000})" "armt_$(head -c 120 /dev/urandom | base64 -w0 | tr +/ -_)"; do
	http /v1/jobs
	is "$code" 401 "a token that is not valid is refused: ${token:0:10}"
done
token=$(actl token create --verbs watch | tail -n 1)
http -d '{"wrap": "true"}' /v1/jobs
refused 403 'the scope of this token does not allow it' 'a token without the verb'
token=$(actl token create --expires 1s | tail -n 1)
# shellcheck disable=SC2016
ok 'a token that has expired is refused' wait_until 10 eval 'http /v1/jobs; [ $code = 401 ]'
token=$(actl token create | tail -n 1)
http /v1/jobs
is "$code" 200 'a token works'
curl -sN -H "Authorization: Bearer $token" "$url/v1/queues/$queue/job-sets/s/events" >stream &
stream=$!
ok 'a stream is open' wait_until 10 test -s stream
actl token revoke "$(actl token list --noheader --format number | tail -n 1 | tr -d ' ')" >/dev/null
http /v1/jobs
refused 401 'the token was revoked' 'a revoked token is refused at once'
# shellcheck disable=SC2016
ok 'its stream ends' wait_until 10 eval '! kill -0 $stream 2>/dev/null'
is "$(curl -s --unix-socket "$cluster/run/rest.sock" http://x/v1/cluster | jq -r .cluster)" dev \
	'the peer of the Unix socket needs no token'
is "$(curl -s -o body -w '%{http_code}' --unix-socket "$cluster/run/rest.sock" -H 'Authorization: Bearer x' \
	http://x/v1/cluster)" 401 '... but a wrong one is refused'
token=$good
is "$(grep -c "${good#armt_}" "$cluster"/log/* | grep -vc ':0$')" 0 'no log has the token'

# ---- clients that are slow or many ----

# a client that sends a byte now and then does not stop others
for ((i = 0; i < 100; i++)); do
	exec {slow}<>"/dev/tcp/127.0.0.1/${url##*:}" && printf 'GET /v1/jobs HTTP/1.1\r\nX: ' >&"$slow"
done
http /v1/jobs
is "$code" 200 'a request is answered beside 100 that are incomplete'
seq 400 | xargs -P 8 -I{} curl -s -o /dev/null -w '%{http_code}\n' -H "Authorization: Bearer $token" "$url/v1/cluster" |
	sort | uniq -c >many
like "$(cat many)" ' 200' 'many requests of a user are answered'

# ---- the controller is away ----

"$devcluster" kill "$cluster" armctld
http /v1/jobs
is "$code" 503 'without a controller one has to try again'
is "$(curl -s -o body -w '%{http_code}' "$url/readyz")" 503 'the gateway is not ready then'
is "$(curl -s "$url/livez")" ok 'but it lives'
"$devcluster" restart "$cluster" armctld
# shellcheck disable=SC2016
ok 'it goes on with the next controller' wait_until 20 eval 'http /v1/jobs; [ $code = 200 ]'
"$devcluster" status "$cluster" >status
like "$(cat status)" 'armrestd +running' 'the gateway still runs'
done_testing
