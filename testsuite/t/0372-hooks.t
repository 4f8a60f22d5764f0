#!/bin/bash
# The site's programs: health check, prolog and epilog of jobs and tasks; their arguments and
# environment, the effect of a failure on the node, and which programs are refused.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs pgrep

mkdir -m 755 hooks && mkdir -m 777 theirs
for name in log env.{,task_}{pro,epi}log; do
	: >$name && chmod 666 $name
done

# hook NAME: a program that logs its job, and fails with the text of the file bad.NAME if that
# exists.
hook()
{
	cat >"hooks/$1" <<-X
		#!/bin/sh
		echo "$1 \$ARMADA_JOB_ID \$(id -u) \$*" >>$work/log
		env >$work/env.$1
		[ ! -e $work/bad.$1 ] || { cat $work/bad.$1; exit 3; }
		exit 0
	X
	chmod 755 "hooks/$1"
}
for name in prolog epilog task_prolog task_epilog; do
	hook $name
done
cat >hooks/health <<X
#!/bin/sh
[ ! -e $work/sick.\$ARMADA_NODE_NAME ] || { echo; cat $work/sick.\$ARMADA_NODE_NAME; exit 1; }
X
chmod 755 hooks/health
cat >hooks.conf <<X
agents = { heartbeat = "200ms"; node_timeout = "1s"; reconnect_max = "200ms"; avoid = "0"; };
hooks = {
	health_check = [ "$work/hooks/health" ];
	health_interval = "1s";
	prolog = [ "$work/hooks/prolog", "two words", "; echo" ];
	epilog = [ "$work/hooks/epilog" ];
	task_prolog = [ "$work/hooks/task_prolog" ];
	task_epilog = [ "$work/hooks/task_epilog" ];
	timeout = "2s";
};
X
test_under_armada 2 --cpus 4 --memory 4G --conf hooks.conf
me=$(id -u)

# logged ID: prints the hooks that ran for the job, in order.
logged()
{
	awk -v id="$1" '$2 == id { printf "%s%s", n++ ? " " : "", $1 }' log
}
state_of()
{
	anode --noheader --format state "$1" | tr -d ' '
}
is_state()
{
	[ "$(state_of "$1")" = "$2" ]
}
is_completed()
{
	[ "$(aqueue --noheader --state all --format state "$1" | tr -d ' ')" = COMPLETED ]
}
reason_of()
{
	anode --noheader --format reason "$1"
}

# ---- which hooks run, with which environment ----

EVIL=evil run asubmit --wait --parsable -w n1 -o out.1 --export=ALL,PATH=/evil,ARMADA_JOB_UID=0 --wrap true
id=$out
is "$status" 0 'a job with all hooks succeeds'
is "$(logged "$id")" 'prolog task_prolog task_epilog epilog' 'each hook ran once, in order'
is "$(grep "^prolog $id " log)" "prolog $id $me two words ; echo" 'arguments are passed unchanged'
is "$(sed 's/=.*//' env.prolog | grep -vxE 'PWD|SHLVL|_|OLDPWD' | sort | paste -sd ' ')" \
	'ARMADA_ATTEMPT ARMADA_HOOK ARMADA_JOB_ELEMENT ARMADA_JOB_GID ARMADA_JOB_ID ARMADA_JOB_NAME ARMADA_JOB_UID ARMADA_JOB_USER ARMADA_NODE_NAME PATH' \
	'the environment of a hook contains known variables only'
is "$(sed -n 's/^PATH=//p' env.prolog)" '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' 'PATH has a fixed value'
is "$(sed -n 's/^ARMADA_JOB_UID=//p' env.prolog)" "$me" "ARMADA_JOB_UID is the user's uid"
ok 'a task hook has the rank of its task' grep -qx ARMADA_TASK_RANK=0 env.task_prolog
ok "a task hook has nothing of the user's environment" test -z "$(grep -i evil env.task_prolog)"
run asubmit --wait --parsable -w n1 -n 3 --wrap true
is "$(logged "$out" | tr ' ' '\n' | sort | uniq -c | awk '{ printf "%s%s", $1, $2 }')" \
	'1epilog1prolog3task_epilog3task_prolog' 'three tasks on a node have one prolog and one epilog'
