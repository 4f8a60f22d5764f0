#!/bin/bash
# The identity of a task. The test creates real users and runs their jobs. It checks uid, groups, files,
# descriptors, privileges, umask, limits and environment; that a task cannot signal or inspect its shepherd;
# and that a user cannot make root change a file by replacing files of a job while it starts.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/users.sh"
users_needed "$@"
. "$ARMADA_SRCDIR/testsuite/lib/armada.sh"
needs pgrep ps

users_write "$work/users" \
	"ann:x:52001:52001:Ann:$work/home/ann:/bin/sh
bob:x:52002:52002:Bob:$work/home/bob:/bin/sh
eve:x:52003:52001:Eve:$work/home/eve:/bin/sh
svc:x:520:520:Service:$work/home/svc:/bin/sh" \
	'ann:x:52001:
bob:x:52002:
svc:x:520:
team:x:52100:ann,bob
hpc:x:52101:ann'
users_enter "$work/users" || skip_all '/etc cannot be covered here'
mkdir home bin
# a fast file system, in which a user could make hard links
mount -t tmpfs -o mode=755,size=64m none home || skip_all 'no tmpfs can be mounted here'
at_exit='umount -l "$work/home"'
for user in ann bob eve svc; do
	install -d -o $user -g "$(id -g $user)" -m 700 home/$user
done

cat >conf <<X
agents = { heartbeat = "200ms"; node_timeout = "2s"; reconnect_max = "200ms"; };
agent_user = "nobody";
security = { min_uid = 1000; allow_root_jobs = false; };
X
# The daemon of the node has limits of its own, and properties that a task must not inherit.
mkdir -p cluster/wrap
printf '%s\n' prlimit --nofile=700:700 --core=unlimited nice -n -3 >cluster/wrap/n1
export SECRET_OF_THE_DAEMON=1
test_under_armada 1 --cpus 8 --memory 8G --conf conf
unset SECRET_OF_THE_DAEMON
# Other users may not be able to enter the build tree.
install -m 755 "$(command -v asubmit)" "$(command -v actl)" "$(command -v acancel)" bin
PATH=$work/bin:$PATH

# job USER [asubmit option...]: runs a job in the user's home and waits; its output is in $text.
# $gid sets the group, as newgrp does.
gid=
job()
{
	local who=("$1") file=$work/home/$1/out user=$1

	shift
	rm -f "$file"
	[ -z "$gid" ] || who=(-g "$gid" "$user")
	run as "${who[@]}" asubmit --wait --quiet -D "$work/home/$user" -o out "$@"
	text=$(cat "$file" 2>/dev/null)
}
# field NAME: a field of /proc/self/status
field()
{
	sed -n "s/^$1:[[:space:]]*//p" <<<"$text" | tr -s '[:space:]' ' ' | sed 's/ $//'
}

# ---- uid and groups ----

for user in ann bob eve; do
	job $user -- cat /proc/self/status
	is "$status" 0 "a job of $user runs"
	n=$(id -u $user) g=$(id -g $user)
	is "$(field Uid)" "$n $n $n $n" "the uids of $user: real, effective, saved, file system"
	is "$(field Gid)" "$g $g $g $g" 'the gids are those of the user'
	is "$(field Groups)" "$(id -G $user | tr ' ' '\n' | sort -n | paste -sd ' ')" 'the supplementary groups are exactly those of the user'
	is "$(field Cap... | tr -d '0 ')" '' 'the task has no capability'
	is "$(field NoNewPrivs)" 1 'no_new_privs is set'
	# 32 and 33 belong to the C library: a process started by posix_spawn(), as by make, ignores
	# them
	is "$(field SigBlk) $((16#$(field SigIgn) & ~0x180000000))" '0000000000000000 0' \
		'no signal is blocked or ignored'
done
is "$(stat -c %U:%G home/ann/out)" ann:ann "the output file is the user's"
gid=52100
job ann -- id -g
is "$text" 52100 'a job submitted with another group of the user (newgrp) runs with that group'
is "$(stat -c %U:%G home/ann/out)" ann:team 'its output file has that group'
gid=52002
job ann -- id -g
is "$status" 4 'a submission with a foreign group is refused'
like "$err" "group 52002: ann is not a member of it" 'the error names the group'
gid=

