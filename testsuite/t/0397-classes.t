#!/bin/bash
# The shipped priority classes: the 32-core example of the documents on the shipped configuration, on a
# cluster and simulated; classes for some users only; a state of a release with other classes keeps them.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs python3

me=$(id -un)
# Without this line the file is the installed one; devcluster adds its paths and nodes.
sed '/^controllers = /d' "$ARMADA_SRCDIR/etc/armada.conf" >shipped.conf
is "$(grep -cE '^[^#]' shipped.conf)" 1 'the shipped file sets nothing but the name of the cluster'
test_under_armada 1 --cpus 32 --memory 64G --conf "$work/shipped.conf"
cp "$cluster/armada.conf" plain.conf

# ---- the classes ----

rows()
{
	actl show classes --noheader --format class,priority,fair_share_preemptible,urgency_preemptible,default,for |
		tr -s ' ' | sed 's/^ //; s/ $//'
}
is "$(rows | head -n 1)" 'armada-default 1000 no yes yes all' 'armada-default'
is "$(rows | sed -n 2p)" 'armada-preemptible 900 yes yes no all' 'armada-preemptible'
is "$(rows | sed -n 3p)" 'system-cluster-critical 2000000000 no yes no administrators' 'system-cluster-critical'
is "$(rows | sed -n 4p)" 'system-node-critical 2000001000 no yes no administrators' 'system-node-critical'
is "$(rows | wc -l)" 4 'there are no other classes'

# ---- of 32 cores a job of armada-default has 10 and one of armada-preemptible 20 ----

# job CLASS CPUS: submits a job of the class and prints its id
job()
{
	asubmit --parsable --output=/dev/null --mem 1M --priority-class "armada-$1" --cpus "$2" --wrap 'sleep 600'
}
state()
{
	aqueue --noheader --format state "$1" | tr -d ' '
}
runs()
{
	[ "$(state "$1")" = RUNNING ]
}
# waits ID: a round has looked at the job and left it pending, with a reason
waits()
{
	[ "$(state "$1")" = PENDING ] && [ "$(aqueue --noheader --format why "$1" | tr -d ' ')" = Resources ]
}
gone()
{
	[ -z "$(aqueue --noheader --format id --state pending,configuring,running,completing "$@")" ]
}

first=$(job default 10)
second=$(job preemptible 20)
ok 'the job of armada-default runs' wait_until 20 runs "$first"
ok 'the job of armada-preemptible runs' wait_until 20 runs "$second"
new=$(job preemptible 3)
ok 'a job of armada-preemptible does not get 3 cores' wait_until 20 waits "$new"
acancel "$new" >/dev/null
new=$(job preemptible 2)
ok 'a job of armada-preemptible gets 2 cores' wait_until 20 runs "$new"
acancel "$new" >/dev/null
ok 'it ends' wait_until 20 gone "$new"
new=$(job default 23)
ok 'a job of armada-default does not get 23 cores' wait_until 20 waits "$new"
is "$(state "$second")" RUNNING 'and preempts nobody'
acancel "$new" >/dev/null
new=$(job default 22)
ok 'a job of armada-default gets 22 cores' wait_until 20 runs "$new"
is "$(state "$first")" RUNNING 'the other job of armada-default stays'
is "$(state "$second")" PENDING 'the job of armada-preemptible waits again'
run asubmit --priority-class armada-prempt --wrap true
is "$status" 3 'an unknown class is refused'
acancel --all >/dev/null 2>&1 || acancel --user "$me" >/dev/null

# ---- classes for some only ----

