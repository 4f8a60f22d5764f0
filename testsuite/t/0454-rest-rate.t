#!/bin/bash
# The rate of a user at the gateway: it is refused above it, others are not, and it goes on later.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"

. "${ARMADA_SRCDIR:-.}/testsuite/lib/rest.sh"
test_under_armada 1 --rest
gateway=
# shellcheck disable=SC2016
at_exit='[ -z "$gateway" ] || kill "$gateway"'
first=$(actl token create | tail -n 1)
second=$(actl token create | tail -n 1)

# A second gateway, on a socket of its own.
sed '/^rest[ =]/d' "$cluster/armada.conf" >rate.conf
echo "rest = { listen = \"\"; socket = \"$work/sock\"; rate = 1; burst = 3; };" >>rate.conf
armrestd --config rate.conf 2>log &
gateway=$!
ok 'a gateway listens on a socket' wait_until 20 grep -q "listening on $work/sock" log

# as TOKEN [CURL OPTION]...: $code of an answer
as()
{
	code=$(curl -s -m 20 -o body -D headers -w '%{http_code}' --unix-socket sock -H "Authorization: Bearer $1" \
		"${@:2}" http://x/v1/cluster)
}
# many on one connection, which takes far less than a second
codes=$(curl -s -m 60 -o 'body#1' -D headers -w '%{http_code} ' --unix-socket sock -H "Authorization: Bearer $first" \
	'http://x/v1/cluster#[1-30]')
like "$codes" '^200 200 200 .*429 $' 'a user who asks faster than rest.burst and rest.rate is refused'
mv body30 body
is "$(jq -r .status body)" 429 'the refusal is a problem document'
is "$(jq -r .detail body)" 'too many requests: at most 1 a second (rest.rate)' '... that names the limit'
like "$(cat headers)" 'Retry-After: 1' '... and says when to try again'
as "$second"
is "$code" 200 'another token is served meanwhile'
# shellcheck disable=SC2016
ok 'the first one is served again later' wait_until 20 eval 'as "$first"; [ "$code" = 200 ]'
done_testing