# ---- descriptors, umask, environment ----

job ann -- ls /proc/self/fd
is "$(paste -sd ' ' <<<"$text")" '0 1 2 3' 'descriptors 0, 1 and 2 are open, and the one that reads the directory'
job ann -- ls -l /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2
like "$text" '/fd/0 -> /dev/null.*/fd/1 -> .*home/ann/out.*/fd/2 -> .*home/ann/out' 'the input is /dev/null, the output is the file'
job ann --wrap 'umask; touch made; stat -c %a made'
is "$text" $'0022\n644' 'the task has the umask of the submission'
run as ann bash -c 'umask 027; asubmit --wait --quiet -D ~ann -o out --wrap "umask; rm -f made; touch made; stat -c %a made"'
is "$(cat home/ann/out)" $'0027\n640' 'another umask is kept too'
job ann --umask=077 --wrap umask
is "$text" 0077 '--umask overrides the umask of the submission'
run as ann env -i PATH="$PATH" ARMADA_CONF="$ARMADA_CONF" FOO='a b' LD_PRELOAD= asubmit --wait --quiet -D ~ann -o out -- env
is "$(grep -v '^ARMADA_\|^OMP_NUM_THREADS=1$' home/ann/out | sort | paste -sd '|')" "FOO=a b|LD_PRELOAD=|PATH=$PATH" \
	'the environment is the captured one plus ARMADA_* and the number of threads'
is "$(tr '\0' '\n' <"/proc/$(cat "$cluster/n1.pid")/environ" | grep -c SECRET)" 1 'armd has a secret variable that the task does not have'
job ann -- nice
is "$text" 0 'the task does not inherit the niceness of armd'
is "$(ps -o ni= -p "$(cat "$cluster/n1.pid")" | tr -d ' ')" $(($(nice) - 3)) 'armd has a niceness'
job ann -- cat /proc/self/oom_score_adj
is "$text" 0 'the task does not inherit the oom_score_adj of armd'
job ann -- sh -c 'ps -o sid=,tty= -p $$ | tr -s " "; echo $$'
like "$text" '^ ?([0-9]+) \?
\1$' 'the task has a session of its own without a terminal'

# ---- limits ----

limits='ulimit -S -n; ulimit -S -c; ulimit -S -t; ulimit -S -s'
job ann --propagate=NONE -- bash -c "$limits"
is "$(paste -sd ' ' <<<"$text")" '700 0 unlimited 8192' 'without --propagate the soft limits are the defaults, at most those of armd'
run as ann bash -c "ulimit -S -n 333; ulimit -S -t 1000; ulimit -S -s 4096; asubmit --wait --quiet -D ~ann -o out -- bash -c '$limits'"
is "$(paste -sd ' ' <home/ann/out)" '333 0 1000 4096' 'the soft limits of the shell are propagated'
run as ann bash -c "ulimit -S -n 333; ulimit -S -t 1000; asubmit --propagate=cpu --wait --quiet -D ~ann -o out -- bash -c '$limits'"
is "$(paste -sd ' ' <home/ann/out)" '700 0 1000 8192' '--propagate=cpu propagates only that limit'
run as ann bash -c "ulimit -S -n 333; ulimit -S -t 1000; asubmit --propagate=ALL,-nofile --wait --quiet -D ~ann -o out -- bash -c '$limits; ulimit -H -n'"
is "$(cut -d' ' -f1 <home/ann/out | paste -sd ' ')" "700 0 1000 $(ulimit -S -s) 700" 'ALL,-nofile propagates all but one; the hard limit is that of armd'
for i in 1 2 3; do
	run as ann bash -c "ulimit -S -n 999; asubmit --wait --quiet -D ~ann -o out -- bash -c '$limits'"
