#!/bin/bash
# The accounts of armada.conf: who may name them, the default of a user, and their limits.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

cat >site.conf <<'END'
security = { min_uid = 0; allow_root_jobs = true; };
scheduler = { cycle_period = "50ms"; };
queues = ( { name = "q"; permissions = [ "all=submit" ]; }, { name = "r"; permissions = [ "all=submit" ]; } );
END
cp site.conf plain.conf
cat >>site.conf <<'END'
accounts = (
	{ name = "phys"; users = [ "games" ]; groups = [ "mail" ]; max_cpus = 3; max_waiting = 4; },
	{ name = "bio"; users = [ "games" ]; default_for = [ "news" ]; user_max_running = 1; submit_burst = 2; submit_rate = "2/h"; },
	{ name = "chem"; users = [ ]; max_running = 0; } );
END
test_under_armada 1 --cpus 8 --memory 8G --conf "$work/site.conf"

# rows OPTION...: the columns of aqueue in $columns, one job a line
rows()
{
	aqueue --noheader --format "$columns" "$@" | tr -s ' ' | sed 's/^ //; s/ $//'
}
columns=job,account,why
# job OPTION...: submits a job that runs until it is cancelled, and prints its id
job()
{
	asubmit --parsable --output=/dev/null --memory 10M -q q "$@" --wrap 'sleep 600'
}
why_is()
{
	[ "$(columns=why rows "$1")" = "$2" ]
}
runs()
{
	[ "$(columns=state rows "$1")" = RUNNING ]
}

# ---- limits, across queues ----

a=$(job -A phys -c 2)
b=$(job -A phys -q r)
ok 'two jobs of the account run' wait_until 20 runs "$b"
c=$(job -A phys -q r)
ok 'the third one waits for the limit of the account' wait_until 20 why_is "$c" AccountCpuLimit
text='account phys uses 3 of at most 3 cpus, this job asks for 1 \(limit of account phys: accounts.max_cpus\)'
like "$(columns=reason rows "$c")" "$text" 'the reason has the use and the limit'
like "$(aexplain "$c")" "AccountCpuLimit: its account would exceed the limit of cpus" 'aexplain'
like "$(aexplain "$c")" "$text" 'aexplain has the use and the limit'
run asubmit -A phys -q q -c 4 --wrap true
is "$status" 1 'a job beyond the limit is refused'
like "$err" "cpu: 4 at once is more than the 3 that account 'phys' may use \(accounts.max_cpus\)" 'the message names the limit'
run asubmit -A phys -q q --hold --array=1-4 --wrap true
is "$status" 1 'waiting elements beyond the limit are refused'
like "$err" "account 'phys': 1 element waits; with 4 more the limit of 4 would be exceeded \(accounts.max_waiting\)" \
	'the message has the numbers'
run asubmit -A chem -q q --wrap true
like "$err" "1 job at once is more than the 0 that account 'chem' may have running \(accounts.max_running\)" 'a limit of 0'
d=$(job -A bio)
ok 'a job of another account runs' wait_until 20 runs "$d"
e=$(job -A bio)
ok 'a limit of each user in the account' wait_until 20 why_is "$e" UserJobsLimit
like "$(columns=reason rows "$e")" 'limit of account bio for each user: accounts.user_max_running' 'and its reason'
run timeout 20 asubmit --retry-for 1s -A bio -q q --wrap true
is "$status" 75 'a rate of submissions'
like "$err" "account 'bio': 0 jobs may be submitted now.*\(accounts.submit_rate\): try again" 'its message'

# ---- actl show ----

is "$(actl show accounts --noheader --format account,may,default,running,cpus,max_cpus,user_max_running | tr -s ' ' | sed 's/^ //; s/ $//')" \
	"bio yes no 1 1 1
chem yes no 0 0
phys yes no 2 3 3" 'actl show accounts'
is "$(actl show accounts --json | jq -c '.accounts[] | select(.account == "phys") | [.for.groups, .max_cpus, .cpus, .users_use[0].user, .users_use[0].running]')" \
	"[[\"mail\"],3000,3000,\"$(id -un)\",2]" 'its JSON'
out=$(actl show account phys)
like "$out" 'max_cpus +3 +3 +-' 'actl show account has use and limit'
like "$out" "$(id -un) +1 +2 +3 " 'and the users'
is "$(actl show account phys bio | grep '^Account')" "Account phys
Account bio" 'several accounts'
run actl show account phys phis
is "$status" 3 'an account that does not exist'
like "$err" "account 'phis' does not exist; did you mean 'phys'" 'the message has the nearest name'
run aqueue -A phis
is "$status" 3 'a filter with an account that does not exist'
like "$err" "account 'phis' does not exist; did you mean 'phys'" 'its message'

# ---- a reload ----

cp "$cluster/armada.conf" before.conf
sed -i 's/max_cpus = 3/max_cpus = 4/' "$cluster/armada.conf"
like "$(actl reconfigure --dry-run)" 'account phys +max_cpus +"3" +"4" +2 jobs run and 1 waits for it: running jobs continue' \
	'actl reconfigure --dry-run has the change and its effect'
ok 'a limit is raised' actl reconfigure
ok 'the job that waited runs' wait_until 20 runs "$c"
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'the controller answers again' wait_until 20 actl ping
f=$(job -A phys)
ok 'the use of the account is known after a restart' wait_until 20 why_is "$f" AccountCpuLimit
ok 'the job gets an account with room' actl update "$f" --account=none
ok 'and runs' wait_until 20 runs "$f"

