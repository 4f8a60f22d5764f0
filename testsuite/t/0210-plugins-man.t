#!/bin/sh
# The example of armada-plugins(7) is the one in contrib: it builds outside the tree against the
# installed files, it loads, and a scheduling round places jobs with it.
src=${ARMADA_SRCDIR:-$(pwd)} build=${ARMADA_BUILDDIR:-$(pwd)}
dir=$(mktemp -d "${TMPDIR:-/tmp}/armada-plugins-man-XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
n=0
check() { # DESCRIPTION STATUS
	n=$((n + 1))
	if [ "$2" -eq 0 ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; sed 's/^/# /' "$dir/log"; fi
}
unset MAKEFLAGS MFLAGS

mkdir "$dir/page"
sed -n '/^\.\\" tight.c: begin/,/^\.\\" tight.c: end/p' "$src/man/armada-plugins.7" |
	sed -e '/^\./d' -e 's/\\-/-/g' -e 's/\\(rs/\\/g' -e 's/\\(dq/"/g' >"$dir/page/tight.c"
diff "$src/contrib/plugin-example/tight.c" "$dir/page/tight.c" >"$dir/log" 2>&1
check "the page shows the source of contrib/plugin-example" $?

# The page's command, with the headers of this tree and warnings as errors.
command=$(sed -n 's/\\-/-/g; /^cc .*tight\.c$/p' "$src/man/armada-plugins.7")
(cd "$dir/page" && export CPATH="$src/src/include" && eval "$command -Werror" && ls select_tight.so) \
	>"$dir/log" 2>&1
check "the command of the page builds it" $?

# The makefile, from a copy elsewhere, against the installed files only.
make -s -C "$build" DESTDIR="$dir/root" install-armadaincludeHEADERS install-pkgconfigDATA >"$dir/log" 2>&1
check "headers and armada.pc are installed" $?
include=$(dirname "$(find "$dir/root" -type d -name armada | head -n 1)")
mkdir "$dir/mine" "$dir/plugins"
cp "$src"/contrib/plugin-example/* "$dir/mine"
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$dir/root" -name armada.pc)")
if pkg-config --exists armada 2>/dev/null; then
	(cd "$dir/mine" && PKG_CONFIG_SYSROOT_DIR="$dir/root" make CFLAGS='-Wall -Wextra -Werror' &&
		ls select_tight.so && rm select_tight.so) >"$dir/log" 2>&1
	check "make builds it with the flags of armada.pc" $?
	(cd "$dir/mine" && make -n install) >"$dir/log" 2>&1
	grep -q "/armada'" "$dir/log"
	check "make knows the plugin directory" $?
fi
(cd "$dir/mine" && make PKG_CONFIG=false "ARMADA_CFLAGS=-I$include" CFLAGS='-Wall -Wextra -Werror') \
	>"$dir/log" 2>&1
check "make builds it with the headers' directory only" $?
(cd "$dir/mine" && ! make PKG_CONFIG=false "ARMADA_CFLAGS=-I$include" install) >"$dir/log" 2>&1 &&
	grep -q 'set plugindir' "$dir/log"
check "make install without a plugin directory is refused" $?
(cd "$dir/mine" && make PKG_CONFIG=false "ARMADA_CFLAGS=-I$include" plugindir="$dir/plugins" install) \
	>"$dir/log" 2>&1
check "make install installs it into the given plugin directory" $?

"$build/testsuite/unit/plugin/load" "$dir/plugins" select tight >"$dir/log" 2>&1
check "the host loads it" $?
grep -q '^select/tight: least free of one resource$' "$dir/log"
check "the host knows its description" $?
grep -q '^option first = memory$' "$dir/log"
check "the host knows its option" $?

# A scheduling round with the plugin chooses another node than binpack, unless its option names
# binpack's first resource.
cp "$build"/plugins.d/*.so "$dir/plugins"
play() { # SED-SCRIPT NODE
	sed "$1" "$dir/mine/scenario.json" >"$dir/scenario.json"
	"$build/src/asim/asim" rounds --plugins "$dir/plugins" --check "$dir/scenario.json" >"$dir/log" 2>&1 &&
		grep -q "\"scheduled\": \[{\"id\": \"a.0\", \"node\": \"$2\"}, {\"id\": \"a.1\", \"node\": \"$2\"}\]" \
			"$dir/log"
}
play '' thin
check "a round places jobs with the plugin" $?
play 's/"tight"/"binpack"/; s/{ "first": "memory" }/{}/' fat
check "the binpack plugin chooses another node" $?
play 's/"first": "memory"/"first": "cpu"/' fat
check "the plugin's option takes effect" $?
play 's/"first": "memory"/"first": "bananas"/' none
grep -q 'no resource is called "bananas"' "$dir/log"
check "an invalid option value is refused with the plugin's message" $?
echo "1..$n"
