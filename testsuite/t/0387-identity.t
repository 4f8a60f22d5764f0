#!/bin/bash
# Who a task is: jobs of several real users, made for this test. Identity, groups, files, descriptors,
# privileges, umask, limits, environment; what a task cannot do to its shepherd; and that root is not
# fooled by what a user does to the files of a job while it starts.
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
# fast, and in a file system with what a user could make a second name of
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
# A node whose daemon may give no more than this, and has what no task is to have.
mkdir -p cluster/wrap
printf '%s\n' prlimit --nofile=700:700 --core=unlimited nice -n -3 >cluster/wrap/n1
export SECRET_OF_THE_DAEMON=1
test_under_armada 1 --cpus 8 --memory 8G --conf conf
unset SECRET_OF_THE_DAEMON
# The build tree may be nobody else's to enter.
install -m 755 "$(command -v asubmit)" "$(command -v actl)" "$(command -v acancel)" bin
PATH=$work/bin:$PATH

# job USER [asubmit option...]: runs it in the user's home, waits; what it wrote is in $text. $gid: as newgrp.
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
# field NAME: of /proc/self/status
field()
{
	sed -n "s/^$1:[[:space:]]*//p" <<<"$text" | tr -s '[:space:]' ' ' | sed 's/ $//'
}

# ---- who it is ----

for user in ann bob eve; do
	job $user -- cat /proc/self/status
	is "$status" 0 "a job of $user runs"
	n=$(id -u $user) g=$(id -g $user)
	is "$(field Uid)" "$n $n $n $n" "as $user: real, effective, saved and of files"
	is "$(field Gid)" "$g $g $g $g" 'with their group'
	is "$(field Groups)" "$(id -G $user | tr ' ' '\n' | sort -n | paste -sd ' ')" 'and exactly their groups'
	is "$(field Cap... | tr -d '0 ')" '' 'no capability, now or to be had'
	is "$(field NoNewPrivs)" 1 'no new privileges'
	# 32 and 33 are the C library's own: who was started by its posix_spawn(), as by make, ignores them
	is "$(field SigBlk) $((16#$(field SigIgn) & ~0x180000000))" '0000000000000000 0' \
		'all signals as a program expects them'
done
is "$(stat -c %U:%G home/ann/out)" ann:ann "the output file is the user's"
gid=52100
job ann -- id -g
is "$text" 52100 'who submits with another group of theirs (newgrp) runs with that'
is "$(stat -c %U:%G home/ann/out)" ann:team 'and so are the files'
gid=52002
job ann -- id -g
is "$status" 4 'with a group that is none of theirs nothing is accepted'
like "$err" "group 52002, which you submit with, is none of ann's" 'in words'
gid=

# ---- what is open, and what is set ----

job ann -- ls /proc/self/fd
is "$(paste -sd ' ' <<<"$text")" '0 1 2 3' 'descriptors 0, 1 and 2 are open, and the one that reads the directory'
job ann -- ls -l /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2
like "$text" '/fd/0 -> /dev/null.*/fd/1 -> .*home/ann/out.*/fd/2 -> .*home/ann/out' 'input is empty, output the file'
job ann --wrap 'umask; touch made; stat -c %a made'
is "$text" $'0022\n644' 'the umask is that of the submission'
run as ann bash -c 'umask 027; asubmit --wait --quiet -D ~ann -o out --wrap "umask; rm -f made; touch made; stat -c %a made"'
is "$(cat home/ann/out)" $'0027\n640' 'whatever it is'
job ann --umask=077 --wrap umask
is "$text" 0077 'or what --umask says'
run as ann env -i PATH="$PATH" ARMADA_CONF="$ARMADA_CONF" FOO='a b' LD_PRELOAD= asubmit --wait --quiet -D ~ann -o out -- env
is "$(grep -v '^ARMADA_' home/ann/out | sort | paste -sd '|')" "FOO=a b|LD_PRELOAD=|PATH=$PATH" \
	'the environment is the one captured, and ARMADA_*'
is "$(tr '\0' '\n' <"/proc/$(cat "$cluster/n1.pid")/environ" | grep -c SECRET)" 1 'nothing of armd, which has a secret there'
job ann -- nice
is "$text" 0 'nor its niceness'
is "$(ps -o ni= -p "$(cat "$cluster/n1.pid")" | tr -d ' ')" -3 'which it has'
job ann -- cat /proc/self/oom_score_adj
is "$text" 0 'nor its protection'
job ann -- sh -c 'ps -o sid=,tty= -p $$ | tr -s " "; echo $$'
like "$text" '^ ?([0-9]+) \?
\1$' 'a session of its own, without a terminal'

# ---- limits ----

