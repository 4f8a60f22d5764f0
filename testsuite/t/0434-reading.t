#!/bin/bash
# Output for reading: aqueue --detail as blocks, arrays as one line of counts, one form of durations, and the same
# reasons in aqueue and aexplain.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

cat >conf <<'X'
queues = ( { name = "a"; owners = [ "ME" ]; max_running = 1; }, { name = "b"; owners = [ "ME" ]; } );
scheduler = { cycle_period = "50ms"; };
X
sed -i "s/ME/$(id -un)/g" conf

test_under_armada 2 --cpus 4 --memory 4G --conf conf

cat >until <<'X'
#!/bin/bash
# until FILE: runs until the file exists
until [ -e "$1" ]; do
	read -rt 0.1 <&9 || :
done 9<> <(:)
exit 0
X
chmod 755 until

# job OPTION...: its id goes to $id
job()
{
	id=$(asubmit --parsable --memory 100M -o /dev/null "$@") || diag "asubmit $* failed"
}

state_is()
{
	[ "$(aqueue --noheader --state all --format state "$1")" = "$2" ]
}

# waits_for ID WORD
waits_for()
{
	[ "$(aqueue --noheader --format why "$1")" = "$2" ]
}

# line ID: the line of a job in the default listing, one space between the columns
line()
{
	aqueue --noheader "$@" | tr -s ' ' | sed 's/^ //'
}

# on_terminal COLUMNS COMMAND: prints its output on a terminal of this width
on_terminal()
{
	script -qec "stty rows 40 cols $1; $2" /dev/null </dev/null | tr -d '\r' |
		sed 's/\^@//g; s/\x1b\[[0-9;]*m//g'
}

# field LABEL: the value of a field of the block on standard input
field()
{
	sed -n "s/^  $1  *//p"
}

# ---- an array is one line ----

# elements 1 to 4 end at once, the third badly; the others run until the file exists
job -q b -a 1-40 --wrap "
	[ \$ARMADA_ARRAY_TASK_ID != 3 ] || exit 7
	[ \$ARMADA_ARRAY_TASK_ID -gt 4 ] || exit 0
	exec $work/until $work/go"
array=$id
array_is()
{
	[[ $(line "$array") =~ $1 ]]
}
counts='3 done, 1 failed, 8 running, 28 waiting'
ok 'an array is one line of counts' wait_until 30 array_is "^$array b .* R [^ ]+ 2 $counts \(Resources\)$"
is "$(aqueue --noheader "$array" | wc -l)" 1 'and no more lines'
is "$(aqueue --noheader --array "$array" | wc -l)" 36 '--array shows each element that has not ended'
like "$(line --state running "$array")" "^$array b .* R [^ ]+ 2 8 running$" '--state chooses the states that are counted'
like "$(line --state pending "$array")" "^${array}_\[13-40\] .* PD .* \(Resources\)$" 'pending elements are named'
like "$(line "${array}_5")" "^${array}_5 .* R .* n[12]$" 'an element that is named has its own line'
ok 'a failed element is named' wait_until 10 eval "[[ \$(line --state failed $array) =~ ^${array}_3' ' ]]"
is "$(aqueue --noheader --format id,progress "$array" | wc -l)" 9 '--format has a line for each element that runs'
is "$(aqueue --noheader --format progress "$array" | sort -u)" "$counts" 'and the counts in a column'
aqueue --json "$array" >json
like "$(tr -d ' \n' <json)" '"progress":\{[^}]*"completed":3' 'JSON has the counts'
is "$(grep -c '"id":' json)" 9 'JSON has a row for each element that runs'
like "$(aqueue --json "$array" | tr -d ' \n')" '"pending":28,"running":8|"running":8.*"pending":28|"pending":28.*"running":8' \
	'also those of elements that are not listed'
