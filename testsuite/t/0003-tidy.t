#!/bin/bash
# The measurable part of how the code must read.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
cd "$ARMADA_SRCDIR" || exit 99

function_max=70
file_max=1000
header_max=200
# .clang-format says 100, where a comment or a text can be broken.
width_max=110

sources()
{
	find src plugins testsuite -name '*.[ch]' "$@" | sort
}

# Functions, by where ctags sees them begin and end.
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

# too_long MAX: of the files on standard input.
too_long()
{
	xargs wc -l | awk -v max="$1" '$2 != "total" && $1 >= max { print $2 " has " $1 " lines" }'
}

no_opening()
{
	local f

	for f in $(find src -name '*.h'); do
		[ "$(head -c 2 "$f")" = '/*' ] || echo "$f does not open with a comment"
	done
}

# C without comments and texts, line by line: file:line:code
code()
{
	local f

	for f in "$@"; do
		sed -E 's/"([^"\\]|\\.)*"/""/g; s://.*$::; s:/\*([^*]|\*[^/])*\*/::g; s:/\*.*$::; s:^[[:space:]]*\*([[:space:]].*|/.*)?$::' "$f" |
			awk -v f="$f" 'NF { print f ":" NR ":" $0 }'
	done
}

# calls NAMES FILE...: where one of these functions is called. Names of members are not calls.
calls()
{
	local names=$1

	shift
	code "$@" | grep -E "(^|[^[:alnum:]_.>])($names)[[:space:]]*\\("
}

shipped=$(find src plugins -name '*.[ch]' | sort)
# The files in which a process becomes another program or another user.
may_exec='src/(armd/(task|hook|launcher|shepherd|credential|identity|node)[a-z_]*|armctld/fence|stub/child)\.c'

# Tables are kept from clang-format, and as wide as they need to be.
wide()
{
	local f

	for f in $(sources); do
		expand -t 8 "$f" | awk -v f="$f" -v max=$width_max '
		/clang-format off/ { table = 1 }
		/clang-format on/ { table = 0 }
		!table && length($0) > max { print f ":" NR ": " length($0) " columns" }'
	done
}

if command -v ctags >/dev/null && ctags --version 2>/dev/null | grep -q Universal; then
	is "$(($(functions_seen) > 100))" 1 'functions are found'
	is "$(long_functions)" '' "no function has $function_max lines"
else
	skip 'no universal-ctags: functions are not measured'
fi
is "$(sources | too_long $file_max)" '' "no file has $file_max lines"
is "$(sources -name '*.h' | too_long $header_max)" '' "no header has $header_max lines"
is "$(no_opening)" '' 'every header opens with a comment'
is "$(calls 'strcpy|stpcpy|strcat|sprintf|vsprintf|system|popen|alloca|gets|mktemp|tmpnam' $shipped)" '' \
	'no call without a bound or through a shell'
is "$(calls 'execv|execve|execvp|execvpe|execl|execlp|execle|fexecve|execveat|setuid|setreuid|setresuid|seteuid|setgid|setregid|setresgid|setegid|setgroups|initgroups|posix_spawnp?' $shipped | grep -vE "^$may_exec:")" '' \
	'only the launcher and its children change user or program'
is "$(grep -rnwE 'TODO|FIXME|XXX|HACK' src plugins testsuite contrib etc man --include='*.[chstmk15678]*' 2>/dev/null | grep -v 't/0003-tidy.t:')" '' \
	'nothing is left to do in a comment'
is "$(wide)" '' "no line is wider than $width_max columns"
is "$(sources | xargs grep -nE '[[:space:]]+$')" '' 'no line ends in white space'
done_testing
