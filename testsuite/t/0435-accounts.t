#!/bin/bash
# Accounts: kept with a job, shown, selected by, in the history and in the tasks.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

cat >site.conf <<'END'
security = { min_uid = 0; allow_root_jobs = true; };
queues = ( { name = "q"; permissions = [ "all=submit" ]; } );
scheduler = { cycle_period = "50ms"; };
END
test_under_armada 1 --cpus 8 --memory 8G --conf "$work/site.conf"
cp "$cluster/armada.conf" plain.conf

# rows OPTION...: the jobs as "id account", one a line
rows()
{
	aqueue --noheader --format job,account "$@" | tr -s ' ' | sed 's/^ //; s/ $//'
}
# held OPTION...: submits a job that is held, and prints its id
held()
{
	asubmit --parsable --hold --output=/dev/null --memory 10M -q q "$@"
}

# ---- where no accounts are configured, any valid name is accepted ----

a=$(held -A physics --wrap true)
b=$(held --account=bio.2-x_y --wrap true)
c=$(held --wrap true)
printf '#!/bin/sh\n#ARMADA -A chem\ntrue\n' >script
d=$(held script)
printf 'account = "geo";\nhold = true;\nqueue = "q";\ncommand = ["true"];\n' >file
e=$(asubmit --parsable --file file)
is "$(rows "$a,$b,$c,$d,$e")" "$a physics
$b bio.2-x_y
$c
$d chem
$e geo" 'the column account: option, alias, none, script and job file'
is "$(aqueue --json "$a" | jq -r '.jobs[0].account')" physics 'JSON'
like "$(aqueue -l "$a")" 'physics' 'aqueue -l'
like "$(actl show job "$a")" 'Account  *physics' 'actl show job'
is "$(aqueue --noheader -o '%a' "$a" | tr -d ' ')" physics 'aqueue -o %a'

for bad in 'a b' 'a,b' '-x' "$(printf 'x%.0s' {1..65})" 'none' ''; do
	run asubmit "--account=$bad" --wrap true
	is "$status" 2 "the name '${bad:0:9}' is refused"
done
like "$err" '^asubmit: error: --account' 'the message names the option'
ok 'a name of 64 bytes is accepted' asubmit --test-only "--account=$(printf 'x%.0s' {1..64})" --wrap true

# ---- the environment ----

is "$(rows "$(ASUBMIT_ACCOUNT=one SBATCH_ACCOUNT=two held --wrap true)" | cut -d' ' -f2)" one 'ASUBMIT_ACCOUNT'
is "$(rows "$(SBATCH_ACCOUNT=two ARMADA_ACCOUNT=three held --wrap true)" | cut -d' ' -f2)" two 'SBATCH_ACCOUNT'
is "$(rows "$(ARMADA_ACCOUNT=three held --wrap true)" | cut -d' ' -f2)" three 'ARMADA_ACCOUNT, as within a job'
is "$(rows "$(ARMADA_ACCOUNT=three held script)" | cut -d' ' -f2)" chem 'the script precedes ARMADA_ACCOUNT'
run env SBATCH_ACCOUNT=a/b asubmit --wrap true
is "$status" 2 'a name that is not valid'
like "$err" 'SBATCH_ACCOUNT: .a/b. is not the name of an account' 'the message names the variable'

# ---- selection ----

is "$(rows -A physics,bio.2-x_y)" "$a physics
$b bio.2-x_y" 'aqueue -A'
is "$(rows --account physics -A geo | wc -l)" 2 'several options'
run acancel --dry-run -A geo
like "$out" "$e" 'acancel -A selects by account'
unlike "$out" "$a" 'and only those'
ok 'actl hold account=' actl hold account=geo
like "$(actl hold bogus=1 2>&1)" 'account=' 'the help of a wrong word has account='

# ---- change ----

ok 'actl update --account of a job that waits' actl update "$c" --account=physics
is "$(rows "$c")" "$c physics" 'the new account'
ok 'none deletes it' actl update "$c" --account=none
is "$(rows "$c")" "$c" 'no account'
run actl update "$c" -A a/b
is "$status" 2 'a name that is not valid'
actl update "$c" --account=physics >/dev/null

# ---- tasks, and the history ----

run arun -q q --memory 10M -A music -- printenv ARMADA_ACCOUNT
is "$out" music 'a task has ARMADA_ACCOUNT'
run env -u ARMADA_ACCOUNT arun -q q --memory 10M -- sh -c 'echo "<${ARMADA_ACCOUNT-unset}>"'
is "$out" '<unset>' 'but not if the job has no account'
f=$(asubmit --parsable -a 1-3 -A music -q q --memory 10M -o /dev/null --wrap true)
done_are()
{
	[ "$(aqueue --noheader --state completed -A music --format job "$@" | wc -l)" = "$n" ]
}
n=4
ok 'the history is filtered by account' wait_until 30 done_are
acancel --quiet -A physics
n=2
cancelled_are()
{
	[ "$(rows --state all -A physics | wc -l)" = 2 ]
}
ok 'acancel -A cancels the jobs of an account' wait_until 20 cancelled_are
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'the controller answers again' wait_until 20 actl ping
is "$(rows --state all -A music,physics | sort -u)" "$(printf '%s\n' "$a physics" "$c physics" "$((f - 2)) music" "$f music" | sort -u)" \
	'also after a restart, for two accounts'
is "$(rows "$d")" "$d chem" 'and that of a job that waits'
is "$(rows --state all -A music -u nobody 2>/dev/null)" '' 'with another condition'
like "$(actl show job "$a")" 'Account  *physics' 'actl show job of an ended job'
done_testing
