#!/bin/sh
# 120 seeds of the simulated storm, the same seed twice, and elastic jobs of many tasks.
asim="$ARMADA_BUILDDIR/src/asim/asim storm --plugins $ARMADA_BUILDDIR/plugins.d"
seeds=${ARMADA_STORM_SEEDS:-120}
echo 1..4
if out=$($asim --seed 1 --seeds "$seeds" 2>&1); then
	echo "ok 1 - $seeds seeds are clean"
else
	echo "not ok 1 - $seeds seeds are clean"
	echo "$out" | grep -v ': ok,' | sed 's/^/# /' | head -60
fi
a=$($asim --seed 7 -v | sha256sum)
b=$($asim --seed 7 -v | sha256sum)
[ "$a" = "$b" ] || printf 'not '
echo "ok 2 - the same seed gives the same bytes"
few=${ARMADA_STORM_EXPLAINED:-30}
a=$($asim --seed 1 --seeds "$few" 2>&1)
b=$($asim --seed 1 --seeds "$few" --explain 2>&1)
if [ "$a" = "$b" ]; then
	echo "ok 3 - jobs are explained, and nothing changes by it"
else
	echo "not ok 3 - jobs are explained, and nothing changes by it"
	echo "$b" | sed 's/^/# /' | head -60
fi
if out=$($asim --seed 1 --seeds 2 --elastic 100 --tasks 16 --steps 10000 2>&1); then
	echo "ok 4 - elastic jobs of up to 16 tasks"
else
	echo "not ok 4 - elastic jobs of up to 16 tasks"
	echo "$out" | grep -v ': ok,' | sed 's/^/# /' | head -60
fi
