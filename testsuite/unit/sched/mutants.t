#!/bin/sh
# Plant defects in the scheduler and its plugins, and see that the tests of src/sched find each.
. "$ARMADA_SRCDIR/testsuite/lib/mutants.sh"
worlds=${ARMADA_MUTANT_SEEDS:-2000}

# Plugins are loaded from a folder with all of them, one of which is the mutant.
build()
{
	plugins=$build
	program=$build/testsuite/unit/sched/$2
	case $1 in
	plugins/*)
		name=$(basename "$1" .c)
		[ "$name" = sequence ] && name=binpack # which is made of little else
		kind=$(basename "$(dirname "$1")")
		plugins=$work
		rm -rf "$work/plugins"
		for dir in "$build"/plugins/*/; do
			to=$work/plugins/$(basename "$dir")
			mkdir -p "$to" && cp -L "$dir"/*.so "$to" 2>/dev/null || rmdir "$to"
		done
		make -s -C "$build" --no-print-directory sched-mutant-plugin \
			MUTANT="$work/mutant.c" MUTANT_FILE="$1" \
			MUTANT_OUT="$work/plugins/$kind/${kind}_$name.so"
		;;
	*)
		program=$work/$2
		make -s -C "$build" --no-print-directory sched-mutant MUTANT="$work/mutant.c" \
			MUTANT_FILE="$1" MUTANT_TEST="$2" MUTANT_OUT="$work/$2"
		;;
	esac
}

hunt()
{
	ARMADA_BUILDDIR=$plugins ARMADA_STOP=1 ARMADA_WORLDS=$worlds timeout 300 "$program" \
		>"$work/out" 2>&1 && return
	grep -o -E 'seed [0-9]+ round .*|[Aa]ssert.*|^not ok .*' "$work/out" >"$work/found" ||
		echo "it ended" >"$work/found"
	head -n 1 "$work/found" | cut -c 1-100
}

mutants "$src/testsuite/unit/sched/mutants.txt" 3
