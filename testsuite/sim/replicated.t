#!/bin/sh
# Seeds of the storm of several controllers, and a seed twice.
[ -f "$ARMADA_BUILDDIR/plugins.d/state_redis.so" ] || { echo '1..0 # SKIP state/redis is not built'; exit 0; }
asim="$ARMADA_BUILDDIR/src/asim/asim storm --replicated --plugins $ARMADA_BUILDDIR/plugins.d"
seeds=${ARMADA_STORM_SEEDS:-24}
echo 1..2
if out=$($asim --seed 1 --seeds "$seeds" 2>&1); then
	echo "ok 1 - $seeds seeds are clean"
else
	echo "not ok 1 - $seeds seeds are clean"
	echo "$out" | grep -v ': ok,' | sed 's/^/# /' | head -80
fi
a=$($asim --seed 7 -v | sha256sum)
b=$($asim --seed 7 -v | sha256sum)
[ "$a" = "$b" ] || printf 'not '
echo 'ok 2 - the same seed gives the same bytes'