as()
{
	local user=$1 program=$2

	shift 2
	(cd / && exec setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups \
		"$work/bin/$program" "$@")
}
others()
{
	mkdir bin
	install -m 755 "$(command -v asubmit)" "$(command -v actl)" bin/
	sed -i '/^security = /d' "$cluster/armada.conf"
	cat >>"$cluster/armada.conf" <<-END
		security = { min_uid = 0; allow_root_jobs = true; };
		priority_classes = ( { name = "armada-default"; }, { name = "system-node-critical"; priority = 9000; },
			{ name = "urgent"; priority = 2000; users = [ "games" ]; groups = [ "mail" ]; } );
	END
	ok 'armada.conf names users and groups' actl reconfigure
	for user in games mail root; do
		ok "$user may ask for the class" as "$user" asubmit --test-only --priority-class urgent --wrap true
	done
	run as news asubmit --priority-class urgent --wrap true
	is "$status" 4 'news may not'
	like "$err" "priority class 'urgent' is only for administrators and those whom armada.conf names for it: you may use armada-default" \
		'the message has the classes that news may use'
	printf 'priority_class = "urgent";\ncommand = ["true"];\n' >"$work/job"
	run as news asubmit --file "$work/job"
	is "$status" 4 'a job file of news may not'
	run as games asubmit --priority-class system-node-critical --wrap true
	like "$err" "priority class 'system-node-critical' is only for administrators: you may use armada-default, urgent" \
		'a system class without users is for administrators'
	run as news asubmit --parsable --hold --output=/dev/null --wrap true
	id=$out
	run as news actl update "$id" --priority-class urgent
	is "$status" 1 'news may not change a job to it'
	like "$err" 'is only for administrators.*you may use armada-default' 'the message has the reason'
	ok 'an administrator may' actl update "$id" --priority-class urgent
	is "$(as news actl show classes --noheader --format class,may | tr -s ' ' | sed 's/^ //' | tr '\n' ';' | sed 's/ ;/;/g')" \
		'armada-default yes;system-node-critical no;urgent no;' 'actl show classes tells news'
	acancel "$id" >/dev/null
}
if [ "$(id -u)" = 0 ] && id games >/dev/null 2>&1 && id mail >/dev/null 2>&1 && id news >/dev/null 2>&1; then
	others
else
	skip 'only root can become several users'
fi

# ---- names that do not exist ----

cp plain.conf "$cluster/armada.conf"
cat >>"$cluster/armada.conf" <<'END'
priority_classes = ( { name = "armada-default"; },
	{ name = "x"; users = [ "no-such-user" ]; } );
END
line=$(($(wc -l <"$cluster/armada.conf")))
run actl reconfigure
is "$status" 1 'a class with an unknown user is refused by actl reconfigure'
like "$err" "line $line: priority_classes: x: users: there is no user 'no-such-user'" 'the message has the line'
"$devcluster" stop "$cluster" >/dev/null 2>&1
ok 'a controller starts with it' "$devcluster" start "$cluster"
ok 'and warns' grep -qE "line $line: priority_classes: x: users: there is no user" "$cluster/log/armctld.log"

# ---- a state that was made with the old classes ----

"$devcluster" stop "$cluster" >/dev/null 2>&1
cp plain.conf "$cluster/armada.conf"
kept='the default priority classes were armada-default and armada-preemptible, both with priority 1000'
is "$(grep -c "$kept" "$cluster/log/armctld.log")" 0 'a state of this release says nothing about classes'
rm -rf "$cluster"/state/* "$cluster"/spool/*/*
armctld=$ARMADA_BUILDDIR/armctld
ok 'a new state' "$armctld" --init --config "$cluster/armada.conf"
ok 'its first record is that of an earlier release' \
	"$ARMADA_BUILDDIR/testsuite/drill/old_state" "$cluster/state" "$ARMADA_BUILDDIR/plugins.d"
ok 'the controller starts' "$devcluster" start "$cluster"
both='armada-default 1000 no yes yes all;armada-preemptible 1000 yes yes no all;'
is "$(rows | tr '\n' ';')" "$both" 'the state keeps the old classes'
is "$(grep -c "$kept" "$cluster/log/armctld.log")" 1 'the log has one line about it'
actl reconfigure >/dev/null
is "$(rows | tr '\n' ';')" "$both" 'also after a reconfigure'
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'the controller answers again' wait_until 20 actl ping
is "$(rows | tr '\n' ';')" "$both" 'and after a restart'
cat >>"$cluster/armada.conf" <<'END'
priority_classes = ( { name = "armada-default"; priority = 7; } );
END
ok 'armada.conf has classes now' actl reconfigure
is "$(rows)" 'armada-default 7 no yes yes all' 'they replace the old classes'
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'the controller restarts with them' wait_until 20 actl ping
cp plain.conf "$cluster/armada.conf"
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'and without them' wait_until 20 actl ping
is "$(rows | wc -l)" 4 'then the shipped classes apply'
done_testing
