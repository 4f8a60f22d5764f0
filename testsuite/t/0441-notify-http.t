#!/bin/bash
# notify/http against a server of the test's own: an end is given again until the server accepts it.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
has python3 jq || skip_all "$missing"
[ -f "$ARMADA_BUILDDIR/plugins.d/notify_http.so" ] || skip_all 'notify/http is not built: package libcurl4-openssl-dev'

cat >server.py <<'END'
import http.server
# Refuses the first request; keeps the others.
count = 0
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_POST(self):
        global count
        count += 1
        body = self.rfile.read(int(self.headers['Content-Length']))
        status = 503 if count == 1 else 200
        if status == 200:
            with open('ends', 'ab') as f:
                f.write(body + b' ' + self.headers['Content-Type'].encode() + b'\n')
        self.send_response(status)
        self.send_header('Content-Length', '0')
        self.end_headers()
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
with open('port.new', 'w') as f:
    f.write(str(server.server_port))
import os
os.rename('port.new', 'port')
server.serve_forever()
END
python3 server.py &
server=$!
at_exit="kill $server"
ok 'a server listens' wait_until 20 test -s port
conf=$work/extra.conf
printf 'notify = ( { name = "web"; plugin = "http"; target = "http://127.0.0.1:%s/ends"; timeout = "5s"; } );\n' \
	"$(cat port)" >"$conf"
test_under_armada 1 --cpus 2 --memory 2G --conf "$conf"

first=$(asubmit --parsable --output /dev/null --wrap 'exit 3')
got()
{
	grep -q "\"job\":$1,.*} application/json$" ends 2>/dev/null
}
ok 'an end comes, although the first request was refused' wait_until 30 got "$first"
ok 'the refusal is in the log' grep -q 'notify web: the server answered with status 503' "$cluster/log/armctld.log"
second=$(asubmit --parsable --output /dev/null --wrap true)
ok 'the next end comes, too' wait_until 30 got "$second"
is "$(sed 's/ application.*//' ends | jq .job | tr '\n' ' ')" "$first $second " 'each once, in order'
is "$(actl show notify --json | jq -r '.notify[].error')" '' 'actl show notify has no error'
done_testing
