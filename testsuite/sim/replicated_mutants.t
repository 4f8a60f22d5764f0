#!/bin/sh
# Plant defects in state/redis and in the host around it, and check that the storm of several controllers finds each.
[ -f "$ARMADA_BUILDDIR/plugins.d/state_redis.so" ] || { echo '1..0 # SKIP state/redis is not built'; exit 0; }
. "$ARMADA_SRCDIR/testsuite/lib/mutants.sh"
seeds=${ARMADA_MUTANT_SEEDS:-60}

# A defect of the plugin is in $work/plugins, one of the storm in $work/asim.
build()
{
	rm -rf "$work/plugins"
	mkdir -m 755 "$work/plugins"
	cp "$build/plugins.d/state_redis.so" "$work/plugins"
	case $1 in
	plugins/*) target=redis-mutant out=$work/plugins/state_redis.so asim=$build/src/asim/asim ;;
	*) target=storm-mutant out=$work/asim asim=$work/asim ;;
	esac
	make -s -C "$build" --no-print-directory $target MUTANT="$work/mutant.c" MUTANT_FILE="$1" MUTANT_OUT="$out" &&
		chmod 644 "$work/plugins/state_redis.so"
}

# A crash is a find.
hunt()
{
	"$asim" storm --replicated --plugins "$work/plugins" --stop --seeds "$seeds" >"$work/out" 2>&1
	code=$?
	grep -m 1 -E '^seed [0-9]+: event|[Aa]ssert' "$work/out" ||
		{ [ $code -le 128 ] || echo "signal $((code - 128))"; }
}

mutants "$src/testsuite/sim/replicated_mutants.txt" 3 storm
