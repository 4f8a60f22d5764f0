#!/bin/bash
# The compiler guards the state: a reader cannot write it. Everything that a const struct state *
# leads to, by the lookups and iterators of core/state and by each link from noun to noun, can be
# read and cannot be assigned. The cases are generated from the headers, so that a new link is
# tested too.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
cd "$ARMADA_SRCDIR" || exit 99
read -ra cc <<<"${CC:-cc}"

flags=(-std=gnu17 -D_GNU_SOURCE -fsyntax-only -Wall -Wextra -Werror -Wno-unused-function
	-Wno-self-assign -Wno-self-assign-field
	-I"$ARMADA_BUILDDIR" -Isrc/include -Isrc -I"$ARMADA_BUILDDIR/src")
flags+=($(pkg-config --cflags libsodium libprotobuf-c 2>/dev/null))
"${cc[@]}" --version | grep -q clang && all_errors=-ferror-limit=0 || all_errors=-fmax-errors=0
headers=$(cd src && ls core/state/*.h | grep -v /write.h)

# links: from the structs of the headers: NOUN EXPRESSION with a NOUN x | FIELD of the target, or *
# | target
#
# lookups: from the functions of the headers: NOUN CALL with a NOUN x | FIELD of the result, or * |
# result
parse()
{
	local h

	for h in $headers; do
		sed '/^#ifdef STATE_WRITES/,/^#endif/d; s://.*$::; s:/\*[^*]*\*/::g' "src/$h"
	done | awk -v want="$1" '
	function plain(type) { return type ~ /^(u?int(8|16|32|64)_t|bool|size_t|double|unsigned|int)$/ }
	function noun_in(text) { sub(/^[^(]*\(([a-z_]+, *)?/, "", text); sub(/\).*/, "", text); return text }
	BEGIN {
		suffix["LINK_ARRAY"] = "[0]"
		suffix["LINK_LIST"] = ".lh_first"
		suffix["LINK_IN_LIST"] = ".le_next"
		suffix["LINK_QUEUE"] = ".tqh_first"
		suffix["LINK_IN_QUEUE"] = ".tqe_next"
	}
	/^struct [a-z_]+ \{/ { inside = $2; next }
	/^};/ { inside = "" }
	inside && /^\t[a-z0-9_]+ [a-z_]+[,;]/ && plain($1) && !(inside in field) {
		field[inside] = $2
		gsub(/[,;]/, "", field[inside])
	}
	inside && /^\tLINK[A-Z_]*\(/ {
		kind = $1
		sub(/\(.*/, "", kind)
		member = $0
		sub(/^[^)]*\) */, "", member)
		sub(/;.*/, "", member)
		at = member suffix[kind]
		links[++n] = inside " x->" at
		to[n] = noun_in($0)
	}
	!inside && /^LINK\(/ { call = ""; result = noun_in($0) }
	!inside && (/^LINK\(/ || call) {
		call = call $0 " "
		if (/;/) {
			if (match(call, /\((const )?struct [a-z_]+ \*/)) {
				noun = substr(call, RSTART + 1, RLENGTH - 3)
				sub(/^(const )?struct /, "", noun)
				name = call
				sub(/^LINK\([a-z_]*\) */, "", name)
				count = gsub(/,/, ",", name)
				sub(/\(.*/, "", name)
				text = name "(x"
				while (count--)
					text = text ", 0"
				calls[++c] = noun " " text ")"
				gives[c] = result
			}
			call = ""
		}
	}
	END {
		for (i = 1; want == "links" && i <= n; i++)
			print links[i] "|" (to[i] in field ? field[to[i]] : "*") "|" to[i]
		for (i = 1; want == "lookups" && i <= c; i++)
			print calls[i] "|" (gives[i] in field ? field[gives[i]] : "*") "|" gives[i]
	}'
}

# compiles [FLAG...]: compiles the program on standard input
compiles()
{
	"${cc[@]}" "${flags[@]}" "$@" -x c - 2>"$work/errors"
}

includes()
{
	printf '#include "%s"\n' $headers
	# definitions of link targets outside the state
	echo '#include "sched/sched.h"'
}

# use HOW EXPRESSION FIELD
use()
{
	case $1$3 in
	write\*) echo "*$2 = *$2;" ;;
	write*) echo "$2->$3 = $2->$3;" ;;
	read\*) echo "(void)*$2;" ;;
	read*) echo "(void)$2->$3;" ;;
	esac
}

# functions HOW CONST: one function for each link, each on one line
functions()
{
	local noun expression field target number=0

	while IFS='|' read -r expression field target; do
		noun=${expression%% *}
		number=$((number + 1))
		echo "static inline void f$number($2 struct $noun *x) { $(use "$1" "${expression#* }" "$field") }"
	done
}

parse links >"$work/known"
# a struct that is defined in one source only is out of reach for the others
while IFS='|' read -r expression field target; do
	grep -rqE --include='*.h' "^struct $target \{" src && echo "$expression|$field|$target"
done <"$work/known" >"$work/links"
parse lookups >"$work/lookups"

# ---- each noun, as a request looks it up ----

while IFS='|' read -r expression field target; do
	noun=${expression%% *}
	call=${expression#* }
	for how in write read; do
		{ includes; functions $how const <<<"$expression|$field|$target"; } >"$work/$how.c"
	done
	compiles <"$work/read.c"
	is "$(cat "$work/errors")" '' "$noun: $call gives a $target that can be read"
	compiles <"$work/write.c"
	like "$(cat "$work/errors")" 'read-only|const-qualified' "$noun: $call gives a $target that cannot be written"
done <"$work/lookups"
for noun in job task node queue gang; do
	ok "a lookup of a $noun is tested" grep -q "^state .*|$noun\$" "$work/lookups"
done

# ---- every link from noun to noun ----

{ includes && functions read const <"$work/links"; } | compiles
is "$(cat "$work/errors")" '' 'every link can be read'
{ echo '#include "core/state/write.h"' && includes && functions write '' <"$work/links"; } | compiles
is "$(cat "$work/errors")" '' 'the fold can write the target of every link'
{ includes && functions write const <"$work/links"; } | compiles $all_errors
first=$(includes | wc -l)
number=0
while IFS='|' read -r expression field target; do
	number=$((number + 1))
	like "$(grep -E "^<stdin>:$((first + number)):.*error:" "$work/errors")" 'read-only|const-qualified' \
		"${expression%% *}: ${expression#* } leads to a $target that cannot be written"
done <"$work/links"

for link in 'job queue' 'job spec' 'job user' 'job element' 'element job' 'element task' 'task element' 'task node' \
	'node task' 'job gang' 'gang job'; do
	ok "the link from ${link% *} to ${link#* } is tested" grep -q "^${link% *} .*|${link#* }\$" "$work/links"
done

# ---- no other path to a writable noun ----

nouns=$(sed -n 's/^struct \([a-z_]*\) {.*/\1/p' $(sed 's:^:src/:' <<<"$headers") | grep -vxE 'slots?' | paste -sd'|')

# The preprocessed headers as a reader sees them, without fold.h.
readers_view()
{
	includes | "${cc[@]}" "${flags[@]/-fsyntax-only/-E}" -x c - |
		awk '/^# [0-9]+ "/ { ours = $3 ~ /core\/state\// && $3 !~ /fold\.h/ } ours'
}

is "$(readers_view | grep -E "^[[:space:]]*struct ($nouns) \\*")" '' 'no member and no function gives a writable noun'
# hh.next has no type
is "$(grep -rnE --include='*.[ch]' "\\(struct ($nouns) \\*\\)|(^|[^t]) *struct ($nouns) \\*[a-z_]+ = [^;]*hh\\.(next|prev)" \
	src/core src/feed | grep -vE '^src/core/state/|const struct')" '' 'no cast removes const'
is "$(grep -rlE --include='*.[ch]' 'core/state/write\.h|STATE_WRITES' src | grep -v '^src/core/state/')" '' \
	'only the fold includes the writable nouns'
is "$(grep -rlE --include='*.[ch]' '#include "core/state/fold\.h"' src | grep -vE '^src/core/(state|txn)/')" '' \
	'only a transaction includes the fold'
done_testing
