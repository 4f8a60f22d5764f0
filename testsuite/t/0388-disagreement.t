#!/bin/bash
# Nodes whose user database differs from the controller's: another uid, another group, an unknown
# user, fewer groups, users that only the node refuses, and a failing step of the change of
# identity. Such a task does not run there; its job runs on another node, and is not retried for
# ever.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/users.sh"
users_needed "$@"
. "$ARMADA_SRCDIR/testsuite/lib/armada.sh"

user()
{
	echo "$1:x:$2:$3:$1:$work/home/$1:/bin/sh"
}
groups='team:x:52100:dora
hpc:x:52101:dora
lab:x:52102:'
users_write "$work/there" "$(user ann 52001 52001; user bob 52002 52002; user carl 52003 52003; user dora 52004 52004; user svc 520 520)" \
	"$groups"$'\nann:x:52001:\nbob:x:52002:\ncarl:x:52003:\ndora:x:52004:\nsvc:x:520:'
users_write "$work/here" "$(user ann 53001 52001; user carl 52003 53003; user dora 52004 52004; user svc 520 520; user zoe 52001 52001)" \
	$'team:x:52100:dora\nlab:x:52102:dora\nann:x:52001:\ncarl:x:53003:\ndora:x:52004:\nsvc:x:520:'
users_elsewhere "$work/here" "$work/in-here"
users_enter "$work/there" || skip_all '/etc cannot be covered here'
# the namespace must not depend on the files outside: sysusers replaces them
mkfifo go
"$work/in-here" sh -c 'echo ready; read -r _; id -u ann' <>go >other &
other=$!
wait_until 20 grep -q ready other
cp /etc/passwd /etc/passwd+ && mv /etc/passwd+ /etc/passwd
echo >go
wait $other
is "$(tail -n 1 other)" 53001 'another namespace keeps its users'
mkdir home bin
for user in ann bob carl dora svc; do
	install -d -o $user -g "$(id -g $user)" -m 755 home/$user
done

cat >conf <<X
agents = { heartbeat = "200ms"; node_timeout = "2s"; reconnect_max = "200ms"; avoid = "1m"; drain_after = 3; };
security = { min_uid = 500; allow_root_jobs = true; };
X
mkdir -p cluster/wrap
echo "$work/in-here" >cluster/wrap/n2
# the capability that dropping capabilities needs
printf '%s\n' setpriv --bounding-set -setpcap >cluster/wrap/n3
test_under_armada 4 --cpus 4 --memory 4G --conf conf
install -m 755 "$(command -v asubmit)" bin
PATH=$work/bin:$PATH

# n4 has its own, stricter configuration.
sed 's/min_uid = 500; allow_root_jobs = true/min_uid = 1000; allow_root_jobs = false; groups = "controller"/' \
	"$cluster/armada.conf" >strict.conf
sed -i "s|^--config=.*|--config=$work/strict.conf|" "$cluster/nodes/n4"
"$devcluster" restart "$cluster" n4 || bail 'n4 does not start again'
is_up()
{
	[ "$(anode --noheader --format state "$1" | tr -d ' ')" = up ]
}
wait_until 20 is_up n4 || bail 'n4 does not come back'

# try USER NODE [option...]: one attempt on that node.
try()
{
	rm -f "$work/home/$1/out"
	run as "$1" timeout 60 asubmit --wait --no-requeue -D "$work/home/$1" -o out -w "$2" "${@:3}" --wrap 'id -u; id -G'
	text=$(cat "$work/home/$1/out" 2>/dev/null)
}
# not_there USER NODE WORDS WHAT: the job fails on that node
not_there()
{
	try "$1" "$2"
	is "$status" 1 "$4: the job fails on the node"
	like "$err" "$3" 'the error names both values'
	ok 'the task has not run' test ! -e "$work/home/$1/out"
}

