#!/bin/sh
# Plant defects in the core, the agent and the storm, and check that the storm finds each of them.
. "$ARMADA_SRCDIR/testsuite/lib/mutants.sh"
seeds=${ARMADA_MUTANT_SEEDS:-400}

build()
{
	make -s -C "$build" --no-print-directory storm-mutant MUTANT="$work/mutant.c" \
		MUTANT_FILE="$1" MUTANT_OUT="$work/asim"
}

hunt()
{
	"$work/asim" storm --plugins "$build/plugins.d" --stop --seeds "$seeds" 2>&1 |
		grep -m 1 -E '^seed [0-9]+: event|[Aa]ssert'
}

mutants "$src/testsuite/sim/mutants.txt" 3 storm
