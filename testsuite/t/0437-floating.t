#!/bin/bash
# Floating resources: licences of the cluster, requested by jobs, reserved for queues, held, explained.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

conf=$work/extra.conf
cat >"$conf" <<'EOF'
floating = { matlab = 20; ansys = { total = 4; queues = { cfd = 2; }; }; };
queues = ( { name = "cfd"; owners = ["root"]; permissions = ["all=submit"]; } );
EOF
# what others use: a number, nonsense, and a program that hangs, as the file says
cat >"$work/used" <<'EOF'
#!/bin/sh
read -r what <WHERE/outside
[ "$what" = hang ] && exec sleep 1000
[ "$what" = fail ] && exit 3
echo "$what"
EOF
sed -i "s|WHERE|$work|" "$work/used"
chmod 755 "$work/used"
echo 0 >"$work/outside"
sed -i "s|ansys = {|abaqus = { total = 6; source = \"$work/used\"; source_interval = \"1s\"; \
	source_timeout = \"1s\"; }; &|" "$conf"
test_under_armada 2 --cpus 8 --memory 4G --conf "$conf"

state_is()
{
	[ "$(aqueue --noheader --format state "$1" | tr -d ' ')" = "$2" ]
}
waits_for()
{
	[ "$(aqueue --noheader --format why "$1" | tr -d ' ')" = "$2" ]
}
refused()
{
	local code=$1 words=$2

	shift 2
	run asubmit "$@" --wrap true
	is "$status" "$code" "asubmit $* is refused"
	like "$err" "$words" 'the error has the reason'
}
sleeper()
{
	asubmit --parsable --cpus 0.1 --mem 50M "$@" --wrap 'exec sleep 1000'
}

refused 1 'matlab: 21 is more than the cluster has \(20\)' -L matlab:21
refused 1 'ansys: 3 is more than queue .* may use \(2 of 4; 2 are reserved for other queues\)' --licenses=ansys=3
refused 1 "'matlb' is not a resource; did you mean 'matlab'" --license matlb
refused 1 'cpu belongs to nodes, it is not a license' -L cpu:2
refused 2 "'matlab:x'" -L matlab:x
refused 2 'matlab is given twice' -L matlab:1,matlab:2

# a workload that holds licences: 10 + 9, an array, a gang
big=$(sleeper -L matlab:10)
two=$(sleeper -L matlab=9,ansys)
ok 'a job with licences runs' wait_until 20 state_is "$big" RUNNING
ok 'so does a second one' wait_until 20 state_is "$two" RUNNING
wait=$(sleeper --nodes 2 -L matlab:2)
ok 'a third one waits' wait_until 20 waits_for "$wait" Licenses
why=$(aexplain "$wait")
diag "$why"
like "$why" "2 matlab asked, 1 of 20 free \(19 used: job $big holds 10, job $two holds 9\)" \
	'aexplain names the holders'
plain=$(sleeper)
ok 'a job without licences passes it' wait_until 20 state_is "$plain" RUNNING
like "$(aqueue --json "$two" | tr -d ' \n')" '"matlab":9' 'JSON has what a job holds'
like "$(actl show job "$two")" 'matlab=9' 'actl show job, too'
cfd=$(sleeper --queue cfd -L ansys:3)
ok 'a queue has what is reserved for it' wait_until 20 state_is "$cfd" RUNNING
other=$(sleeper -L ansys:1)
ok 'what is held is not free for others' wait_until 20 waits_for "$other" Licenses

"$devcluster" kill "$cluster" armctld
"$devcluster" restart "$cluster" armctld
ok 'after kill -9 of the controller, the job still waits' wait_until 30 waits_for "$wait" Licenses
acancel "$two"
ok 'it starts when a holder has ended' wait_until 30 state_is "$wait" RUNNING

array=$(sleeper --array 0-3 --resource matlab=3)
running_of()
{
	[ "$(aqueue --noheader --array --states RUNNING --format id "$1" | wc -l)" = "$2" ]
}
ok 'elements of an array hold theirs each' wait_until 20 running_of "$array" 2

# actl show cluster, and totals that change at run time
row()
{
	actl show cluster --noheader --format "$2" | grep "^ *$1 " | tr -s ' '
}
shows()
{
	row "$1" "resource,$2" | grep -q -- "$3"
}
like "$(row matlab resource,of,total,used,free)" '^ ?matlab cluster 20 18 2' 'actl show cluster counts a licence'
like "$(row ansys resource,reserved)" 'cfd=2' 'it shows what is reserved for queues'
like "$(row matlab resource,holders)" "$big \([a-z]+\) 10, $array \([a-z]+\) 6, $wait" 'it shows who holds them, the most first'
like "$(row cpu resource,of,total)" 'cpu 2 nodes 16' 'resources of nodes have rows'
is "$(actl show cluster --json | jq -c '.resources[] | select(.resource == "matlab") | [.total, .used, .free, .holders[0].amount]')" \
	'[20,18,2,10]' 'JSON has the numbers'
run actl license matlab=12
like "$out" 'the cluster has 12 now, 0 of them are free' 'a total is set at run time'
is "$(actl show cluster --json | jq '.resources[] | select(.resource == "matlab") | .used')" 18 'nothing is ended'
sed -i 's/matlab = 20/matlab = 21/' "$cluster/armada.conf"
like "$(actl reconfigure --dry-run)" 'floating matlab +total +12 +21' 'a dry run compares the file with the total in effect'
sed -i 's/matlab = 21/matlab = 20/' "$cluster/armada.conf"
acancel "$wait" >/dev/null
ok 'what is held falls' wait_until 20 shows matlab used 'matlab 16'
running_of "$array" 2
is "$?" 0 'nothing starts below the total'
actl license matlab=default >/dev/null
ok 'the total of armada.conf returns' wait_until 20 running_of "$array" 3
for bad in matlb=3 cpu=3 matlab=-1 matlab matlab=x; do
	run actl license "$bad"
	isnt "$status" 0 "$bad is refused"
done
like "$(row matlab resource,total)" 'matlab 20' 'refusals change nothing'

# what others use, by a program
aba=$(sleeper -L abaqus:2)
ok 'nobody else uses any' wait_until 20 state_is "$aba" RUNNING
echo 3 >"$work/outside"
ok 'the program says that others use 3' wait_until 20 shows abaqus outside 'abaqus 3'
more=$(sleeper -L abaqus:2)
ok 'one is not enough' wait_until 20 waits_for "$more" Licenses
like "$(aexplain "$more")" '2 abaqus asked, 1 of 6 free .*3 used outside' 'aexplain says what others use'
echo hang >"$work/outside"
ok 'a program that hangs is killed, and said' wait_until 20 shows abaqus problem 'ran longer than 1 s and was killed; its last number stays'
ok 'the last number stays' shows abaqus outside 'abaqus 3'
echo 'three, please' >"$work/outside"
ok 'nonsense is said' wait_until 20 shows abaqus problem "it printed 'three, please', which is not a whole number"
echo fail >"$work/outside"
ok 'a failure is said' wait_until 20 shows abaqus problem 'exit status 3'
like "$(cat "$cluster"/log/armctld.log)" 'abaqus: the source has no answer: it ran longer' 'the log has the reason'
sed -i 's/source_timeout = "1s"/source_timeout = "1s"; source_keep = "1s"/' "$cluster/armada.conf"
run actl reconfigure
is "$status" 0 'source_keep changes at run time'
ok 'the number is dropped after source_keep' wait_until 20 state_is "$more" RUNNING
ok 'and that is said' wait_until 20 shows abaqus problem 'too old and was dropped'
done_testing
