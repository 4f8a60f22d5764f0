#!/bin/bash
# On the controller's machine the kernel vouches for the peers of the Unix socket: commands work without
# munged, and each user has the own uid. A user whom the kernel does not know, a command without the socket,
# and a controller with trust_kernel = false need MUNGE. A socket of another user is refused.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs python3 setpriv

port=$(free_port)
cat >conf <<X
listen = "127.0.0.1:$port";
security = { min_uid = 0; allow_root_jobs = true; };
X
test_under_armada 1 --conf "$work/conf"
own=$cluster/armada.conf
munged_stop() { "$devcluster" kill "$cluster" munged; }
munged_start() { "$devcluster" restart "$cluster" munged; }

# A configuration that names the port of the controller, and a run_dir without its socket.
mkdir elsewhere
sed -e "s|^run_dir.*|run_dir = \"$work/elsewhere\";|" \
	-e "s|^controllers.*|controllers = [ \"127.0.0.1:$port\" ];|" "$own" >remote.conf

# A folder without plugins.
sed "s|^plugin_dir.*|plugin_dir = \"$work/elsewhere\";|" "$own" >bare.conf
sed "s|^plugin_dir.*|plugin_dir = \"$work/elsewhere\";|" remote.conf >bare-remote.conf
ARMADA_CONF=$work/bare.conf run aqueue
is "$status" 0 'on the socket no auth plugin is loaded' || diag "$err"
ARMADA_CONF=$work/bare-remote.conf run aqueue
is "$status" 1 'over TCP the command fails without the plugin'
like "$err" 'auth_munge' 'the error names it'

munged_stop
run asubmit --parsable --hold --wrap 'exit 0'
is "$status" 0 'a job is accepted without munged' || diag "$err"
job=$out
ARMADA_CONF=$work/remote.conf run aqueue
is "$status" 75 'over TCP munged is needed'
like "$err" 'munged does not answer' 'the error says so'

if [ "$(id -u)" -eq 0 ]; then
	mkdir bin
	install -m 755 "$(command -v asubmit)" "$(command -v aqueue)" "$(command -v acancel)" bin
	as() { setpriv --reuid "$1" --regid "$2" --clear-groups "${@:3}"; }
	run as 12345 12345 bin/aqueue --noheader --format job
	is "$status" 0 'an ordinary user needs no munged' || diag "$err"
	run as 12345 12345 bin/acancel "$job"
	is "$status" 4 'and is not taken for the owner of the job'
	like "$err" 'belongs to' 'the error says so'
	run as 65534 65534 bin/aqueue
	is "$status" 75 'a user with the number of unknown users needs munged'
	like "$err" 'munged does not answer' 'the error says so'
	run as 12345 65534 bin/aqueue
	is "$status" 75 'so does one with the group of unknown groups'

	# A socket that another user has put in the place of the controller's.
	install -d -o 12345 theirs
	python3 - theirs/armctld.sock >heard <<-'X' &
		import os, socket, sys
		s = socket.socket(socket.AF_UNIX)
		os.seteuid(12345)
		s.bind(sys.argv[1])
		s.listen(5)
		while True: print('heard %d bytes' % len(s.accept()[0].recv(100)), flush=True)
	X
	thief=$!
	at_exit='kill $thief'
	wait_until 10 test -S theirs/armctld.sock || diag 'no socket'
	sed "s|^run_dir.*|run_dir = \"$work/theirs\";|" remote.conf >theirs.conf
	munged_start
	ARMADA_CONF=$work/theirs.conf run aqueue
	is "$status" 0 'a socket of another user is passed over' || diag "$err"
	sed -i "s|^controllers.*|controllers = [ \"$work/theirs/armctld.sock\" ];|" theirs.conf
	ARMADA_CONF=$work/theirs.conf run aqueue
	is "$status" 4 'without another address the command fails'
	like "$err" 'a process of uid 12345 listens there' 'the error names its user'
	wait_until 10 grep -q heard heard || diag 'the other process has seen no connection'
	is "$(sort -u heard)" 'heard 0 bytes' 'nothing was sent to it'
else
	skip 'only root can be other users'
	munged_start
fi

ARMADA_CONF=$work/remote.conf run aqueue --noheader --format job
is "$out" "$job" 'with munged the job is seen over TCP'

munged_stop
echo 'trust_kernel = false;' >>"$own"
"$devcluster" restart "$cluster" armctld
run aqueue
is "$status" 75 'with trust_kernel = false the socket needs munged, too'
sed -i 's/^trust_kernel.*/trust_kernel = true;/' "$own"
run aqueue
is "$status" 75 'a command cannot choose otherwise'
like "$err" 'munged does not answer' 'the error says so'
munged_start
run aqueue --noheader --format job
is "$out" "$job" 'with munged the socket works'
done_testing
