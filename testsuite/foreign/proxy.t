#!/bin/bash
# The gateway behind nginx and HAProxy, which keep connections to it and share them between clients. Requests whose
# end two programs could see at different places are sent through them, each with a second request hidden in its
# body. Where the proxy finds that the body ends before it, the hidden request is an ordinary second one. Nothing is
# smuggled if each job was submitted by a request that the proxy saw, a client gets no more answers than the proxy
# knows of, and other clients of the same connections get the answers to their own requests.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/foreign.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/rest.sh"
foreign nginx haproxy

test_under_armada 1 --rest
token=$(actl token create | tail -n 1)
gateway=${ARMADA_REST_URL#http://}
pids=
# shellcheck disable=SC2016
at_exit='[ -z "$pids" ] || kill $pids; wait'

# Both pass bodies as they come, keep their connections, and log each request that they see.
configure_nginx()
{
	mkdir -p nginx
	cat >nginx.conf <<-END
	daemon off; master_process off; pid $work/nginx/pid;
	error_log $work/nginx/error.log;
	events { worker_connections 200; }
	http {
		access_log $work/nginx/access.log;
		client_body_temp_path $work/nginx/a; proxy_temp_path $work/nginx/b; fastcgi_temp_path $work/nginx/c;
		uwsgi_temp_path $work/nginx/d; scgi_temp_path $work/nginx/e;
		upstream gateway { server $gateway; keepalive 4; }
		server {
			listen 127.0.0.1:$port;
			location / {
				proxy_pass http://gateway; proxy_http_version 1.1; proxy_set_header Connection "";
				proxy_request_buffering off; proxy_buffering off; proxy_read_timeout 300s;
			}
		}
	}
	END
}

configure_haproxy()
{
	mkdir -p haproxy
	cat >haproxy.cfg <<-END
	global
		log stdout format raw local0
	defaults
		mode http
		log global
		option httplog
		timeout client 60s
		timeout server 60s
		timeout connect 10s
		http-reuse always
	frontend clients
		bind 127.0.0.1:$port
		option accept-invalid-http-request
		default_backend gateway
	backend gateway
		server one $gateway
	END
}

start_nginx()
{
	nginx -p "$work/nginx" -e "$work/nginx/error.log" -c "$work/nginx.conf" >nginx/errors 2>&1 &
}

start_haproxy()
{
	haproxy -db -f haproxy.cfg >haproxy/access.log 2>haproxy/errors &
}

# begins PROXY: on a free port
begins()
{
	local pid i

	for i in 1 2 3; do
		free_port
		"configure_$1"
		"start_$1"
		pid=$!
		wait_until 20 eval "listens $port || ! kill -0 $pid"
		kill -0 "$pid" 2>/dev/null && pids+=" $pid" && return
	done
	return 1
}

# raw TEXT: $answers, the number of answers on one connection until it is silent for a second
raw()
{
	local line conn status='HTTP/1\.[01] [1-5][0-9][0-9] '

	answers=0
	exec {conn}<>"/dev/tcp/127.0.0.1/$port"
	# shellcheck disable=SC2059
	(printf "$1" >&"$conn") 2>/dev/null
	while IFS= read -rt 1 line <&"$conn"; do
		! [[ $line =~ $status ]] || answers=$((answers + 1))
	done
	exec {conn}<&-
}

jobs()
{
	aqueue --json --state all 2>/dev/null | jq '.jobs | length'
}

through()
{
	curl -s -m 20 "http://127.0.0.1:$port$1" "${@:2}"
}

job='{"wrap": "true", "hold": true, "output": "/dev/null"}'
auth="Host: x\r\nAuthorization: Bearer $token\r\n"
hidden="POST /v1/jobs HTTP/1.1\r\n${auth}Content-Length: ${#job}\r\n\r\n$job"
size=$(printf '%s' "$hidden" | sed 's/\\r\\n/../g' | wc -c)
chunks="5\r\n{\"a\":\r\n0\r\n\r\n"
post="POST /v1/jobs HTTP/1.1\r\n$auth"
get="GET /v1/cluster HTTP/1.1\r\n$auth"

# requests: the number of requests that the proxy has seen; submissions: of those that submitted a job
requests()
{
	wc -l <"$proxy/access.log"
}

submissions()
{
	tail -n +$(($1 + 1)) "$proxy/access.log" | grep -cE 'POST /v1/jobs.* 201 | 201 .*POST /v1/jobs'
}

# attack WHAT REQUEST: counts of jobs, of answers and of other clients
attack()
{
	local before seen i others=

	before=$(jobs)
	seen=$(requests)
	raw "$2"
	# clients whose requests follow on the same connections
	for i in 1 2 3 4 5 6; do
		others+=$(through /livez)
	done
	wait_until 10 eval "[ \$(requests) -ge $((seen + 6)) ]"
	is "$(jobs)" $((before + $(submissions "$seen"))) "$proxy: $1: no job that the proxy did not see"
	is "$others" okokokokokok '... other clients get their own answers'
	ok '... and this one no answer to a request that the proxy did not see' \
		[ "$answers" -le $(($(requests) - seen - 6)) ]
}

for proxy in nginx haproxy; do
	begins $proxy
	is $? 0 "$proxy starts" || { diag "$(cat $proxy/errors)" && continue; }
	is "$(through /livez)" ok "$proxy: an answer passes"
	is "$(through /v1/jobs -H "Authorization: Bearer $token" -d "$job" | jq '.ids | length')" 1 "$proxy: a job is submitted"
	is "$(through /v1/jobs -H "Authorization: Bearer $token" -H 'Transfer-Encoding: chunked' -d "$job" | jq '.ids | length')" 1 \
		"$proxy: also with a body in pieces"
	through "/v1/jobs" -H "Authorization: Bearer $token" -d '{"wrap": "true", "hold": true, "job_set": "s", "output": "/dev/null"}' >/dev/null
	like "$(through "/v1/queues/$(id -un)/job-sets/s/events?follow=0" -H "Authorization: Bearer $token")" '^id: 1' \
		"$proxy: events pass"
	while IFS='|' read -r what request; do
		attack "$what" "$request"
	done <<END
both lengths|${post}Content-Length: $((size + 14))\r\nTransfer-Encoding: chunked\r\n\r\n$chunks$hidden
both lengths, in the other order|${post}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n$chunks$hidden
a short length, and pieces|${post}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n5c\r\n$hidden\r\n0\r\n\r\n
two lengths|${post}Content-Length: 2\r\nContent-Length: $((size + 2))\r\n\r\n{}$hidden
two lengths in one line|${post}Content-Length: 2, $((size + 2))\r\n\r\n{}$hidden
a length with a sign|${post}Content-Length: +$((size + 2))\r\n\r\n{}$hidden
a length that is no number|${post}Content-Length: 2x\r\n\r\n{}$hidden
a length of 0 and a body|${post}Content-Length: 0\r\nContent-Length : $size\r\n\r\n$hidden
a space before the colon|${post}Content-Length: $((size + 14))\r\nTransfer-Encoding : chunked\r\n\r\n$chunks$hidden
a folded encoding|${post}Content-Length: $((size + 14))\r\nTransfer-Encoding:\r\n chunked\r\n\r\n$chunks$hidden
a folded header before it|${post}X: y\r\n Transfer-Encoding: chunked\r\nContent-Length: $((size + 14))\r\n\r\n$chunks$hidden
a line feed alone before the encoding|${post}Content-Length: $((size + 14))\r\nX: y\nTransfer-Encoding: chunked\r\n\r\n$chunks$hidden
a carriage return alone before it|${post}Content-Length: $((size + 14))\r\nX: y\rTransfer-Encoding: chunked\r\n\r\n$chunks$hidden
a tab before the encoding|${post}Content-Length: $((size + 14))\r\nTransfer-Encoding:\t chunked\r\n\r\n$chunks$hidden
a vertical tab before it|${post}Content-Length: $((size + 14))\r\nTransfer-Encoding: \vchunked\r\n\r\n$chunks$hidden
an unknown encoding|${post}Content-Length: $((size + 14))\r\nTransfer-Encoding: xchunked\r\n\r\n$chunks$hidden
two encodings|${post}Content-Length: $((size + 14))\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n$chunks$hidden
a list of encodings|${post}Content-Length: $((size + 14))\r\nTransfer-Encoding: identity, chunked\r\n\r\n$chunks$hidden
line feeds alone|POST /v1/jobs HTTP/1.1\nHost: x\nContent-Length: 2\nTransfer-Encoding: chunked\n\n{}$hidden
a piece with a sign|${post}Transfer-Encoding: chunked\r\n\r\n+5\r\n{"a":\r\n0\r\n\r\n$hidden!
a piece with 0x|${post}Transfer-Encoding: chunked\r\n\r\n0x5\r\n{"a":\r\n0\r\n\r\n$hidden!
a piece of 68 bits|${post}Transfer-Encoding: chunked\r\n\r\n10000000000000005\r\n{"a":\r\n0\r\n\r\n$hidden!
a line feed in an extension|${post}Transfer-Encoding: chunked\r\n\r\n2;\nxx\r\n5c\r\n0\r\n\r\n$hidden
a length in a GET|${get}Content-Length: 0\r\nContent-Length: $size\r\n\r\n$hidden
a length that the connection owns|${post}Connection: Content-Length\r\nContent-Length: $((size + 2))\r\n\r\n{}$hidden!
a line break in the path|GET /livez?x=%%0d%%0aContent-Length:%%20$size%%0d%%0a HTTP/1.1\r\nHost: x\r\n\r\n
a null byte in a header|${post}Content-Length: $((size + 14))\r\nX: \0\r\nTransfer-Encoding: chunked\r\n\r\n$chunks$hidden
END
done
is "$(curl -s "$ARMADA_REST_URL/livez")" ok 'the gateway goes on'
done_testing
