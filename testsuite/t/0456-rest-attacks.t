#!/bin/bash
# Attacks on a real gateway: connections that send nothing, headers and bodies that never end, streams that take every
# place, large bodies, forged tokens. Meanwhile other clients are answered, and memory stays bounded.
# ARMADA_ATTACK_CONNECTIONS (300) and ARMADA_ATTACK_STREAMS (60) make it larger; the limit of open files must allow
# them, and four descriptors for each stream.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/rest.sh"
needs python3

many=${ARMADA_ATTACK_CONNECTIONS:-300}
streams=${ARMADA_ATTACK_STREAMS:-60}
# The places of the gateway: fewer than the attack has connections.
places=$((streams < 1000 ? streams : 1000))
cat >site.conf <<END
limits = { conns_per_uid = $((streams + 100)); watches_per_user = $((streams + 100)); tokens_per_user = 50; };
END
test_under_armada 1 --conf "$work/site.conf" --rest
asubmit --hold --job-set s --output /dev/null --wrap true >/dev/null
gateway=
load=
# shellcheck disable=SC2016
at_exit='[ -z "$load" ] || kill $load; [ -z "$gateway" ] || kill "$gateway"; wait'
good=$(actl token create | tail -n 1)
token=$good

# begins SETTING...: a gateway of the test with these settings, on a port of its own
begins()
{
	local i

	[ -z "$gateway" ] || { kill "$gateway" && wait "$gateway"; }
	for i in 1 2 3 4 5; do
		port=$((20000 + RANDOM % 12000))
		sed '/^rest[ =]/d' "$cluster/armada.conf" >rest.conf
		echo "rest = { listen = \"127.0.0.1:$port\"; $* };" >>rest.conf
		armrestd --config rest.conf 2>log &
		gateway=$!
		wait_until 20 eval "grep -q 'listening on' log || ! kill -0 $gateway"
		grep -q 'listening on' log && url=http://127.0.0.1:$port && return
	done
	return 1
}

# attack KIND COUNT [SECONDS]: in the background, with the token; `load` ends it
attack()
{
	: >attack.out
	[ ! -e hold ] || exec 8>&-
	rm -f hold
	mkfifo hold
	python3 "$ARMADA_SRCDIR/testsuite/hostile/http_load.py" "127.0.0.1:$port" "$@" <hold >attack.out 2>attack.err &
	load=$!
	exec 8>hold
	printf '%s\n\n' "Authorization: Bearer $token" >&8
	wait_until 120 grep -q '^open' attack.out
}

# ended: waits for the attack, and sets $report
ended()
{
	exec 8>&-
	wait "$load"
	load=
	report=$(tail -n 1 attack.out)
}

memory()
{
	sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$gateway/status"
}

# answers WHAT: other clients are answered
answers()
{
	token=$good
	http /v1/cluster
	is "$code $(jq -r .cluster <<<"$body")" '200 dev' "a request is answered beside $1"
}

begins "connections = $places; timeout = \"5s\"; body_size = \"100K\"; streams = $((streams * 2)); streams_per_user = $((streams * 2)); sessions = 3; rate = 100000; burst = 100000;"
is $? 0 'a gateway with few places starts' || diag "$(cat log)"
http /livez
before=$(memory)

# ---- connections that send nothing, or never enough ----

attack idle "$many"
is $? 0 "$many connections are made"
answers "$many connections that send nothing"
ok 'memory is bounded' [ $(($(memory) - before)) -lt $((50000 + places * 200)) ]
# shellcheck disable=SC2016
ok 'the threads are' [ "$(find "/proc/$gateway/task" -mindepth 1 -maxdepth 1 | wc -l)" -lt $((places + 100)) ]
exec 8>&-
wait "$load"
load=
attack headers "$((places / 2))" 60
is $? 0 'connections begin headers'
answers 'headers that never end'
ended
is "$(jq -c '[.open, .opened]' <<<"$report")" "[0,$((places / 2))]" 'the gateway ends them, although bytes come' || diag "$report"
attack body "$((places / 2))" 60
is $? 0 'connections begin bodies'
answers 'bodies that never end'
ended
is "$(jq -c .open <<<"$report")" 0 'the gateway ends these, too' || diag "$report"

# ---- bodies ----

head -c 90000 /dev/zero | tr '\0' ' ' >blank
printf '{"wrap": "true", "hold": true, "output": "/dev/null"}' >>blank
http --data-binary @blank /v1/jobs
is "$code" 201 'a large body of a user is read'
token=armt_$(head -c 120 /dev/urandom | base64 -w0 | tr +/ -_)
run curl -s -m 20 -o body -w '%{http_code} %{size_upload}' -H "Authorization: Bearer $token" -H Expect: \
	--limit-rate 20K --data-binary @blank "$url/v1/jobs"
like "$out" '^401 ' 'that of somebody else is refused'
ok '... before it is read' [ "${out##* }" -lt 90000 ] || diag "$out"
http -H 'Transfer-Encoding: chunked' -d '{}' /v1/jobs
is "$code" 401 'so is one in pieces'

# ---- forged tokens ----

for ((i = 0; i < 8; i++)); do
	token=armt_$(head -c 120 /dev/urandom | base64 -w0 | tr +/ -_)
	http /v1/cluster
	[ "$code" = 401 ] || is "$code" 401 'a forged token is refused'
done
answers 'forged tokens, more than there are sessions'
is "$(grep -c "${good#armt_}" log)" 0 'the log has no token'

# ---- streams in every place ----

export HTTP_PATH=/v1/queues/$(id -un)/job-sets/s/events
attack streams "$streams"
is $? 0 "$streams streams are asked for"
if [ "$streams" -le "$places" ]; then
	code=$(curl -s -m 20 -o body -D headers -w '%{http_code}' "$url/livez")
	is "$code $(jq -r .status body)" '503 503' 'a further connection is refused'
	is "$(jq -r .detail body)" 'the gateway has as many connections as it may (rest.connections): try again' '... in words'
	like "$(tr -d '\r' <headers)" 'Retry-After: 1' '... and told when to try again'
fi
ok 'memory is bounded' [ $(($(memory) - before)) -lt $((50000 + places * 400)) ]
ended
is "$(jq -c '.statuses["200"]' <<<"$report")" "$places" 'as many streams as there are places were served' || diag "$report"
# shellcheck disable=SC2016
ok 'their places are free when they have gone' wait_until 30 eval '[ "$(curl -s -m 5 "$url/livez")" = ok ]'
answers 'nothing'

# A stream ends with the gateway, which does not wait for its next comment.
attack streams 3
kill "$gateway"
wait "$gateway"
is $? 0 'the gateway ends beside streams'
gateway=
ended
is "$(jq -c .open <<<"$report")" 0 '... and its streams with it'
done_testing
