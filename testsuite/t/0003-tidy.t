#!/bin/bash
# The measurable rules of how the code reads.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
cd "$ARMADA_SRCDIR" || exit 99

function_max=70
file_max=1000
header_max=200
prototypes_max=40
page_max=66
core_max=8
# .clang-format says 100 columns, where a comment or a string can be broken.
width_max=110

# The sources that were written by hand. A build in the tree leaves generated sources beside them.
sources()
{
	find src plugins testsuite -name '*.[ch]' ! -name '*.pb-c.[ch]' ! -name kept_fields.h "$@" | sort
}

# Functions with their first and last lines, as ctags reports them.
long_functions()
{
	sources | ctags --options=NONE -L - -f - --languages=C --langmap=C:.c.h --kinds-C=f \
		--fields=ne --excmd=number 2>/dev/null |
		awk -F'\t' -v max=$function_max '
		{
			line = end = 0
			for (i = 4; i <= NF; i++) {
				if ($i ~ /^line:/) line = substr($i, 6)
				if ($i ~ /^end:/) end = substr($i, 5)
			}
			if (end - line + 1 >= max)
				print $2 ":" line ": " $1 " has " end - line + 1 " lines"
		}'
}

functions_seen()
{
	sources | ctags --options=NONE -L - -f - --languages=C --langmap=C:.c.h --kinds-C=f \
		--fields=ne --excmd=number 2>/dev/null | grep -c 'end:'
}

crowded_headers()
{
	sources -name '*.h' ! -path 'testsuite/*' | ctags --options=NONE -L - -f - --languages=C --langmap=C:.c.h --kinds-C=p 2>/dev/null |
		awk -F'\t' -v max=$prototypes_max '
		{ n[$2]++ }
		END { for (f in n) if (n[f] > max) print f " has " n[f] " prototypes" }' | sort
}

# Each folder with sources has a README.md that says what it is for, and the distribution contains
# it.
pages()
{
	local d

	for d in $(sources -path 'src/*' ! -path 'src/include/*' | sed 's:/[^/]*$::' | sort -u); do
		if [ ! -e "$d/README.md" ]; then
			echo "$d has no README.md"
		else
			[ "$(wc -l <"$d/README.md")" -le $page_max ] || echo "$d/README.md is longer than $page_max lines"
			grep -rqF --include=local.mk "$d/README.md" src || echo "$d/README.md is not in EXTRA_DIST"
		fi
	done
}

# Each step of ARCHITECTURE.md names a function and its file: the function must be in that file.
lost_steps()
{
	sed -nE 's:.* (([a-z_0-9]+/)+[a-z_0-9]+\.c) +([a-z_]+)\(\).*:\1 \3:p' ARCHITECTURE.md |
		while read -r file name; do
			[ -e "$file" ] || file=src/$file
			grep -qE "^[A-Za-z_].*\b$name\(" "$file" || echo "$file: $name"
		done
}

# Files and functions that our pages name and that do not exist: `folder/file.c`, `file.h`,
# `function()`.
lost_names()
{
	local page word

	find src plugins testsuite contrib -type f | sed 's:.*:/&:' >"$work/files"
	find src plugins testsuite -name '*.[ch]' -exec cat {} + | grep -oE '\b[a-z0-9_]+\b' | sort -u >"$work/words"
	for page in ARCHITECTURE.md HACKING.md doc/limits.md $(find src -name '*.md' | sort); do
		grep -oE '\b[a-z0-9_/]+\.[ch]\b' "$page" | sort -u | while read -r word; do
			grep -qE "/${word//./\\.}\$" "$work/files" || echo "$page: $word"
		done
		grep -oE '\b[a-z0-9_]+\(\)' "$page" | tr -d '()' | sort -u | comm -23 - "$work/words" | sed "s:^:$page\: :"
	done
}

# too_long MAX: prints the files on standard input that have MAX lines or more.
too_long()
{
	xargs wc -l | awk -v max="$1" '$2 != "total" && $1 >= max { print $2 " has " $1 " lines" }'
}

