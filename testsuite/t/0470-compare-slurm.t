#!/bin/bash
# contrib/compare-slurm: options, and the table of recorded figures. Nothing is measured.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
compare=$ARMADA_SRCDIR/contrib/compare-slurm

names='submit_1 submit_4 submit_8 array_accept array_rate single_rate list_all list_one cancel_10000 restart_50000
bytes_per_job lost_on_kill'
run "$compare" --help
is "$status" 0 '--help succeeds'
absent=
for option in --quick --json --markdown --record --from --only --runs --armada-conf --slurm-conf; do
	grep -qe "^$option " <<<"$out" || absent+=" $option"
done
is "$absent" '' '--help describes each option'

# refused STATUS TEXT OPTION...: the options give this status and a message with the text.
refused()
{
	local expected=$1 text=$2

	shift 2
	run "$compare" "$@"
	is "$status:$out" "$expected:" "$* is refused"
	like "$err" "$text" "the message for $* says why"
}

refused 2 "unknown option '--wrong'" --wrong
refused 2 'needs a value' --from
refused 2 'from 1 to 99' --runs 0
refused 2 'expected submit, rates, waiting or kill' --only submit,sleep
refused 2 'no part given' --only=
refused 1 'cannot be read' --from "$work/none"

# figures NAME VALUE-OF-ARMADA VALUE-OF-SLURM JOBS
figures()
{
	printf 'figure\t%s\tarmada\t%s\t%s\n' "$1" "$2" "$4"
	printf 'figure\t%s\tslurm\t%s\t%s\n' "$1" "$3" "$4"
}
{
	printf 'meta\tdate\t2026-01-31\nmeta\tmachine\t2 cpus ("A\\B"), 24 GiB\nmeta\tversions\tArmada 1, Slurm 2\n'
	printf 'meta\tcommand\tcompare-slurm --quick\n'
	printf 'conf\tarmada\tcluster = "dev";\nconf\tslurm\tClusterName=compare\nconf\tslurm\tA=b\tc\n'
	figures submit_1 300 200 1000
	figures submit_1 900 100 1000
	figures submit_1 500 250 1000
	figures array_rate 350.5 70.1 2000
	figures array_rate 449.5 69.9 2000
	figures list_all 50 400 50000
	figures lost_on_kill 0 679 2086
} >raw

run "$compare" --from raw
is "$status" 0 'a table is made of recorded figures'
like "$out" 'submit_1 .* 1000 +jobs/s +500 +200 +2\.50'$'\n' 'the median of three rates, and Armada divided by Slurm'
like "$out" 'array_rate .* 2000 +jobs/s +400 +70 +5\.71'$'\n' 'the median of two rates is their mean'
like "$out" 'list_all .* 50000 +ms +50 +400 +8'$'\n' 'of times, Slurm divided by Armada'
like "$out" 'lost_on_kill .* 2086 +jobs +0 +679 +680$' 'of lost jobs, both plus one'
unlike "$out" 'single_rate' 'a row that was not measured is not shown'

run "$compare" --json --from raw
is "$status" 0 'the table as JSON'
printf '%s\n' "$out" >table.json
if has jq; then
	is "$(jq -c '[.rows[] | [.name, .armada, .slurm, .ratio]]' table.json)" \
		'[["submit_1",500,200,2.5],["array_rate",400,70,5.71429],["list_all",50,400,8],["lost_on_kill",0,679,680]]' \
		'JSON has names, figures and ratios'
	is "$(jq -r .machine table.json)" '2 cpus ("A\B"), 24 GiB' 'JSON quotes text'
	is "$(jq -r .settings.slurm table.json)" $'ClusterName=compare\nA=b\tc' 'JSON has the configurations'
else
	skip "$missing"
fi

run "$compare" --markdown --from=raw
is "$status" 0 'the table as Markdown'
like "$out" '\| `submit_1` \|[^|]*\| 1000 \| 500 \| 200 \| jobs/s \| 2\.50 \|' 'Markdown has a row of the table'
like "$out" $'```\nClusterName=compare\n' 'Markdown has the configuration'

for name in $names; do
	figures "$name" 2 1 5
done >raw
"$compare" --json --from raw >table.json
is "$(grep -o '"name": "[a-z0-9_]*"' table.json | cut -d'"' -f4 | paste -sd' ')" "$(echo $names)" \
	'the rows have their names and order'

# bad LINE TEXT: a file with this line is refused with the text.
bad()
{
	figures list_one 2 1 5 >raw
	printf '%b\n' "$1" >>raw
	run "$compare" --json --from raw
	is "$status:$out" 1: "the line '$1' is refused"
	like "$err" "raw:.*$2" 'the message says why'
}

bad 'figure\tlist_two\tarmada\t1\t1' '3: unknown row "list_two"'
bad 'figure\tlist_one\tflux\t1\t1' '3: unknown system "flux"'
bad 'figure\tlist_one\tslurm\tfast\t1' '3: expected a figure'
bad 'figure\tlist_one\tslurm\t-1\t1' '3: expected a figure'
bad 'anything' '3: not a line of recorded figures'
bad 'figure\tlist_all\tslurm\t1\t1' 'row "list_all" has no figure of both systems'
: >raw
refused 1 'no figures' --from raw
done_testing
