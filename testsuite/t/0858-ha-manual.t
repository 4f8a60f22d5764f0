#!/bin/bash
# The way from one controller to three, as armada-ha(7) prints it: its armada.conf and its commands, in their order,
# with the files of etc/. Three hosts are three names here. Their addresses become ports of loopback, and their
# directories become directories of the test; scp, chown, runuser and systemctl act on these.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/redis.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/failover.sh"

command -v redis-server >/dev/null && command -v redis-cli >/dev/null &&
	[ -e "$ARMADA_BUILDDIR/plugins.d/state_redis.so" ] ||
	skip_all 'redis-server, or the plugin state/redis, is not there'

page=$ARMADA_SRCDIR/man/armada-ha.7
test_under_armada 1
"$devcluster" kill "$cluster" armctld
"$devcluster" kill "$cluster" n1

# Prints the indented examples of a section: the lines between .nf and .fi, and an empty line behind each.
examples()
{
	awk -v section="$1" '
		/^\.SH / { in_it = substr($0, 5) == section }
		/^\.fi/ && shown { print ""; shown = 0 }
		shown { gsub(/\\-/, "-"); print }
		/^\.nf/ && in_it { shown = 1 }' "$page"
}

# example N SECTION: the Nth of them.
example()
{
	examples "$2" | awk -v n="$1" 'BEGIN { RS = "" } NR == n'
}

section='FROM ONE CONTROLLER TO THREE'
is "$(examples "$section" | awk 'BEGIN { RS = "" } END { print NR }')" 4 'the way has four examples'

# ---- step 1: the files of etc/, with the lines of EXAMPLE changed ----

mapfile -t -O 1 ports < <(redis_free_ports 6)
mapped=()
for i in 1 2 3; do
	mapped+=(-e "s/192\.0\.2\.1$i:6379/127.0.0.1:${ports[i]}/" -e "s/192\.0\.2\.1$i:26379/127.0.0.1:${ports[i + 3]}/")
	mkdir -p -m 700 "$work/ctl$i/redis" "$work/ctl$i/sentinel" "$work/ctl$i/state" "$work/ctl$i/run"
done
password=$(head -c 18 /dev/urandom | base64 | tr -d /+)
(umask 077 && echo "$password" >redis.password)
sed "s/EXAMPLE-[A-Z]*/$password/" "$ARMADA_SRCDIR/etc/redis-users.acl" >users.acl
redis_pids=()

# server I: the configuration of the Ith machine, and its start.
server()
{
	sed -e "s/^bind .*/bind 127.0.0.1/; s/^port .*/port ${ports[$1]}/; s|^dir .*|dir $work/ctl$1/redis|" \
		-e "s|^aclfile .*|aclfile $work/users.acl|; s/EXAMPLE-[A-Z]*/$password/" \
		"$ARMADA_SRCDIR/etc/redis.conf" >"ctl$1/redis.conf"
	[ "$1" = 1 ] || sed -i "s/^# replicaof .*/replicaof 127.0.0.1 ${ports[1]}/" "ctl$1/redis.conf"
	"$ARMADA_SRCDIR/etc/redis-start" "$work/ctl$1/sentinel.conf" redis-server "$work/ctl$1/redis.conf" \
		>"ctl$1/redis.log" 2>&1 </dev/null &
	redis_pids+=($!)
}

sentinel()
{
	sed -e "s/^bind .*/bind 127.0.0.1/; s/^port .*/port ${ports[$1 + 3]}/; s|^dir .*|dir $work/ctl$1/sentinel|" \
		-e "s/192\.0\.2\.11 6379/127.0.0.1 ${ports[1]}/; s/EXAMPLE-[A-Z]*/$password/" \
		"$ARMADA_SRCDIR/etc/redis-sentinel.conf" >"ctl$1/sentinel.conf"
	redis-server "$work/ctl$1/sentinel.conf" --sentinel >"ctl$1/sentinel.log" 2>&1 </dev/null &
	redis_pids+=($!)
}

# The commands run in subshells, so the controllers are no children of this one.
: >pids
none_left()
{
	local pid

	for pid in $(cat "$work/pids"); do
		! kill -0 "$pid" 2>/dev/null || return
	done
}
end_all()
{
	kill $(cat "$work/pids") 2>/dev/null
	wait_until 20 none_left || kill -KILL $(cat "$work/pids") 2>/dev/null
	redis_stop
}
at_exit=end_all

for i in 1 2 3; do
	server $i && sentinel $i
done
store_stands()
{
	local i

	[ "$(redis-cli -p "${ports[1]}" --user armada --pass "$password" --no-auth-warning info replication |
		grep -c state=online)" -eq 2 ] || return
	for i in 4 5 6; do
		[ "$(redis-cli -p "${ports[i]}" sentinel ckquorum armada | cut -c1-2)" = OK ] || return
	done
}
ok 'the servers and sentinels of etc/ find each other' wait_until 60 store_stands || diag "$(cat ctl?/*.log)"

# ---- step 2: armada.conf ----

