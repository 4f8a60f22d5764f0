#!/bin/bash
# The example of a controller of one's own (contrib/examples/keep-running.c): compiled against the public headers and
# libarmada alone, it keeps jobs running from their events, over a kill of itself and of the controller.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
case $(nm -D "$ARMADA_BUILDDIR/src/client/libarmada.so.0" 2>/dev/null) in
*__asan_* | *__tsan_*) skip_all 'a program without the sanitizer cannot load the library' ;;
esac

ln -s "$ARMADA_BUILDDIR/src/client/libarmada.so.0" "$work/libarmada.so"
ln -s "$ARMADA_BUILDDIR/src/client/libarmada.so.0" "$work/libarmada.so.0"
ok 'the example compiles without warnings' ${CC:-cc} -Wall -Wextra -Werror -I"$ARMADA_SRCDIR/src/include" \
	-o "$work/keep-running" "$ARMADA_SRCDIR/contrib/examples/keep-running.c" -L"$work" -larmada -Wl,-rpath,"$work"

test_under_armada 1 --cpus 8 --memory 4G
printf '#!/bin/sh\necho $$ >>"%s/started"\nexec sleep 1000\n' "$work" >"$work/worker"
chmod 755 "$work/worker"

running()
{
	[ "$(aqueue --noheader --job-set keep --state running --format id | wc -l)" -eq "$1" ]
}
keep()
{
	"$work/keep-running" keep 3 "$@" -- "$work/worker" >>"$work/log" 2>&1 &
	keeper=$!
}

keep 1000
ok 'three jobs run' wait_until 20 running 3
acancel "$(aqueue --noheader --job-set keep --format id | head -n1)" >/dev/null
ok 'one that ends is replaced' wait_until 20 grep -q 'cancelled' "$work/log"
ok 'three jobs run again' wait_until 20 running 3

kill -9 "$keeper"
wait "$keeper" 2>/dev/null
acancel "$(aqueue --noheader --job-set keep --format id | head -n1)" >/dev/null
ok 'while the example is dead two are left' wait_until 20 running 2
keep 1000
ok 'started again it replaces the one that ended meanwhile' wait_until 20 running 3

"$devcluster" kill "$cluster" armctld
"$devcluster" restart "$cluster" armctld
ok 'it survives a kill of the controller' kill -0 "$keeper"
acancel "$(aqueue --noheader --job-set keep --format id | head -n1)" >/dev/null
ok 'and goes on replacing' wait_until 30 grep -q 'job 6 submitted' "$work/log"
ok 'three jobs run at the end' wait_until 20 running 3
is "$(grep -c submitted "$work/log")" 6 'no job was submitted twice or too much'
kill "$keeper"
wait "$keeper" 2>/dev/null
done_testing
