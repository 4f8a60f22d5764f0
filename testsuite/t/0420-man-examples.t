#!/bin/bash
# The manual pages of the commands: every example does what the page shows, the page has every option of
# --help and every variable of a task, and mandoc reports nothing.
#
# In a page, a comment 'file: NAME' before a block names a file with that text, and 'run: REGEX' a
# block whose lines with $ are commands; their output must match.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

man=$ARMADA_SRCDIR/man
commands='aacct aalloc asubmit arun aqueue acancel aexplain ashare anode actl awatch armctld'

test_under_armada 2

# plain: the text of a page's source lines, as it is displayed.
plain()
{
	sed 's/\\-/-/g; s/\\(aq/'\''/g; s/\\&//g; s/\\e/\\/g'
}

# blocks PAGE: writes the files of PAGE, and one script for each example with its expected output
# beside it.
blocks()
{
	plain <"$1" | awk '
		/^\.\\" file: / { file = $3; next }
		/^\.\\" run: / { sub(/^\.\\" run: /, ""); n++; file = sprintf("%03d.run", n)
			print > sprintf("%03d.want", n); next }
		/^\.nf/ && file { inside = 1; next }
		/^\.fi/ { inside = 0; file = ""; next }
		inside { if (file ~ /\.run$/) sub(/^\$ /, ""); print > file }'
}

for page in "$man"/{aacct,aalloc,asubmit,arun,aqueue,acancel,aexplain,ashare,anode,actl}.1 "$man/armada.7" \
	"$man"/arm{ctl,}d.8 "$man"/armada{.conf,-job}.5; do
	name=${page##*/}
	mkdir "$work/$name" && cd "$work/$name" || exit 99
	blocks "$page"
	ok "$name has examples" test -s 001.run
	for script in *.run; do
		want=$(cat "${script%.run}.want")
		run timeout 60 bash -e "$script"
		is "$status" 0 "$name: example $script runs"
		if grep -qP -- "$want" <<<"$out"; then
			ok "$name: the output matches" true
		else
			ok "$name: the output matches $want" false
			diag "$out"
		fi
	done
	if has mandoc; then
		is "$(mandoc -T lint -W warning "$page" 2>&1)" '' "$name: lint"
	else
		skip "$name: lint: $missing"
	fi
done

# offered COMMAND: the options that bash completion offers, one a line.
offered()
{
	bash -c 'source "$0/contrib/completion/$1.bash"; compopt() { :; }
		COMP_WORDS=("$1" --); COMP_CWORD=1; "_$1"; printf "%s\n" "${COMPREPLY[@]%=}"' "$ARMADA_SRCDIR" "$1"
}

cd "$work" || exit 99
for command in $commands; do
	plain <"$man/$command".[18] >page
	offered "$command" >completed
	absent= uncompleted=
	for option in $($command --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
		grep -qE -- "(^| )$option( |\$)" page || absent+=" $option"
		grep -qx -- "$option" completed || uncompleted+=" $option"
	done
	is "$absent" '' "the page of $command has every option of --help"
	is "$uncompleted" '' "$command.bash completes every option"
	extra=
	for option in $(grep -v -e --noheader -e --format -e --me completed | sort -u); do
		$command --help | grep -qE -- "$option" || extra+=" $option"
	done
	is "$extra" '' "$command.bash completes no unknown option"
done

# every word of the catalogue of reasons, and every column of a listing
absent=
for word in $(grep -oE '"[A-Z][A-Za-z]+"' "$ARMADA_SRCDIR/src/sched/why.h" | tr -d '"'); do
	grep -qx -- ".B $word" "$man/aexplain.1" || absent+=" $word"
done
is "$absent" '' 'aexplain.1 has every reason'
for command in aacct aqueue ashare anode; do
	absent=
	for column in $($command --help | sed -n '/^Columns for/,/^$/s/^  \([a-z_]*\) .*/\1/p'); do
		grep -qE -- "^\\.BR? $column( |\$)" "$man/$command.1" || absent+=" $column"
	done
	is "$absent" '' "$command.1 has every column"
done

# every variable of a task is documented, of a task of an array too
asubmit --wait --array 3 --mem 10M --export PATH --output env.txt --wrap 'env' >/dev/null
absent=
for name in $(grep -oE '^ARMADA_[A-Z_]+' env.txt); do
	grep -qx -- ".B $name" "$man/asubmit.1" || absent+=" $name"
done
is "$absent" '' 'asubmit.1 has every variable of a task'

done_testing
