#!/bin/bash
# Queues that are tied to nodes by labels, and alternatives in the constraint of a job.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

test_under_armada 3 --cpus 2 --memory 2G
anode label n1 rack=r1 gpu=a100 >/dev/null
anode label n2 rack=r2 gpu=h100 >/dev/null

# where OPTION...: the node that a job runs on
where()
{
	asubmit --wait --mem 50M -o where.txt "$@" --wrap 'echo $ARMADA_NODE_NAME' >/dev/null
	cat where.txt
}
why()
{
	aqueue --noheader --format why "$1" | tr -d ' '
}
waits_for()
{
	[ "$(why "$1")" = "$2" ]
}
ended()
{
	[ "$(aqueue --noheader --format state "$1" | tr -d ' ')" = COMPLETED ]
}

is "$(where -C 'gpu=h100|gpu=none')" n2 'of alternatives one is enough'
is "$(where -C '(rack=r1|rack=r2)&!gpu=h100')" n1 'alternatives and a further label'
run asubmit --test-only -C 'gpu=x|gpu=y' --wrap true
is "$status" 1 'alternatives that no node has are refused'
like "$err" "no node has one of the labels 'gpu=x' or 'gpu=y'" 'the error names all of them'
id=$(asubmit --parsable --hold -C '(rack=r1|rack=r2)&gpu' --wrap true)
like "$(actl show job "$id" | tr -s ' \n' ' ')" 'Labels rack=r1 or rack=r2 gpu ' 'actl show job prints the alternatives'

run actl queue create west --constraint 'rack=r1'
is "$status" 0 'a queue is tied to nodes'
like "$(actl queue show west)" 'constraint +rack=r1' 'actl queue show prints the labels'
is "$(where -p west)" n1 'a job of the queue runs on such a node'
is "$(where -p west -C '!gpu=none')" n1 'the labels of the job are required, too'
run asubmit -p west -C gpu=h100 --wrap true
is "$status" 1 'a job whose labels contradict those of the queue is refused'
like "$err" "in queue 'west', whose jobs run only on nodes with rack=r1: no node matches" 'the error names the queue'
run actl queue update west --constraint rack=r9
is "$status" 1 'a label that no node has is refused'
like "$err" "no node has the label 'rack=r9'; did you mean 'rack=r[12]'?" 'the error has a near name'
run actl queue update west --constraint 'rack='
like "$err" "'rack=' is not a label" 'a text that is no list of labels is refused'

# waiting jobs follow a change; aexplain names the queue
anode drain n1 maintenance >/dev/null
id=$(asubmit --parsable -p west --mem 50M -o where.txt --wrap 'echo $ARMADA_NODE_NAME')
ok 'a job waits for the nodes of its queue' wait_until 20 waits_for "$id" Constraints
like "$(aexplain "$id")" 'no node that is up has label rack=r1, which its queue requires' 'aexplain names the reason'
like "$(aexplain "$id")" 'without the label rack=r1, which its queue requires' 'aexplain counts the nodes'
actl queue update west --constraint 'rack=r2|rack=r3x' 2>/dev/null
is "$(actl queue list west --noheader --format constraint)" 'rack=r1' 'a refused change changes nothing'
run actl queue update west --constraint 'rack=r2|gpu=none|rack=r1'
is "$status" 1 'each alternative must be the label of a node'
run actl queue update west --constraint 'rack=r2'
is "$status" 0 'the queue is tied to another node'
ok 'the waiting job runs there' wait_until 20 ended "$id"
is "$(cat where.txt)" n2 'on the node with the new label'
"$devcluster" kill "$cluster" armctld
"$devcluster" restart "$cluster" armctld >/dev/null
is "$(where -p west)" n2 'after a restart of the controller, too'
anode resume n1 >/dev/null
actl queue update west --constraint none >/dev/null
is "$(where -p west -w n1)" n1 'without the constraint any node is used'

done_testing