try ann n1
is "$text" $'52001\n52001' 'a job runs on a node that agrees with the controller'
not_there ann n2 'ann is uid 53001 on n2 and 52001 for the controller' 'another uid'
not_there bob n2 'user bob is unknown on n2' 'no such user'
like "$(actl show job "$(aqueue --state all --user ann --noheader --format id | tail -n 1 | tr -d ' ')")" 'NODE_FAIL' \
	'the job has state NODE_FAIL'

# ---- groups ----

try dora n1
is "$text" $'52004\n52004 52100 52101' 'a task has all groups of the user where the databases agree'
for i in 1 2; do
	try dora n2
done
is "$text" $'52004\n52004 52100' 'where they differ a task has the groups that both have'
not_there carl n2 'the controller gives group 52003 to carl, who is not a member of it on n2 and has group 53003 there' \
	'another group'
is "$(grep -c 'tasks of dora run without groups that only the controller knows: 52101' "$cluster/log/n2.log")" 1 \
	'the log of the node names the groups that were left out, once'
is "$(grep -c 'tasks of dora run without groups that only this node knows: 52102' "$cluster/log/n2.log")" 1 \
	'the log names groups that only the node has'
try dora n4
is "$text" $'52004\n52004 52100 52101' 'a node with groups = "controller" gives the groups of the controller'

# ---- the configuration of the node ----

not_there svc n4 'node n4 runs no tasks of uid 520: security.min_uid is 1000 there' 'below the min_uid of the node alone'
try svc n1
is "$text" $'520\n520' 'another node accepts that user'
run timeout 60 asubmit --wait --no-requeue -w n4 -o "$work/out" --wrap 'id -u'
is "$status" 1 'a job of root fails on a node that does not allow it'
like "$err" 'node n4 runs no tasks of root \(security.allow_root_jobs\)' 'the error names the node'
run timeout 60 asubmit --wait --no-requeue -w n1 -o "$work/out" --wrap 'id -u'
is "$(cat out)" 0 'a job of root runs where node and controller allow it'

# ---- a failing step of the change of identity ----

not_there ann n3 'step bounding set: cannot drop capability [0-9]+ from the bounding set: Operation not permitted' 'a daemon that lacks a capability'

# ---- the job runs on another node, the node is drained ----

anode drain 'n[1,3-4]' 'for a test' >/dev/null
id=$(as ann asubmit --parsable -D "$work/home/ann" -o out --wrap 'id -u')
failed_once()
{
	aexplain "$id" | grep -q 'avoided for a while: a start failed there'
}
ok 'the job avoids the node for a while' wait_until 20 failed_once
anode resume n1 >/dev/null
ok 'the job ends' wait_until 20 job_ended "$id"
is "$(cat home/ann/out)" 52001 'the job has run'
like "$(actl show job "$id")" 'COMPLETED +attempt 2 on n1' 'it ran on another node'
sed -i 's/avoid = "1m"/avoid = "0"/' "$cluster/armada.conf"
actl reconfigure >/dev/null
anode drain n1 'for a test' >/dev/null
for i in 1 2 3 4 5; do
	as ann timeout 60 asubmit --wait --quiet --no-requeue -w n2 -D "$work/home/ann" -o none --wrap true
done 2>/dev/null
ok 'failures of a single user do not drain the node' is_up n2
run as ann timeout 60 asubmit --wait --requeue=2 -w n2 -D "$work/home/ann" -o none --wrap true
is "$status" 1 'a job that may run nowhere else is not retried for ever'
like "$err" 'ann is uid 53001 on n2' 'its reason names the uid'
try dora n2
for user in ann bob carl; do
	try $user n2
done
is_drained()
{
	[ "$(anode --noheader --format state n2 | tr -d ' ')" = drained ]
}
ok 'failures of three users in a row drain the node' wait_until 20 is_drained
like "$(anode --noheader --format reason n2)" '3 jobs in a row could not be started here; the last: the controller gives group 52003' 'the reason names the last failure'

done_testing