# conf_error TEXT: what armctld says of the accounts in TEXT
conf_error()
{
	cp plain.conf bad.conf
	printf 'controllers = ["localhost:1"];\n%s\n' "$1" >>bad.conf
	"$ARMADA_BUILDDIR/armctld" --show-config --config "$work/bad.conf" 2>&1 >/dev/null
}
line=$(($(wc -l <plain.conf) + 3))
like "$(conf_error 'accounts = ( { name = "a"; default_for = [ "x", "y" ]; },
	{ name = "b"; default_for = [ "y" ]; } );')" \
	"bad.conf: line $line: accounts: b: default_for: user y already has the default account 'a'" 'two defaults of a user'
like "$(conf_error 'accounts = ( { name = "a"; },
	{ name = "a"; } );')" "bad.conf: line $line: accounts: the name 'a' is given twice" 'an account twice'
like "$(conf_error 'accounts = ( { name = "a"; },
	{ name = "none"; } );')" "bad.conf: line $line: .*'none' is not the name of an account" 'a name that is not valid'
cp plain.conf "$cluster/armada.conf"
sed '/^security\|^scheduler\|^queues/d' before.conf >"$cluster/armada.conf"
cat plain.conf >>"$cluster/armada.conf"
sed -i 's/users = \[ "games" \]; groups/users = [ "no-such-user" ]; groups/' "$cluster/armada.conf"
run actl reconfigure
is "$status" 1 'an unknown user is refused'
like "$err" "line [0-9]*: accounts: phys: users: there is no user 'no-such-user'" 'the message has the line'

# ---- rights and defaults of users ----

as()
{
	local user=$1 program=$2

	shift 2
	(cd / && exec setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups "$work/bin/$program" "$@")
}
users()
{
	mkdir bin
	install -m 755 "$(command -v asubmit)" "$(command -v actl)" "$(command -v aqueue)" bin/
	cp before.conf "$cluster/armada.conf"
	sed -i 's/submit_burst = 2; submit_rate = "2.h";//; s/max_waiting = 4;//' "$cluster/armada.conf"
	ok 'those limits of submissions are removed' actl reconfigure
	local submit=(asubmit --parsable --hold --output=/dev/null --memory 10M -q q --wrap true)

	ok 'games may name phys' as games "${submit[@]}" -A phys
	ok 'a member of the group may' as mail "${submit[@]}" -A phys
	run as games "${submit[@]}" -A chem
	is "$status" 4 'an account of others is refused'
	like "$err" "account 'chem' is not one of yours: you may name bio, phys" 'the message has those of the user'
	run as games "${submit[@]}" -A phy
	is "$status" 3 'an account that does not exist is refused'
	like "$err" "account 'phy' does not exist; did you mean 'phys'\? \(you may name bio, phys\)" 'with the nearest name'
	run as uucp "${submit[@]}" -A bio
	like "$err" "account 'bio' is not one of yours: you may name none" 'a user without accounts'

	run as news "${submit[@]}"
	is "$(columns=account rows "$out")" bio 'a job gets the default of its user'
	n=$out
	run as mail "${submit[@]}"
	is "$(columns=account rows "$out")" phys 'or the only account that the user may name'
	run as games "${submit[@]}"
	is "$(columns=account rows "$out")" '' 'and none if there are several'
	g=$out
	like "$(as news asubmit --test-only -q q --wrap true 2>&1)" 'in queue q for account bio' '--test-only says it'
	is "$(as news actl show accounts --noheader --format account,may,default | tr -s ' ' | sed 's/^ //; s/ $//' | paste -sd';')" \
		'bio yes yes;chem no no;phys no no' 'actl show accounts tells a user'

	run as games actl update "$g" --account=chem
	is "$status" 1 'a job does not get an account of others'
	like "$err" "account 'chem' is not one of yours" 'the message says why'
	ok 'but one of its user' as games actl update "$g" --account=phys
	run as news actl update "$n" --account=none
	is "$(columns=account rows "$n")" bio 'none is the default of the user'
	ok 'an administrator gives it any' actl update "$n" --account=phys
	ok 'and takes it away' actl update "$n" --account=none
	is "$(columns=account rows "$n")" bio 'also then the default of its user applies'

	sed -i 's/^scheduler/require_account = true;\nprivate = true;\nscheduler/' "$cluster/armada.conf"
	ok 'accounts are required now' actl reconfigure
	run as games "${submit[@]}"
	is "$status" 1 'a job without an account is refused'
	like "$err" 'the job names no account, and games has no default; give one with --account: you may name bio, phys' \
		'the message has those of the user'
	run as mail actl show account chem
	is "$status" 3 'in a private cluster other accounts do not exist'
	run as mail "${submit[@]}" -A chem
	like "$err" "account 'chem' does not exist: you may name phys" 'also at a submission'
	is "$(as mail actl show accounts --json | jq -c '[.accounts[] | .account, [.users_use[].user]]')" '["phys",["mail"]]' \
		'and of the users there is only itself'
}
if [ "$(id -u)" = 0 ] && id games >/dev/null 2>&1 && id mail >/dev/null 2>&1 && id news >/dev/null 2>&1 && id uucp >/dev/null 2>&1; then
	users
else
	skip 'only root can become several users'
fi

# ---- without accounts, all is as before ----

sed '/^accounts = (/,/);$/d' before.conf >"$cluster/armada.conf"
ok 'the accounts are removed' actl reconfigure
ok 'any account is accepted' job -A phys --hold
is "$(columns=account rows "$a")" phys 'a job of before keeps its account'
like "$(actl show accounts 2>&1)" 'armada.conf lists no accounts: a job may name any account' 'actl show accounts says it'
done_testing
