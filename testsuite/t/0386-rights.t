#!/bin/bash
# Who may do what, with real users: permissions of a queue and of all, owners, a private cluster.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"

[ "$(id -u)" = 0 ] || skip_all 'only root can be several users'
for user in games mail news uucp lp backup irc; do
	id -u "$user" >/dev/null 2>&1 || skip_all "there is no user $user here"
done

conf()
{
	cat <<END
security = { min_uid = 0; allow_root_jobs = true; };
private = $1;
permissions = [ "user:irc=reprioritise" ];
queues = ( { name = "q"; owners = [ "news" ]; group_owners = [ "uucp" ];
	permissions = [ "user:games=submit", "group:lp=cancel", "user:backup=watch" ]; },
	{ name = "free"; } );
END
}

conf true >site.conf
test_under_armada 1 --cpus 2 --conf "$work/site.conf"
mkdir bin
for program in asubmit aqueue acancel actl aexplain; do
	install -m 755 "$(command -v "$program")" bin/
done

# as USER COMMAND...: runs it as that user; root stays root.
as()
{
	local user=$1 program=$2

	shift 2
	(cd / && exec setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups \
		"$work/bin/$program" "$@")
}

# sees USER: the ids that a listing has for them.
sees()
{
	as "$1" aqueue --noheader --format id | sort -n | tr '\n' ' '
}

# ---- a private cluster ----

run as games asubmit --parsable --queue q --output /dev/null --wrap 'sleep 1000'
is "$status" 0 'games may submit to the queue'
a=$out
run as mail asubmit --parsable --output /dev/null --wrap 'sleep 1000'
b=$out
run as mail asubmit --queue q --wrap true
is "$status" 4 'mail may not'
like "$err" "neither its owners nor its permissions.*actl permissions q" 'and is told where to look'
run as mail asubmit --parsable --queue free --hold --output /dev/null --wrap true
is "$status" 0 'an open queue takes it'
c=$out
wait_until 20 eval '[ "$(aqueue --noheader --format state "$a" "$b" | sort -u)" = RUNNING ]' ||
	diag 'the jobs do not run'

is "$(sees games)" "$a " 'games sees its own job'
is "$(sees mail)" "$b $c " 'mail its own'
is "$(sees news)" "$a " 'the owner of the queue those of the queue'
is "$(sees uucp)" "$a " 'so does one of a group that owns it'
is "$(sees backup)" "$a " 'and who may watch there'
is "$(sees lp)" "$a " 'and who may cancel there'
is "$(sees irc)" "$a $b $c " 'who may do something in all queues sees all'
is "$(sees root)" "$a $b $c " 'so does an administrator'

# says USER ID COMMAND...: what a command says of an id, without the id
says()
{
	local user=$1 id=$2

	shift 2
	as "$user" "$@" 2>&1 | sed "s/\\b$id\\b/ID/g"
	echo "exit ${PIPESTATUS[0]}"
}

never=99999
for command in 'actl show job ID' 'aexplain ID' 'acancel ID' 'acancel --signal USR1 ID' \
	'actl hold ID' 'actl requeue ID' 'actl update ID --priority 5' 'aqueue ID' \
	'actl preempt ID' 'asubmit --dependency afterok:ID --wrap true'; do
	is "$(says mail "$a" ${command//ID/$a})" "$(says mail "$never" ${command//ID/$never})" \
		"$command says what it says of an id that never was"
done
run as mail actl show job "$a"
is "$status" 3 'which is not found'
run as mail acancel --user games
unlike "$out$err" "$a" 'nor is anything told of jobs of a user'
run as mail acancel --queue q
unlike "$out$err" '[1-9]' 'nor counted in a queue'
is "$(aqueue --noheader --format state "$a")" RUNNING 'and nothing happened to it'