done
is "$(head -n 1 home/ann/out)" 700 "a limit above armd's is reduced to that of armd"
is "$(grep -c 'tasks that request the limit nofile=999 get 700' "$cluster/log/n1.log")" 1 'the log of armd says so once'
job ann --propagate=files --wrap true
is "$status" 2 'an unknown limit is refused'
like "$err" "propagate: 'files' is not a limit; write ALL, NONE, or some of cpu" 'the error lists the known limits'

# ---- what a task cannot do ----

install -m 755 "$(command -v id)" bin/suid-id && chmod u+s bin/suid-id
if [ "$(as ann bin/suid-id -u)" = 0 ]; then
	job ann -- "$work/bin/suid-id" -u
	is "$text" 52001 'a setuid program gains nothing'
else
	skip 'this file system does not allow setuid programs'
fi
job ann --wrap 'kill -0 $PPID && echo alive; kill -KILL $PPID && echo killed
cat /proc/$PPID/environ && echo read; readlink /proc/$PPID/exe && echo seen; ls /proc/$PPID/fd && echo listed'
ok 'a task that attacks its shepherd fails' test "$status" -ne 0
unlike "$text" 'alive|killed|read|seen|listed' 'it can neither signal nor inspect the shepherd'
like "$text" 'Operation not permitted|Permission denied' 'the kernel refuses it'
rm -f home/bob/out
id=$(as bob asubmit --parsable -D ~bob -o out --wrap 'echo $$; exec sleep 600')
wait_until 20 test -s home/bob/out
other=$(cat home/bob/out)
job ann --wrap "kill -0 $other"
is "$status" 1 "a task cannot signal the task of another user"
run as ann acancel "$id"
is "$status" 4 'a user cannot cancel the job of another user'
acancel "$id" >/dev/null
run as ann asubmit --wait -D "$work/home/bob" -o /dev/null --wrap true
like "$err" 'cannot change to directory .*home/bob: Permission denied' 'a working directory is entered as the user'
job ann -o "$work/home/bob/x" --wrap true
is "$status" 1 'an output file is opened as the user'
is "$(ls home/bob)" out 'no file was made in the directory of another user'

# ---- refused users ----

job svc --wrap true
is "$status" 4 'users below min_uid are refused'
like "$err" 'users with an id below 1000 are not accepted here' 'the error names the smallest uid'
run asubmit -o /dev/null --wrap true
is "$status" 4 'jobs of root are refused'
like "$err" 'jobs of root are not accepted here \(security.allow_root_jobs' 'the error names the option'

job nobody -D / -o /dev/null --no-requeue --wrap true
is "$status" 1 'a node runs no task of the user of its own network process'
network=$(pgrep -P "$(cat "$cluster/n1.pid")" -u nobody)
text=$(cat "/proc/$network/status")
is "$(field Cap... | tr -d '0 ')$(field Groups)$(field NoNewPrivs)" 1 'the network process has no more privileges than a task'

# ---- root writes no file that a user puts in the place of an output file ----

cd home
echo precious >precious && chmod 600 precious && touch -d '2020-01-01' precious
ln precious ann/name && was=$(stat -c '%U %a %s %y' precious)
install -m 755 "$ARMADA_BUILDDIR/testsuite/drill/swaps" ../bin/swaps
# no function here: the signal must go to the program itself
setpriv --reuid ann --regid ann --init-groups ../bin/swaps "$work/home/ann" racing "$work/home/precious" "${ARMADA_SWAPS:-0}" >swapped &
racer=$!
run as ann asubmit --quiet --wait -D "$work/home/ann" -o racing -e racing -a "1-${ARMADA_RACES:-60}" -c 500m --mem 10M --wrap 'echo out'
ok 'jobs ran while their output file was replaced all the time' test "$status" -le 1
kill $racer
wait $racer
ok 'the output file was replaced often' test "$(cat swapped)" -gt 1000
is "$(stat -c '%U %a %s %y' precious)" "$was" "$(cat swapped) swaps of an output file: root's file is unchanged"
is "$(cat precious)" precious "root's file has its content"
is "$(find ann ! -name name ! -user ann ! -samefile precious)" '' "every file in the directory belongs to its user"
cd "$work"

done_testing