# The lines of this page take the place of those of the one controller.
{
	sed -n '/^\(controllers\|plugins\|state_dir\|run_dir\|auth\|listen\)\b/!p' "$cluster/armada.conf"
	example 1 "$section" | sed "${mapped[@]}" -e "s|ctl\([123]\):6870|$work/ctl\1/listen.sock|g" \
		-e "s|/etc/armada/redis.password|$work/redis.password|" \
		-e "s|plugins = {|plugins = { auth = { name = \"munge\"; socket = \"$cluster/munge/s\"; };|"
	echo "state_dir = \"$work/%n/state\";"
	echo "run_dir = \"$work/%n/run\";"
} >armada.conf
export ARMADA_CONF=$work/armada.conf

# ---- steps 3 to 5: the commands ----

host=ctl1
# runuser -u armada -- COMMAND...
runuser()
{
	[ "$1 $2 $3" = '-u armada --' ] || return 2
	shift 3
	"$@"
}
path_here()
{
	echo "${1/#\/var\/lib\/armada/$work/$host}"
}
scp()
{
	local from=${2#*:}

	[ "$1" = -p ] || return 2
	cp -p "$work/${2%%:*}/${from#/var/lib/armada/}" "$(path_here "$3")"
}
chown()
{
	[ "$1" = armada: ] && [ -O "$(path_here "$2")" ]
}
systemctl()
{
	case $* in
	'start armctld') ;;
	'restart armctld')
		kill "$(cat "$host/pid")" || return
		wait_until 30 has_ended "$(cat "$host/pid")" || return
		;;
	*) return 2 ;;
	esac
	armctld --foreground --name "$host" >"$host/log" 2>&1 </dev/null &
	echo $! | tee -a "$work/pids" >"$host/pid"
}
has_ended()
{
	! kill -0 "$1" 2>/dev/null
}

# step N HOST [TO]: runs the lines of an example on a machine, as they are printed.
step()
{
	local line

	host=$2
	while read -r line; do
		eval "$line" >out 2>&1 </dev/null || { cat out && return 1; }
	done < <(example "$1" "$section" | sed -n "${3:-1,\$}p")
}

ok 'the state is made on ctl1' step 2 ctl1
ok 'which has the order key' test -s ctl1/state/order.key
ok 'it is copied to ctl2' step 3 ctl2
ok 'it is copied to ctl3' step 3 ctl3
ok 'which then has the key of ctl1' cmp ctl1/state/order.key ctl3/state/order.key
for h in ctl1 ctl2 ctl3; do
	ok "armctld starts on $h" step 4 $h 1
done
ok 'one controller leads, and two stand by' wait_until 60 all_stand || diag "$(tail -n 3 ctl?/log)"
ok 'the next command answers, too' step 4 ctl1 2
run asubmit --parsable --hold --wrap true
is "$status" 0 'a job is accepted' || diag "$err"
job=$out

# ---- maintenance ----

lead_of()
{
	[ "$(leader)" = "$1" ]
}
if lead_of ctl2; then
	ok 'the lead goes to another controller' actl takeover ctl1
	wait_until 30 lead_of ctl1
	wait_until 30 all_stand
fi
line=$(example 1 MAINTENANCE)
is "$line" 'actl takeover ctl2' 'the page says how to give the lead to ctl2'
ok 'the command of the page is accepted' eval "$line"
ok 'then ctl2 leads' wait_until 30 lead_of ctl2
ok 'and the others stand by' wait_until 30 all_stand
like "$(aqueue --noheader --format job,state)" "$job *PENDING" 'the job is still there'

# ---- an upgrade, one controller after the other ----

is "$(examples UPGRADE | grep -c .)" 4 'the upgrade is four commands'
# A job that is submitted meanwhile waits for the next leader at most.
upgrade_step()
{
	local line

	host=$2
	line=$(example "$1" UPGRADE)
	# the heir may have been silent for a moment, and then the lead is not given to it
	ok "$2: $line" wait_until 30 eval "$line >out 2>&1" || diag "$(cat out)"
	ok 'one controller leads, and two stand by' wait_until 60 all_stand || diag "$(tail -n 3 ctl?/log)"
	run asubmit --parsable --hold --wrap true
	is "$status" 0 'a job is accepted' || diag "$err"
	echo "$out" >>jobs
}
if lead_of ctl2; then
	ok 'ctl1 leads before the upgrade' actl takeover ctl1
	wait_until 30 lead_of ctl1
	wait_until 30 all_stand
fi
upgrade_step 1 ctl2
upgrade_step 2 ctl3
upgrade_step 3 ctl1
ok 'after the command ctl2 leads' wait_until 30 lead_of ctl2
upgrade_step 4 ctl1
is "$(aqueue --noheader --format job,state | grep -cFf jobs)" "$(wc -l <jobs)" 'all jobs are there'
unlike "$(actl ping)" 'another one' 'and no controller has another release or configuration'

# ---- a copy that does not come back ----

mapfile -t lines < <(examples DESCRIPTION | grep '^actl copies' | sed "${mapped[@]}")
is "${#lines[@]}" 3 'the page says how to take a copy out, and back'
ok "${lines[0]% *}: the copies are listed" eval "${lines[0]}"
ok 'the copy is taken out' eval "${lines[1]}"
ok 'and taken back' eval "${lines[2]}"
done_testing
