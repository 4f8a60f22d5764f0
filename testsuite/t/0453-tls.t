#!/bin/bash
# The gateway with TLS: what a client sees, and files that it refuses.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"

. "${ARMADA_SRCDIR:-.}/testsuite/lib/rest.sh"
needs openssl
test_under_armada 1 --rest
gateway=
# shellcheck disable=SC2016
at_exit='[ -z "$gateway" ] || kill "$gateway"'
token=$(actl token create | tail -n 1)

for name in server other; do
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$name" \
		-addext 'subjectAltName=IP:127.0.0.1' -keyout $name.key -out $name.pem 2>/dev/null
done
openssl ec -aes128 -passout pass:secret -in server.key -out locked.key 2>/dev/null
head -n 3 server.pem >cut.pem
: >empty
mkdir folder

# configure ADDRESS CERTIFICATE KEY: writes tls.conf, that of the cluster with another section rest.
configure()
{
	sed '/^rest[ =]/d' "$cluster/armada.conf" >tls.conf
	echo "rest = { listen = \"$1\"; tls_certificate = \"${2:+$work/$2}\"; tls_key = \"${3:+$work/$3}\"; };" >>tls.conf
}

# ---- files that are refused ----

refuses()
{
	configure 127.0.0.1:1 "$1" "$2"
	run timeout 20 armrestd --config tls.conf
	is "$status" 1 "the gateway does not start with ${1:-no certificate} and ${2:-no key}"
	like "$err" "$3" '... and says why'
}
refuses none.pem server.key "rest.tls_certificate: $work/none.pem: No such file"
refuses server.pem none.key "rest.tls_key: $work/none.key: No such file"
refuses folder server.key "rest.tls_certificate: $work/folder: Is a directory"
refuses server.pem '' 'rest.tls_certificate and rest.tls_key: give both, or none'
refuses '' server.key 'rest.tls_certificate and rest.tls_key: give both, or none'
refuses empty server.key "rest.tls_certificate: $work/empty: expected a certificate in PEM"
refuses cut.pem server.key "rest.tls_certificate: $work/cut.pem: expected a certificate in PEM"
refuses server.pem server.pem "rest.tls_key: $work/server.pem: expected a private key in PEM without a password"
refuses server.pem locked.key "rest.tls_key: $work/locked.key: expected a private key in PEM without a password"
refuses server.pem other.key "rest.tls_key: $work/other.key is not the key of the first certificate in $work/server.pem"
if [ "$(id -u)" != 0 ]; then
	chmod 000 other.key
	refuses server.pem other.key "rest.tls_key: $work/other.key: Permission denied"
fi

# ---- a gateway ----

# With TLS it may listen on all addresses.
begins()
{
	port=$((20000 + RANDOM % 12000))
	configure "0.0.0.0:$port" server.pem server.key
	armrestd --config tls.conf 2>log &
	gateway=$!
	wait_until 20 eval "grep -q 'listening on' log || ! kill -0 $gateway"
	grep -q "listening on 0.0.0.0:$port (TLS)" log
}
for _ in 1 2 3 4 5; do
	begins && break
done
is $? 0 'a gateway with TLS listens' || diag "$(cat log)"
url=https://127.0.0.1:$port

# secure [CURL OPTION]... PATH
secure()
{
	curl -sS -m 20 --cacert server.pem -H "Authorization: Bearer $token" "${@:1:$#-1}" "$url${!#}"
}
is "$(secure /livez)" ok 'a client that knows the certificate gets an answer'
is "$(secure /v1/cluster | jq -r .cluster)" dev 'a token works'
is "$(secure -d '{"wrap": "true", "job_set": "s", "output": "/dev/null"}' /v1/jobs | jq '.ids | length')" 1 'a job is submitted'
like "$(secure "/v1/queues/$(id -un)/job-sets/s/events?follow=0")" '^id: 1' 'a stream of events begins'
head -c 5000000 /dev/zero >large
is "$(secure -o /dev/null -w '%{http_code}' --data-binary @large /v1/jobs)" 413 'a body that is too large is refused'
run curl -sS -m 20 --cacert other.pem "$url/livez"
is "$status" 60 'a client that knows another certificate stops'
run curl -s -m 20 -H "Authorization: Bearer $token" "http://127.0.0.1:$port/v1/cluster"
ok 'a client without TLS gets no answer' [ "$status" != 0 ]
is "$out" '' '... and no text'
for version in tls1 tls1_1; do
	run timeout 20 openssl s_client -connect "127.0.0.1:$port" -$version -cipher 'ALL:@SECLEVEL=0' </dev/null
	unlike "$out" 'Cipher is (TLS|ECDHE)' "$version is refused"
done
for version in tls1_2 tls1_3; do
	run timeout 20 openssl s_client -connect "127.0.0.1:$port" -$version </dev/null
	like "$out" 'Cipher is (TLS|ECDHE)' "$version is accepted"
done
head -c 3000 /dev/urandom >"/dev/tcp/127.0.0.1/$port" 2>/dev/null
is "$(secure /livez)" ok 'it outlives bytes that are no TLS'
kill "$gateway"
wait "$gateway"
is $? 0 'it ends with SIGTERM'
gateway=
is "$(grep -c "${token#armt_}" log)" 0 'its log has no token'
done_testing
