#!/bin/sh
# A plugin built outside the tree, against the installed headers only, is loaded by the host.
build=${ARMADA_BUILDDIR:-$(pwd)}
dir=$(mktemp -d "${TMPDIR:-/tmp}/armada-outside-XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
n=0
check() { # DESCRIPTION STATUS
	n=$((n + 1))
	if [ "$2" -eq 0 ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; sed 's/^/# /' "$dir/log"; fi
}

unset MAKEFLAGS MFLAGS
make -s -C "$build" DESTDIR="$dir/root" install-armadaincludeHEADERS >"$dir/log" 2>&1
check "headers are installed" $?
include=$(dirname "$(find "$dir/root" -type d -name armada | head -n 1)")

for kind in auth state contain fairness order preempt select notify; do
	printf '#include <armada/%s.h>\nint x;\n' $kind >"$dir/h.c"
	${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -I"$include" -c "$dir/h.c" \
		-o "$dir/h.o" >"$dir/log" 2>&1
	check "armada/$kind.h compiles alone" $?
done

cat >"$dir/mine.c" <<'END'
#include <armada/auth.h>
#include <stdlib.h>
#include <string.h>

static const struct armada_option options[] = {
	{.name = "greeting", .type = ARMADA_OPTION_STRING, .def = "hello", .help = "What it says."},
};
static int mine_open(void **ret_handle, const struct armada_option_value *values,
		     const struct armada_host *host, struct armada_error *err)
{
	(void)err;
	host->log(6, values[0].s);
	*ret_handle = NULL;
	return 0;
}
static const struct armada_auth_ops ops = {.open = mine_open};
ARMADA_PLUGIN(ARMADA_PLUGIN_AUTH, "mine", "built elsewhere", options, ops);
END
${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden \
	-Wl,-z,defs -I"$include" "$dir/mine.c" -o "$dir/auth_mine.so" >"$dir/log" 2>&1
check "a plugin builds with the installed headers only" $?
chmod 644 "$dir/auth_mine.so"

"$build/testsuite/unit/plugin/load" "$dir" auth mine >"$dir/log" 2>&1
check "the host loads it" $?
grep -q '^auth/mine: built elsewhere$' "$dir/log"
check "the host knows the plugin's description" $?
grep -q '^option greeting = hello$' "$dir/log"
check "the host knows the plugin's option" $?

# A plugin built when its operations table was shorter.
cat >"$dir/old.c" <<'END'
#include <armada/fairness.h>
#include <stddef.h>

static const struct armada_fairness_ops ops;
__attribute__((visibility("default"))) extern const struct armada_plugin armada_plugin;
const struct armada_plugin armada_plugin = {
	.magic = ARMADA_PLUGIN_MAGIC, .abi = ARMADA_PLUGIN_ABI, .kind = ARMADA_PLUGIN_FAIRNESS,
	.name = "old", .description = "of an older release", .ops = &ops,
	.ops_size = offsetof(struct armada_fairness_ops, lapse) - LACKS,
};
END
for lacks in 0 8; do
	${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden \
		-DLACKS=$lacks -Wl,-z,defs -I"$include" "$dir/old.c" -o "$dir/fairness_old.so" >"$dir/log" 2>&1
	chmod 644 "$dir/fairness_old.so"
	"$build/testsuite/unit/plugin/load" "$dir" fairness old >"$dir/log" 2>&1
	[ $? -eq $((lacks > 0)) ]
	check "a table of an older release $([ $lacks = 0 ] && echo is accepted || echo must not be shorter than the first)" $?
done
grep -q 'operations table of' "$dir/log"
check "a table that is too short is refused because of its size" $?

chmod 666 "$dir/auth_mine.so"
"$build/testsuite/unit/plugin/load" "$dir" auth mine >"$dir/log" 2>&1
[ $? -eq 1 ] && grep -q 'may be written by others' "$dir/log"
check "a plugin that others may write is refused" $?
echo "1..$n"
