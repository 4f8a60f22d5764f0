#!/bin/sh
# 200 seeds of the simulated storm, and the same seed twice.
asim="$ARMADA_BUILDDIR/src/asim/asim storm --plugins $ARMADA_BUILDDIR/plugins.d"
seeds=${ARMADA_STORM_SEEDS:-200}
echo 1..2
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