aqueue --detail "$array" >block
is "$(grep -c '^Job ' block)" 1 'an array is one block'
is "$(field Elements <block)" "$counts" 'with the counts'
like "$(head -1 block)" "^Job $array \(.*\): RUNNING since 20.* \([0-9a-z ]+\)$" 'and since when it runs'
like "$(field Waits <block)" '^Resources: none of 2 nodes has 1 cpu free now' 'and why the rest waits'
is "$(field Nodes <block)" '2: n[1-2]' 'and the nodes of all'
AQUEUE_FORMAT=id,progress
export AQUEUE_FORMAT
is "$(aqueue --noheader "$array" | tr -s ' ')" "$array $counts" 'AQUEUE_FORMAT chooses columns of the same line'
unset AQUEUE_FORMAT

# ---- aexplain says the same ----

# agree ID: the reason and its word are the same in aqueue, in aqueue --detail and in aexplain
agree()
{
	local word reason

	word=$(aqueue --noheader --format why "$1")
	reason=$(aqueue --noheader --format reason "$1")
	aexplain "$1" >explained
	is "$(sed -n 's/^\([A-Za-z]*\): .*/\1/p' explained | head -1)" "$word" "job $1: aexplain has the word $word"
	is "$(sed -n '/^[A-Za-z]*: /{n;s/^  //p}' explained | head -1)" "$reason" "job $1: aexplain has the reason: $reason"
	is "$(aqueue --detail "$1" | field Waits)" "$word: $reason" "job $1: so has aqueue --detail"
}

job -q b -N 2 -c 4 -t 90 -- "$work/until" "$work/go"
wide=$id
ok 'a job waits for room' wait_until 30 waits_for "$wide" Resources
agree "$wide"
job -q b --hold -- true
ok 'a held job waits' wait_until 30 waits_for "$id" Held
agree "$id"
unlike "$(aexplain "$id")" 'would end before it tries' 'nothing is said about a round that would not try it'
held=$id
job -q a -c 1 -- "$work/until" "$work/go"
job -q a -c 1 -- "$work/until" "$work/go"
limited=$id

# ---- blocks ----

aqueue --detail "$wide" >block
like "$(head -1 block)" "^Job $wide \(until\): PENDING since 20" 'a block begins with the job and its state'
is "$(field 'Run time' <block)" 'limit 01:30:00' 'it has the time limit'
is "$(field Directory <block)" "$work" 'it has the directory'
named=$(asubmit --parsable --hold --memory 100M -J 'a/b' -o '%x-%4A.%N.txt' -e errors-%j --wrap true)
aqueue -l "$named" >files
is "$(field Output <files)" "$work/a_b-$(printf %04d "$named").%N.txt" 'the path of the output has what is known of it'
is "$(field Errors <files)" "$work/errors-$named" 'so has that of the errors'
acancel --quiet "$named"
is "$(aqueue -l "${array}_5" | field Output)" /dev/null 'an absolute path stays as it is'
is "$(grep -c "^  Waits .* cpu free now" block)" 1 'without a terminal a reason is one line'
is "$(aqueue --detail --noheader --format id,state "$wide" | tr -s ' ')" "$wide PENDING" '--format is obeyed with --detail'
like "$(aqueue --detail --json "$wide")" '"version": 1' 'so is --json'
is "$(aqueue --detail "$wide" "$held" | grep -c '^Job ')" 2 'each job has a block'
is "$(aqueue --detail "$wide" "$held" | grep -c '^$')" 1 'an empty line separates them'
is "$(aqueue --detail --me --state suspended)" '' 'no job is no block'

if ! has script; then
	skip "$missing"
else
	on_terminal 50 "aqueue --detail $wide" >narrow
	# a path is not cut, so its line may be wider
	is "$(grep -v "^ *\(Directory *\)\?/" narrow | grep -E '^.{51}')" '' 'on a terminal lines are wrapped at its width'
	is "$(tr -s ' \n' ' ' <narrow | sed 's/ ([0-9a-z .]*)//g')" "$(tr -s ' \n' ' ' <block | sed 's/ ([0-9a-z .]*)//g')" \
		'and nothing is cut'
	like "$(grep -A1 '^  Waits' narrow | tail -1)" '^              [^ ]' 'with a hanging indent'