no_opening()
{
	sources -path 'src/*.h' | xargs awk 'FNR == 1 && !/^\/\*/ { print FILENAME " does not open with a comment" }'
}

# The C code without comments and strings, line by line: file:line:code
code()
{
	sed -E -s -n 's/"([^"\\]|\\.)*"/""/g; s://.*$::; s:/\*([^*]|\*[^/])*\*/::g; s:/\*.*$::; s:^[[:space:]]*\*([[:space:]].*|/.*)?$::
		F;=;p' "$@" | awk 'NR % 3 == 1 { f = $0 } NR % 3 == 2 { n = $0 } NR % 3 == 0 && NF { print f ":" n ":" $0 }'
}

# calls NAMES: the places of the shipped code that call one of these functions. Names of struct members are not
# calls.
calls()
{
	local names=$1

	grep -E "(^|[^[:alnum:]_.>])($names)[[:space:]]*\\(" "$work/code"
}

code $(sources ! -path 'testsuite/*') >"$work/code"
# The files in which a process becomes another program or another user.
may_exec='(src/(armd/(identity|hooks/hook|task/(identity|run))|util/program|armctld/(again|notify_helper)|cmd/(common/login_env|arun/(aalloc|hydra|rank))|stub/child)|plugins/notify/run)\.c'

# Tables are excluded from clang-format and may be as wide as they need.
wide()
{
	sources | xargs awk -v max=$width_max '
	FNR == 1 { table = 0 }
	/clang-format off/ { table = 1 }
	/clang-format on/ { table = 0 }
	!table && length($0) * 8 > max {
		n = split($0, part, "\t")
		columns = length(part[n])
		for (i = 1; i < n; i++)
			columns += int(length(part[i]) / 8) * 8 + 8
		if (columns > max)
			print FILENAME ":" FNR ": " columns " columns"
	}'
}

if has ctags && ctags --version 2>/dev/null | grep -q Universal; then
	is "$(($(functions_seen) > 100))" 1 'ctags finds the functions'
	is "$(long_functions)" '' "no function has $function_max lines"
	is "$(crowded_headers)" '' "no header has more than $prototypes_max prototypes"
else
	skip "no function has $function_max lines: ${missing:-ctags is not universal-ctags, of the package of that name}"
fi
is "$(sources | too_long $file_max)" '' "no file has $file_max lines"
is "$(sources -name '*.h' | too_long $header_max)" '' "no header has $header_max lines"
is "$(ls src/core/*.c | wc -l | awk -v max=$core_max '$1 > max')" '' "src/core itself has at most $core_max sources"
is "$(pages)" '' "every folder of src has a README.md of at most $page_max lines"
is "$(lost_names)" '' 'every file and function that these pages name exists'
is "$(lost_steps)" '' 'the steps of ARCHITECTURE.md are in the files that it names'
is "$(no_opening)" '' 'every header opens with a comment'
is "$(calls 'strcpy|stpcpy|strcat|sprintf|vsprintf|system|popen|alloca|gets|mktemp|tmpnam')" '' \
	'no unbounded string function and no shell is called'
is "$(calls 'execv|execve|execvp|execvpe|execl|execlp|execle|fexecve|execveat|setuid|setreuid|setresuid|seteuid|setgid|setregid|setresgid|setegid|setgroups|initgroups|posix_spawnp?' | grep -vE "^$may_exec:")" '' \
	'only the launcher and its children change their user or program'
is "$(grep -rInwE 'TODO|FIXME|XXX|HACK' src plugins testsuite contrib etc man --include='*.[chstmk15678]*' --exclude='*.trs' 2>/dev/null | grep -v 't/0003-tidy.t:')" '' \
	'no comment marks unfinished work'
is "$(sources ! -path 'testsuite/*' ! -name plot.c | xargs grep -nE '\\"%[-.*0-9]*s(\.\.\.)?\\"' | grep -v 'as in \\"%s')" '' \
	"messages put single quotes around the words of others: 'x'"
is "$(wide)" '' "no line is wider than $width_max columns"
is "$(sources | xargs grep -nE '[[:space:]]+$')" '' 'no line ends in white space'
done_testing
