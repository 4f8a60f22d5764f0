#!/bin/sh
# Plant defects one by one and see that the storm finds each of them.
#
# Each line of testsuite/sim/mutants.txt names a file and a sed command that breaks it. The file is
# compiled alone and linked in front of the libraries of the build, so that it takes the place of the
# sound one.
src=$ARMADA_SRCDIR
build=$ARMADA_BUILDDIR
seeds=${ARMADA_MUTANT_SEEDS:-400}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM

n=0
while IFS='|' read -r name file command; do
	case $name in '' | '#'*) continue ;; esac
	n=$((n + 1))
	sed "$command" "$src/$file" >"$work/mutant.c"
	if cmp -s "$work/mutant.c" "$src/$file"; then
		echo "not ok $n - $name: the sed command changes nothing in $file"
		continue
	fi
	if ! make -s -C "$build" --no-print-directory storm-mutant MUTANT="$work/mutant.c" \
		MUTANT_FILE="$file" MUTANT_OUT="$work/asim" >"$work/log" 2>&1; then
		echo "not ok $n - $name: it does not build"
		sed 's/^/# /' "$work/log" | tail -20
		continue
	fi
	found=$("$work/asim" storm --plugins "$build/plugins.d" --stop --seeds "$seeds" 2>&1 |
		grep -m 1 -E '^seed [0-9]+: step|[Aa]ssert')
	if [ -n "$found" ]; then
		echo "ok $n - $name: $found"
	else
		echo "not ok $n - $name: $seeds seeds did not find it"
	fi
done <"$src/testsuite/sim/mutants.txt"
echo "1..$n"