is "$(ls "$cluster/spool/n1/jobs")" '' 'the spool has no file of the jobs left'

if [ "$me" = 0 ]; then
	install -m 755 "$(command -v asubmit)" asubmit
	nobody=(setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups)
	run "${nobody[@]}" ./asubmit --wait --parsable -w n1 -D "$work/theirs" --wrap true
	uid=$(id -u nobody)
	is "$(grep -c "^task_.* $out $uid " log)" 2 "task hooks run as the job's user"
	is "$(grep -cE "^(prolog|epilog) $out 0 " log)" 2 'the other hooks run as root'
else
	skip 'only root can run jobs of other users'
	skip 'only root can run jobs of other users'
fi

# ---- failures ----

echo 'the disk is on fire' >bad.prolog
id=$(asubmit --parsable -w n1 -o out.2 --wrap 'echo ran')
ok 'a failing prolog drains its node' wait_until 20 is_state n1 drained
like "$(reason_of n1)" 'prolog: the disk is on fire \(exit code 3\)' 'the reason has the output of the prolog'
is "$(aqueue --noheader --format state "$id" | tr -d ' ')" PENDING 'the job is pending again'
ok 'the job has not run' test ! -e out.2
is "$(logged "$id")" 'prolog epilog' 'the epilog runs after a failed prolog'
second=$(asubmit --parsable -w n2 --wrap true)
ok 'the other node is drained too' wait_until 20 is_state n2 drained
acancel "$second" >/dev/null
rm bad.prolog
anode resume n1 n2 >/dev/null
ok 'the job runs when the nodes are resumed' wait_until 20 grep -qx ran out.2
# the epilog must be over before the next one is made to fail
ok 'the job completes' wait_until 20 is_completed "$id"

echo 'gpu does not reset' >bad.epilog
run asubmit --wait --parsable -w n1 --wrap 'exit 5'
is "$status" 5 'a failing epilog does not change the exit code of the job'
ok 'a failing epilog drains its node' wait_until 20 is_state n1 drained
like "$(reason_of n1)" 'epilog: gpu does not reset' 'the reason has the output of the epilog'
rm bad.epilog
anode resume n1 >/dev/null

echo 'no quota' >bad.task_prolog
run asubmit --wait --parsable -w n1 --wrap true
is "$status" 1 'a task whose prolog fails does not run'
like "$(actl show job "$out")" 'task_prolog: no quota' "the job's reason has the output of the task prolog"
is "$(state_of n1)" up 'a failing task prolog does not drain the node'
rm bad.task_prolog

# A hook that takes too long, and the processes that it starts.
cat >hooks/epilog <<X
#!/bin/sh
setsid sleep 987 & echo \$! >$work/left
sleep 986 & echo \$! >>$work/left
wait
X
started=$EPOCHREALTIME
run asubmit --wait --parsable -w n1 --wrap true
ok 'an epilog without end is killed and drains its node' wait_until 20 is_state n1 drained
like "$(reason_of n1)" 'epilog: it ran longer than 2 s' 'the reason names the time limit of the hook'
alive()
{
	local pid

	while read -r pid; do
		! kill -0 "$pid" 2>/dev/null || return 0
	done <left
	return 1
}
ok 'the epilog had started two processes' test "$(wc -l <left)" = 2
alive && gone=1 || gone=0
is $gone 0 'both were killed, whatever their session'
hook epilog
anode resume n1 >/dev/null

# A job that is cancelled during its prolog.
cat >hooks/prolog <<X
#!/bin/sh
touch $work/began
while [ ! -e $work/go ]; do sleep 0.02; done
X
id=$(asubmit --parsable -w n1 -o out.5 --wrap 'echo ran')
ok 'a prolog runs until the test allows it to end' wait_until 20 test -e began
acancel "$id" >/dev/null
touch go
ok 'the job ends when it is cancelled meanwhile' wait_until 20 job_ended "$id"
like "$(actl show job "$id")" 'CANCELLED' 'the job is cancelled'
ok 'its program has not started' test ! -e out.5
hook prolog