limits='ulimit -S -n; ulimit -S -c; ulimit -S -t; ulimit -S -s'
job ann --propagate=NONE -- bash -c "$limits"
is "$(paste -sd ' ' <<<"$text")" '700 0 unlimited 8192' 'limits of its own: at most what armd can give, no core files'
run as ann bash -c "ulimit -S -n 333; ulimit -S -t 1000; ulimit -S -s 4096; asubmit --wait --quiet -D ~ann -o out -- bash -c '$limits'"
is "$(paste -sd ' ' <home/ann/out)" '333 0 1000 4096' 'those of the shell go along'
run as ann bash -c "ulimit -S -n 333; ulimit -S -t 1000; asubmit --propagate=cpu --wait --quiet -D ~ann -o out -- bash -c '$limits'"
is "$(paste -sd ' ' <home/ann/out)" '700 0 1000 8192' 'or those that are named'
run as ann bash -c "ulimit -S -n 333; ulimit -S -t 1000; asubmit --propagate=ALL,-nofile --wait --quiet -D ~ann -o out -- bash -c '$limits; ulimit -H -n'"
is "$(cut -d' ' -f1 <home/ann/out | paste -sd ' ')" "700 0 1000 $(ulimit -S -s) 700" 'all but one; the hard limit is that of armd'
for i in 1 2 3; do
	run as ann bash -c "ulimit -S -n 999; asubmit --wait --quiet -D ~ann -o out -- bash -c '$limits'"
done
is "$(head -n 1 home/ann/out)" 700 'what armd cannot give is as much as it can'
is "$(grep -c 'tasks that ask for the limit nofile of 999 get 700' "$cluster/log/n1.log")" 1 'and its log says so once'
job ann --propagate=files --wrap true
is "$status" 2 'what is no limit is refused'
like "$err" 'propagate: "files" is no limit; write ALL, NONE, or some of cpu' 'with those that there are'

# ---- what it cannot do ----

install -m 755 "$(command -v id)" bin/suid-id && chmod u+s bin/suid-id
if [ "$(as ann bin/suid-id -u)" = 0 ]; then
	job ann -- "$work/bin/suid-id" -u
	is "$text" 52001 'a setuid program gives nothing'
else
	skip 'this file system has no setuid programs'
fi
job ann --wrap 'kill -0 $PPID && echo alive; kill -KILL $PPID && echo killed
cat /proc/$PPID/environ && echo read; readlink /proc/$PPID/exe && echo seen; ls /proc/$PPID/fd && echo listed'
ok 'a task that turns on its shepherd fails' test "$status" -ne 0
unlike "$text" 'alive|killed|read|seen|listed' 'can neither signal it nor look into it'
like "$text" 'Operation not permitted|Permission denied' 'for the kernel does not let it'
rm -f home/bob/out
id=$(as bob asubmit --parsable -D ~bob -o out --wrap 'echo $$; exec sleep 600')
wait_until 20 test -s home/bob/out
other=$(cat home/bob/out)
job ann --wrap "kill -0 $other"
is "$status" 1 "nor the task of another user"
run as ann acancel "$id"
is "$status" 4 'whose job it may not cancel either'
acancel "$id" >/dev/null
run as ann asubmit --wait -D "$work/home/bob" -o /dev/null --wrap true
like "$err" 'cannot change to directory .*home/bob: Permission denied' 'a directory is entered as the user'
job ann -o "$work/home/bob/x" --wrap true
is "$status" 1 'and files are opened as the user'
is "$(ls home/bob)" out 'so nothing is made in that of another'

# ---- who may not ----

job svc --wrap true
is "$status" 4 'users below min_uid are refused'
like "$err" 'users with an id below 1000 are not accepted here' 'in words'
run asubmit -o /dev/null --wrap true
is "$status" 4 'so is root'
like "$err" 'jobs of root are not accepted here \(security.allow_root_jobs' 'in words'

job nobody -D / -o /dev/null --no-requeue --wrap true
is "$status" 1 'nor does a node run tasks of a user whom one of its daemons runs as'
network=$(pgrep -P "$(cat "$cluster/n1.pid")" -u nobody)
text=$(cat "/proc/$network/status")
is "$(field Cap... | tr -d '0 ')$(field Groups)$(field NoNewPrivs)" 1 'of whom the network process has no more than a task'

# ---- root is not fooled (B6) ----

cd home
echo precious >precious && chmod 600 precious && touch -d '2020-01-01' precious
ln precious ann/name && was=$(stat -c '%U %a %s %y' precious)
install -m 755 "$ARMADA_BUILDDIR/testsuite/drill/swaps" ../bin/swaps
# not by way of a function: what is killed must be it
setpriv --reuid ann --regid ann --init-groups ../bin/swaps "$work/home/ann" racing "$work/home/precious" "${ARMADA_SWAPS:-0}" >swapped &
racer=$!
run as ann asubmit --quiet --wait -D "$work/home/ann" -o racing -e racing -a "1-${ARMADA_RACES:-60}" -c 500m --mem 10M --wrap 'echo out'
ok 'jobs whose output file is anything at any moment were run' test "$status" -le 1
kill $racer
wait $racer
ok 'the swaps were many' test "$(cat swapped)" -gt 1000
is "$(stat -c '%U %a %s %y' precious)" "$was" "$(cat swapped) swaps of an output file: root's file is as it was"
is "$(cat precious)" precious 'with what was in it'
is "$(find ann ! -name name ! -user ann ! -samefile precious)" '' "and nothing in the directory is anybody else's"
cd "$work"

done_testing
