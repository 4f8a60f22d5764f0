#!/bin/bash
# Permissions with real users: of a queue and of all queues, owners, a private cluster.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"

[ "$(id -u)" = 0 ] || skip_all 'only root can become several users'
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

# as USER COMMAND...: runs it as that user; root is not changed.
as()
{
	local user=$1 program=$2

	shift 2
	(cd / && exec setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups \
		"$work/bin/$program" "$@")
}

# sees USER: the job ids in that user's listing.
sees()
{
	as "$1" aqueue --noheader --format id | sort -n | tr '\n' ' '
}

# ---- a private cluster ----

run as games asubmit --parsable --queue q --output /dev/null --wrap 'sleep 1000'
is "$status" 0 'games has submit on the queue'
a=$out
run as mail asubmit --parsable --output /dev/null --wrap 'sleep 1000'
b=$out
run as mail asubmit --queue q --wrap true
is "$status" 4 'mail has no permission on the queue'
like "$err" "neither its owners nor its permissions.*actl permissions q" 'the error names actl permissions'
run as mail asubmit --parsable --queue free --hold --output /dev/null --wrap true
is "$status" 0 'an open queue accepts the job'
c=$out
wait_until 20 eval '[ "$(aqueue --noheader --format state "$a" "$b" | sort -u)" = RUNNING ]' ||
	diag 'the jobs do not run'

is "$(sees games)" "$a " 'games sees its own job'
is "$(sees mail)" "$b $c " 'mail sees its own jobs'
is "$(sees news)" "$a " 'an owner of the queue sees the jobs of the queue'
is "$(sees uucp)" "$a " 'a member of an owning group sees the jobs of the queue'
is "$(sees backup)" "$a " 'a user with watch sees the jobs of the queue'
is "$(sees lp)" "$a " 'a user with cancel sees the jobs of the queue'
is "$(sees irc)" "$a $b $c " 'a user with a permission on all queues sees all jobs'
is "$(sees root)" "$a $b $c " 'an administrator sees all jobs'

# says USER ID COMMAND...: the output of a command about a job id, without the id
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
		"$command answers as for an unknown id"
done
run as mail actl show job "$a"
is "$status" 3 'actl show job finds no job of another user'
run as mail acancel --user games
unlike "$out$err" "$a" "acancel --user tells nothing of another user's jobs"
run as mail acancel --queue q
unlike "$out$err" '[1-9]' 'acancel --queue counts no job of another user'
is "$(aqueue --noheader --format state "$a")" RUNNING 'the job still runs'

run as backup acancel "$a"
is "$status" 4 'watch does not include cancel'
run as backup actl show job "$a"
is "$status" 0 'watch includes show'
run as irc actl update "$a" --priority 5
is "$status" 0 'reprioritise on all queues allows an update of the priority'
run as irc acancel "$a"
is "$status" 4 'reprioritise does not include cancel'
run as lp actl preempt "$a"
is "$status" 4 'cancel does not include preempt'

# ---- ended jobs ----

run as lp acancel "$a"
is "$status" 0 'a user with cancel cancels the job'
wait_until 20 job_ended "$a" || diag 'it did not end'
wait_until 20 as games actl show job "$a"
run as mail actl show job "$a"
is "$status" 3 'an ended job of another user is not found'
is "$(says mail "$a" aexplain "$a")" "$(says mail $never aexplain $never)" 'aexplain answers as for an unknown id'
is "$(says mail "$a" asubmit --dependency "afterok:$a" --wrap true)" \
	"$(says mail $never asubmit --dependency afterok:$never --wrap true)" 'a dependency on it is answered as for an unknown id'
run as mail aqueue --noheader --format id --state all
unlike "$out" "\\b$a\\b" 'a listing does not contain it'
run as backup aqueue --noheader --format id --state all
like "$out" "\\b$a\\b" 'a user with watch lists the ended job'
run as backup actl show job "$a"
is "$status" 0 'a user with watch shows the ended job'

# ---- holds ----

run actl hold "$c"
run as mail actl release "$c"
is "$status" 4 'a user cannot release a job that an administrator holds'
like "$err" 'held by an administrator' 'the error says who holds it'
like "$(as mail aqueue --noheader --format reason "$c")" 'held by an administrator' 'the reason says so too'

# ---- actl permissions ----

run as lp actl permissions --noheader q
like "$out" 'cancel +yes group lp has it' 'actl permissions names the group that gives cancel'
like "$out" 'submit +no +no entry gives it' 'actl permissions says that submit is not given'
run as uucp actl permissions --noheader q
like "$out" 'manage +yes owner, as a member of group uucp' 'actl permissions names the owning group'
run as mail actl permissions --noheader free
like "$out" 'submit +yes the queue is open' 'actl permissions says that the queue is open'
run actl permissions --noheader --user irc q
like "$out" 'reprioritise +yes user irc has it in all queues' 'an administrator sees the permissions of another user'
run as news actl permissions --noheader --user lp q
is "$status" 0 'an owner sees the permissions of another user on the queue'
run as news actl permissions --user lp free
is "$status" 4 'an owner cannot see the permissions on another queue'
run as games actl permissions --user lp q
is "$status" 4 'another user cannot see the permissions of others'
run actl permissions --user no-such-user
is "$status" 1 'an unknown user is refused'
like "$err" "there is no user 'no-such-user'" 'the error names the unknown user'
run actl permissions nowhere
is "$status" 3 'an unknown queue gives exit code 3'
run as games actl permissions --json q
like "$out" '"verb": "submit",' 'the JSON has the verbs'

# ---- an owner changes the queue ----

run as news actl queue update q --cordon
is "$status" 0 'an owner cordons the queue'
run as news actl queue update q --factor 0.1
is "$status" 4 'an owner cannot change the priority factor'
run as news actl queue update q --owners mail --group-owners lp
is "$status" 4 'an owner cannot remove itself from the owners'
like "$err" "keep 'news' or one of your groups" 'the error says what is expected'
run as news actl queue update q --owners news,mail
is "$status" 0 'an owner adds another owner'
run as mail actl queue update q --uncordon
is "$status" 0 'the new owner uncordons the queue'
run as mail actl queue delete q
is "$status" 4 'an owner cannot delete the queue'
run actl queue update q --owners mail --group-owners ''
is "$status" 0 'an administrator replaces the owners'
run as news actl queue update q --cordon
is "$status" 4 'the former owner has no permission'

# ---- a cluster that is not private ----

sed -i 's/^private = true;/private = false;/' "$ARMADA_CONF"
run actl reconfigure
is "$status" 0 'a reload makes the cluster public'
like "$(sees games)" "$b $c" 'every user sees every job'
run as games acancel "$b"
is "$status" 4 'another user still cannot cancel the job'
run as games actl show job "$b" --script
is "$status" 4 'another user cannot read the script'

done_testing
