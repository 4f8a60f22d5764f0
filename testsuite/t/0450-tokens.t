#!/bin/bash
# Tokens with the real commands: what a token may do, its end, and that no token gives more than its user has.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"

[ "$(id -u)" = 0 ] || skip_all 'only root can become several users'
for user in games mail; do
	id -u "$user" >/dev/null 2>&1 || skip_all "there is no user $user here"
done
cat >site.conf <<'END'
security = { min_uid = 0; allow_root_jobs = true; };
queues = ( { name = "a"; }, { name = "b"; } );
END
test_under_armada 1 --cpus 2 --conf "$work/site.conf"
mkdir bin
for program in asubmit aqueue acancel actl; do
	install -m 755 "$(command -v "$program")" bin/
done

# as USER COMMAND...: runs it as that user; root is not changed.
as()
{
	local user=$1 program=$2

	shift 2
	(cd / && exec setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups \
		"$work/bin/$program" "$@")
}

# ok_within SECONDS NAME COMMAND...: a test that passes as soon as the command succeeds.
ok_within()
{
	wait_until "$1" "${@:3}"
	is $? 0 "$2"
}

# with TOKEN COMMAND...: runs it with this token, as the user mail.
with()
{
	ARMADA_TOKEN=$1 as mail "${@:2}"
}

run as games actl token create --label 'of games'
is "$status" 0 'a user makes a token'
all=${out##*$'\n'}
like "$all" '^armt_[A-Za-z0-9_-]{160}$' 'the token is the last line'
run with "$all" asubmit --parsable --queue a --output /dev/null --wrap 'sleep 1000'
is "$status" 0 'mail submits with the token of games'
job=$out
is "$(aqueue --noheader --format user "$job")" games 'the job is of games'
run with "$all" actl token list
is "$status" 4 'a token does not list tokens'
like "$err" 'a token may not make, list or revoke tokens' '... which it says'

run as games actl token create --verbs watch,submit --queue b
few=${out##*$'\n'}
run with "$few" asubmit --parsable --queue a --output /dev/null --wrap true
is "$status" 4 'a token of a queue submits to no other'
run with "$few" acancel "$job"
is "$status" 4 'a token without cancel cancels nothing'
like "$err" 'the scope of this token does not allow it: its verbs are watch,submit' '... and says why'
run with "$few" aqueue --noheader --format id
is "$status/$out" "0/$job" 'it watches'
run as mail acancel "$job"
is "$status" 4 'mail may not cancel the job without the token'

run as root actl token create
rooted=${out##*$'\n'}
run with "$rooted" acancel "$job"
is "$status" 4 'the token of an administrator without admin cancels no job of others'
run as mail actl token list --all
is "$status" 4 'a user does not list the tokens of others'
run actl token list --all --noheader --format user,label
is "$(wc -l <<<"$out")" 3 'an administrator lists all tokens'

# a forged, a revoked and an expired token
run with "${all%?????}AAAAA" aqueue
is "$status" 4 'a changed token is refused'
like "$err" 'this is not a token of this cluster' '... in words'
run with armt_ aqueue
is "$status" 4 'a cut token is refused'
run as mail actl token revoke 1
is "$status" 3 'a user does not revoke the token of another'
ARMADA_TOKEN=$all as mail aqueue --watch >watching 2>&1 &
watcher=$!
ok_within 20 'a command runs with the token' test -s watching
run as games actl token revoke 1
is "$status/$out" '0/1 token is revoked' 'the user revokes it'
ok_within 10 'a command that runs with it ends at once' eval '! kill -0 $watcher 2>/dev/null'
run with "$all" aqueue
is "$status" 4 'a revoked token is refused'
like "$err" 'the token was revoked, or has expired' '... in words'
run as games actl token create --expires 1s
short=${out##*$'\n'}
# shellcheck disable=SC2016
ok_within 10 'a token expires' eval '! with "$short" aqueue >/dev/null 2>&1'

# the state
"$devcluster" kill "$cluster" armctld
"$devcluster" restart "$cluster" armctld
ok_within 20 'the controller is back' actl ping
run with "$few" aqueue --noheader --format id
is "$status/$out" "0/$job" 'a token outlives kill -9 of the controller'
run with "$all" aqueue
is "$status" 4 'a revoked token stays revoked'
grep -rqaF "${few#armt_}" "$cluster/state" "$cluster/log"
is $? 1 'no file of the controller has the token'
done_testing
