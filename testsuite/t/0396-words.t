#!/bin/bash
# Priority, priority class and priority factor in everything that users read: each has its own name,
# and its direction is stated as in armada(7). All pages and all --help texts are checked.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

man=$ARMADA_SRCDIR/man
b=$ARMADA_BUILDDIR
commands='asubmit arun aqueue acancel aexplain ashare anode actl awatch'

# sentences: prints the text on standard input one sentence a line, without the markup of manual
# pages.
sentences()
{
	sed -E '/^\.\\"/d; s/\\f[BIRP]//g; s/\\-/-/g; s/\\\(..//g; s/\\[&c]//g; s/^\.(TP|PP|IP|SS|SH|nf|fi|br).*/./
		s/^\.[A-Z]+ //; s/"//g' | awk '
		/^\.?$/ { print s "."; s = ""; next }
		{ s = s " " $0 }
		END { print s }' | sed -E 's/\. +/.\n/g' | tr -s ' '
}

# Wrong statements, as extended regular expressions over one sentence, and the expression that
# excuses one. The words of other systems are in one section of armada(7), which is not checked.
wrong=(
	'higher priority|priority is higher|highest priority'	'class'
	'lower priority class|lower class'			'nothing'
	'(higher|larger) (priority )?factor'			'smaller share'
	'lower (priority )?factor.*(smaller|less)'		'nothing'
	'priority.*(higher|larger|greater).*(runs|goes|is) first'	'class'
	'priority class.*lower (runs|goes|is) first'		'job.s priority|--priority |submitted first'
	'[^-]priority factor.*(higher|urgent)'			'class'
	'priority level|job class|queue priority|priority of (a|the) queue'	'usage'
)

check_text()
{
	local name=$1 i bad
	local -n text=$2

	for ((i = 0; i < ${#wrong[@]}; i += 2)); do
		bad=$(grep -iE -- "${wrong[i]}" <<<"$text" | grep -viE -- "${wrong[i + 1]}")
		[ -z "$bad" ] || found+="$name: $bad"$'\n'
	done
}

found=
for page in "$man"/*.[1-8]; do
	said=$(sed '/^\.SS Terms of other systems/,/^\.S[SH] The life/d' "$page" | sentences)
	check_text "${page##*/}" said
done
is "$found" '' 'no page confuses the three'
found=
for command in $commands asim; do
	program=$b/$command
	[ -x "$program" ] || program=$b/src/asim/asim
	# an option and its description are one sentence
	said=$("$program" --help | awk '/^ +(-., )?--|^  [a-z_]+ |^$/ { print s; s = "" } { s = s " " $0 } END { print s }')
	check_text "$command" said
done
is "$found" '' 'no --help confuses the three'

# The check itself finds wrong statements.
found=
said='A job with a higher priority runs sooner.
A lower priority factor means a smaller share.
The priority class with the lower number.
Jobs of lower class.'
check_text probe said
is "$(grep -c . <<<"$found")" 3 'wrong statements are found'

# help COMMAND: options and columns, one a line
help()
{
	"$b/$1" --help | awk '/^ +(-., )?--|^  [a-z_]+ |^$/ { print s; s = "" } { s = s " " $0 } END { print s }' | tr -s ' '
}

for command in asubmit arun actl; do
	like "$(help "$command" | grep -- ' --priority=')" '[Pp]riority in its queue: lower runs first' \
		"$command --priority states its direction"
	like "$(help "$command" | grep -- ' --priority-class=')" 'class: higher is more urgent' \
		"$command --priority-class states its direction"
done
like "$(help actl | grep -- ' --factor=')" 'Priority factor: lower means a larger share' 'actl --factor states its direction'
like "$(help actl | grep '^ factor ')" 'Priority factor: lower means a larger share' 'the column factor states its direction'
like "$(help aqueue | grep '^ priority ')" 'Priority in its queue: lower runs first' 'the column priority states its direction'
like "$(help aqueue | grep '^ class ')" 'Priority class: higher is more urgent' 'the column class states its direction'
page=$(sentences <"$man/armada.7")
for words in 'priority.*lower runs first' 'priority factor.*lower means a larger share' \
	'priority class.*higher is more urgent'; do
	like "$(tr '\n' ' ' <<<"$page")" "$words" "armada(7): $words"
done
for other in Slurm PBS 'Armada on Kubernetes'; do
	like "$page" "$other" "armada(7) has the words of $other"
done

# --- one used in the place of another

test_under_armada 1
refused()
{
	local want=$1

	shift
	run "$@"
	is "$status" 2 "$*"
	like "$err" "$want" "$*: the error names the right option"
}
refused 'lower priority runs first.*--priority-class=NAME' asubmit --priority high --wrap true
refused 'priority classes have names.*--priority=5' asubmit --priority-class 5 --wrap true
refused "a priority factor belongs to a queue.*--priority .lower runs first" asubmit --priority-factor 2 --wrap true
refused '--queue=long.*--priority-class=long' asubmit --qos long --wrap true
refused '^asubmit: error: --account: .phys/a. is not the name of an account' asubmit --account phys/a --wrap true
refused '^asubmit: error: -A: .none. is not the name of an account' asubmit -A none --wrap true
refused 'not a whole number' asubmit --nice=high --wrap true
refused 'would be' asubmit --priority 2147483647 --nice --wrap true
refused '--factor=N .lower means a larger share' actl queue create x --priority 2
refused 'is an option: --priority=5' actl update queue=x priority=5
refused 'priority classes have names' actl update 5 --priority-class 5
done_testing