fi

# ---- the end ----

touch go
ok 'the array ends' wait_until 60 eval "[ -z \"\$(aqueue --noheader --state pending,running,completing $array)\" ]"
ok 'an array that has ended is one line' wait_until 30 array_is "^$array .* F [^ ]+ 0 39 done, 1 failed$"
is "$(aqueue --noheader --state all --job "$array" | wc -l)" 1 'also with --state all'
like "$(line --state completed "$array")" "^${array}_\[1-2,4-40\] .* CD " 'elements that ended alike are named'
is "$(aqueue --noheader --array "$array" | wc -l)" 40 '--array shows each of them'
like "$(aqueue --json "${array}_3" | tr -d ' \n')" '"progress":\{"failed":1\}' 'JSON counts what was selected'
like "$(aqueue --detail "${array}_3" | head -1)" "^Job ${array}_3 \(.*\): FAILED at 20[^ ]*, exit 7:0$" 'a block has the end and the exit code'
is "$(aqueue --detail "${array}_3" | field Reason)" 'exit code 7' 'and the reason'

# ---- what has ended since ----

end=$(($(aqueue --json "${array}_3" | sed -n 's/.*"end_time": \([0-9]*\),*$/\1/p') / 1000000 + 1))
wait_until 10 eval "[ \$(date +%s) -gt $end ]"
job -q b --name late -- true
ok 'a job ends' wait_until 30 state_is "$id" COMPLETED
since=$(date -d "@$end" +%Y-%m-%dT%H:%M:%S)
like "$(aqueue -h --since today --format job,state | tr -s ' ' | sort -u)" "$array FAILED"$'\n(.*\n)*'".*$id COMPLETED" \
	'--since has jobs that have ended'
like "$(aqueue -h -S today --format job,state | tr -s ' ')" "$held PENDING" 'and those that have not'
ended=$(aqueue -h --since "$since" --format id "${array}_3" "$id" | tr -d ' ')
is "$ended" "$id" 'but none that ended before'
is "$(aqueue -h --since "$since" -t COMPLETED --format job -n late | tr -d ' ')" "$id" '--state chooses among them'
run aqueue --since soon
is "$status $(wc -l <<<"$err")" '2 1' 'a time that is none is refused'
like "$err" "^aqueue: error: --since: 'soon' is not a time in the past; write 30m, 1d .* today" 'with what would be accepted'

# ---- durations ----

ok 'the wide job ends' wait_until 60 state_is "$wide" COMPLETED
like "$(aqueue --noheader --format elapsed,time_limit "$wide")" '^ *00:00:[0-5][0-9] 01:30:00$' 'listings have HH:MM:SS'
like "$(actl show job "$wide")" 'Time limit +01:30:00' 'so has actl show job'
run asubmit --time 5000h --grace-period 10h -- true
like "$err" 'grace period: at most 5 min is accepted' 'errors have units'
ok 'a limited job starts when another has ended' wait_until 60 state_is "$limited" COMPLETED
acancel --quiet "$held"

# each option with a duration refers to the one description, and says what a number alone means
for page in asubmit:time asubmit:grace-period asubmit:lease asubmit:retry-for arun:retry-for actl:time \
	actl:grace-period actl:default-time actl:max-time actl:extend-time actl:lease ashare:since; do
	file=$ARMADA_SRCDIR/man/${page%:*}.1
	option=$(sed 's/\\-/-/g' "$file" | awk -v option="--${page#*:} " '
		/^\.TP/ { inside = 0 }
		/^\.B/ && index($0, option) && /\\c$/ { inside = 1 }
		inside')
	like "$option" 'armada \(7\)' "${page/:/(1) --} refers to the forms of durations"
	like "$option" 'without a unit is in (seconds|minutes)' "${page/:/(1) --} has the unit of a number"
done

done_testing