# ---- a killed shepherd ----

id=$(asubmit --parsable -w n1 -o out.4 --wrap 'echo up; sleep 600')
wait_until 20 grep -qx up out.4
kill -KILL "$(pgrep -P "$(cat "$cluster/n1.pid")" -x armd-shepherd)"
has_epilog()
{
	logged "$id" | grep -q 'prolog task_prolog epilog'
}
ok 'the epilog runs for a job whose shepherd was killed' wait_until 20 has_epilog
acancel "$id" >/dev/null
ok 'the job ends' wait_until 20 job_ended "$id"

cat >hooks/epilog <<X
#!/bin/sh
echo "epilog \$ARMADA_JOB_ID" >>$work/log
[ ! -e $work/hang ] || sleep 600
X
touch hang
id=$(asubmit --parsable -w n1 --wrap 'exit 6')
has_epilogs()
{
	[ "$(grep -c "^epilog $id" log)" -ge "$1" ]
}
ok 'an epilog hangs' wait_until 20 has_epilogs 1
rm hang
kill -KILL "$(pgrep -P "$(cat "$cluster/n1.pid")" -x armd-shepherd)"
ok 'the job has ended although the shepherd is killed during the epilog' wait_until 20 job_ended "$id"
like "$(actl show job "$id")" 'FAILED' 'the job has the result of its program'
ok 'the epilog runs again' wait_until 20 has_epilogs 2
nothing_left()
{
	[ -z "$(ls "$cluster/spool/n1/jobs")" ] &&
		[ -z "$(find /sys/fs/cgroup -name "armada-*-${id}_*" 2>/dev/null)" ]
}
ok 'nothing of the job is left in the spool and in the cgroups' wait_until 20 nothing_left
hook epilog

# ---- health ----

echo 'nfs is gone' >sick.n2
ok 'an unhealthy node is drained' wait_until 20 is_state n2 drained
like "$(reason_of n2)" 'health check: nfs is gone' 'the reason has the output of the health check'
is "$(state_of n1)" up 'the other node stays up'
rm sick.n2
ok 'the node is resumed when it is healthy again' wait_until 20 is_state n2 up
anode drain n2 'a new disk' >/dev/null
echo 'nfs is gone' >sick.n2
said()
{
	[ "$(grep -c "$2" "$cluster/log/$1.log")" -ge "$3" ]
}
ok 'the health check fails while an administrator has drained the node' wait_until 20 said n2 'unhealthy: health check' 2
rm sick.n2
ok 'the health check succeeds again' wait_until 20 said n2 'healthy again' 2
is "$(reason_of n2 | tr -s ' ')" "$(reason_of n2 | tr -s ' ' | grep 'a new disk')" 'the drain of the administrator and its reason are kept'

# ---- refusals ----

# refused PATTERN: armd refuses to start with the prolog hooks/wrong.
refused()
{
	run timeout 20 armd -f wrong.conf -N other --spool "$work/spool" --cpus 1 --memory 1G
	is "$status" 1 "$1: armd refuses to start"
	like "$err" "$1" 'the error says so'
}
sed "s|hooks/prolog|hooks/wrong|" "$cluster/armada.conf" >wrong.conf
refused "hooks: prolog $work/hooks/wrong: cannot find it"
cp hooks/task_prolog hooks/wrong
chmod 666 hooks/wrong
refused 'it is not an executable file'
chmod 777 hooks/wrong
refused 'users other than its owner can write to it \(mode 0777\)'
chmod 755 hooks/wrong
chmod 777 hooks
refused "users other than root can write to $work/hooks"
chmod 755 hooks
if [ "$me" = 0 ]; then
	chown nobody hooks/wrong
	refused 'it belongs to uid [0-9]+, not to root'
else
	skip 'only root can run jobs of other users'
	skip 'only root can run jobs of other users'
fi
sed "s|\"$work/hooks/prolog\"|\"prolog.sh\"|" "$cluster/armada.conf" >wrong.conf
refused 'the path must be absolute'

done_testing
