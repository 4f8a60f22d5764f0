#!/bin/bash
# Labels of jobs: given, shown, selected by, known to the tasks, and kept in the history; annotations.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

test_under_armada 1 --cpus 4 --memory 4G

ids()
{
	aqueue --noheader --format id "$@" | tr -d ' ' | tr '\n' ' '
}
until_go=$(until_exists go)

run asubmit --parsable --label team=physics,run=7 --label example.org/x=a/b --annotation 'note=some text, with a comma' \
	--mem 50M -o one.txt --wrap "env | grep ^ARMADA_LABEL | sort; $until_go"
one=$out
run asubmit --parsable --label team=bio,late --mem 50M -o /dev/null --wrap "$until_go"
two=$out
run asubmit --parsable --mem 50M -o /dev/null --wrap "$until_go"
three=$out
is "$(ids --label team)" "$one $two " 'jobs with a label'
is "$(ids --label team=bio)" "$two " 'jobs with a value'
is "$(ids --label team,run=7)" "$one " 'all labels of the list must match'
is "$(ids --label '!team')" "$three " 'jobs without a label'
is "$(aqueue --noheader --format labels "$one" "$two" | tr -d ' ')" $'team=physics,run=7,example.org/x=a/b\nteam=bio,late' \
	'a column shows them'
is "$(aqueue --json "$two" | jq -c '.jobs[0].labels')" '{"team":"bio","late":""}' 'JSON has an object'
like "$(actl show job "$one")" 'Labels +team=physics
 +run=7
 +example.org/x=a/b
Annotations +note=some text, with a comma' 'actl show job has labels and annotations'
like "$(aqueue -l "$one")" 'labels team=physics,run=7' 'so has aqueue -l'
run acancel --label team=bio
ok 'acancel selects by label' wait_until 20 job_ended "$two"
touch go
ok 'the others end' wait_until 20 job_ended "$one" "$three"
is "$(cat one.txt)" 'ARMADA_LABELS=team=physics,run=7,example.org/x=a/b
ARMADA_LABEL_EXAMPLE_ORG_X=a/b
ARMADA_LABEL_RUN=7
ARMADA_LABEL_TEAM=physics' 'the tasks have the labels'
is "$(ids --state all --label team)" "$one $two " 'the history selects by label'

is "$(awatch "$two" --from 0 --exit-when-done --json | jq -c 'select(.event == "submitted").labels')" \
	'["team=bio","late="]' 'the event of the submission has them'
is "$(aacct --noheader --label team=physics --format id,labels | tr -s ' ' | sed 's/^ //; s/ $//')" \
	"$one team=physics,run=7,example.org/x=a/b" 'aacct selects by label and shows them'

# forms that are refused
for bad in 'a b=c' '=x' 'a/b/c=x' 'a=b c' 'a="b"'; do
	run asubmit --label "$bad" --wrap true
	is "$status" 2 "refused: $bad"
done
run asubmit --annotation text --wrap true
like "$err" "'text' must be KEY=TEXT" 'an annotation without a key is refused'
run aqueue --label 'a b'
is "$status" 2 'so is a wrong label in a filter'

# arun --label prints ranks; its jobs get labels by another name
is "$(arun --labels team=x --mem 50M --label printenv ARMADA_LABEL_TEAM)" '0: x' 'arun has --labels beside its own --label'
done_testing
