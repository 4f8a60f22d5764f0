# Plants defects one by one and checks that a test finds each of them. A test sources it and defines:
#
#	build FILE TEST	compile $work/mutant.c in place of FILE, for TEST
#	hunt TEST	run it; print the first failure, or nothing
#
# mutants LIST HOW-MANY takes lines of name|file|test|sed command (with a TEST: name|file|sed command).
# The changed source is compiled alone and linked in front of the libraries of the build, so that it
# replaces the original one. ARMADA_MUTANTS sets how many lines are tried, starting at a different one
# on each day of the year; "all" tries all.
src=$ARMADA_SRCDIR
build=$ARMADA_BUILDDIR
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM

# mutant NUMBER NAME FILE TEST COMMAND
mutant()
{
	sed "$5" "$src/$3" >"$work/mutant.c"
	if cmp -s "$work/mutant.c" "$src/$3"; then
		echo "not ok $1 - $2: the sed command changes nothing in $3"
	elif ! build "$3" "$4" >"$work/log" 2>&1; then
		echo "not ok $1 - $2: it does not build"
		sed 's/^/# /' "$work/log" | tail -20
	else
		found=$(hunt "$4")
		if [ -n "$found" ]; then
			echo "ok $1 - $2: $4: $found"
		else
			echo "not ok $1 - $2: $4 did not find it"
		fi
	fi
}

# Every line must change its file, also a line that is not tried today.
stale()
{
	while IFS='|' read -r name file test command; do
		sed "$command" "$src/$file" | cmp -s - "$src/$file" && echo "# $name: nothing changes"
	done <"$work/list" >"$work/stale"
	cat "$work/stale"
	[ ! -s "$work/stale" ] || printf 'not '
	echo 'ok 1 - each defect changes its file'
}

# mutants LIST HOW-MANY [TEST]
mutants()
{
	grep -v -e '^#' -e '^$' "$1" |
		if [ -n "$3" ]; then sed "s/^\([^|]*|[^|]*\)|/\1|$3|/"; else cat; fi >"$work/list"
	of=$(wc -l <"$work/list")
	want=${ARMADA_MUTANTS:-$2}
	[ "$want" = all ] && want=$of
	[ "$want" -gt "$of" ] && want=$of
	skip=0
	[ "$want" -lt "$of" ] && skip=$(($(date +%j | sed 's/^0*//') * want % of))
	cat "$work/list" "$work/list" | tail -n +$((skip + 1)) | head -n "$want" >"$work/some"
	n=1
	stale
	while IFS='|' read -r name file test command; do
		n=$((n + 1))
		mutant "$n" "$name" "$file" "$test" "$command"
	done <"$work/some"
	echo "# $want of $of, from number $((skip + 1)) on"
	echo "1..$n"
}