run as backup acancel "$a"
is "$status" 4 'who may watch does not cancel'
run as backup actl show job "$a"
is "$status" 0 'but looks'
run as irc actl update "$a" --priority 5
is "$status" 0 'who may reprioritise in all queues does'
run as irc acancel "$a"
is "$status" 4 'and nothing else'
run as lp actl preempt "$a"
is "$status" 4 'who may cancel does not preempt'

# ---- what has ended ----

run as lp acancel "$a"
is "$status" 0 'but cancels'
wait_until 20 job_ended "$a" || diag 'it did not end'
wait_until 20 as games actl show job "$a"
run as mail actl show job "$a"
is "$status" 3 'what has ended does not exist for others either'
is "$(says mail "$a" aexplain "$a")" "$(says mail $never aexplain $never)" 'nor is it explained'
is "$(says mail "$a" asubmit --dependency "afterok:$a" --wrap true)" \
	"$(says mail $never asubmit --dependency afterok:$never --wrap true)" 'nor waited for'
run as mail aqueue --noheader --format id --state all
unlike "$out" "\\b$a\\b" 'nor listed'
run as backup aqueue --noheader --format id --state all
like "$out" "\\b$a\\b" 'but to who may watch'
run as backup actl show job "$a"
is "$status" 0 'and shown'

# ---- holds ----

run actl hold "$c"
run as mail actl release "$c"
is "$status" 4 'what an administrator holds is not released by its owner'
like "$err" 'held by an administrator' 'who is told why'
like "$(as mail aqueue --noheader --format reason "$c")" 'held by an administrator' 'by the listing too'

# ---- permissions, said ----

run as lp actl permissions --noheader q
like "$out" 'cancel +yes group lp has it' 'lp is told why it may cancel'
like "$out" 'submit +no +nobody gave it' 'and that it may not submit'
run as uucp actl permissions --noheader q
like "$out" 'manage +yes owner, as one of group uucp' 'a group owner why it may manage'
run as mail actl permissions --noheader free
like "$out" 'submit +yes the queue is open' 'everybody why they may submit to an open queue'
run actl permissions --noheader --user irc q
like "$out" 'reprioritise +yes user irc has it in all queues' 'an administrator learns of others'
run as news actl permissions --noheader --user lp q
is "$status" 0 'so does the owner of a queue'
run as news actl permissions --user lp free
is "$status" 4 'for that queue'
run as games actl permissions --user lp q
is "$status" 4 'and nobody else'
run actl permissions --user no-such-user
is "$status" 1 'an unknown user is refused'
like "$err" 'there is no user "no-such-user"' 'by name'
run actl permissions nowhere
is "$status" 3 'an unknown queue is not found'
run as games actl permissions --json q
like "$out" '"verb": "submit",' 'JSON has the verbs'

# ---- owners change their queue ----

run as news actl queue update q --cordon
is "$status" 0 'the owner of a queue cordons it'
run as news actl queue update q --factor 0.1
is "$status" 4 'but gives it no larger share'
run as news actl queue update q --owners mail --group-owners lp
is "$status" 4 'nor takes the last right over it from itself'
like "$err" "expected 'news' or a group of yours" 'and is told what would do'
run as news actl queue update q --owners news,mail
is "$status" 0 'it shares it'
run as mail actl queue update q --uncordon
is "$status" 0 'with somebody who manages it then'
run as mail actl queue delete q
is "$status" 4 'but does not delete it'
run actl queue update q --owners mail --group-owners ''
is "$status" 0 'an administrator takes it from anybody'
run as news actl queue update q --cordon
is "$status" 4 'who has no say any more'

# ---- and a cluster that is not private ----

sed -i 's/^private = true;/private = false;/' "$ARMADA_CONF"
run actl reconfigure
is "$status" 0 'the cluster is private no more'
like "$(sees games)" "$b $c" 'everybody sees every job'
run as games acancel "$b"
is "$status" 4 'and still may not cancel it'
run as games actl show job "$b" --script
is "$status" 4 'nor read its script'

done_testing
