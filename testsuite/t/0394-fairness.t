#!/bin/bash
# Every example of armada-fairness(7) is a scenario in testsuite/fairness that asim rounds plays with the
# result of the page; the page names each scenario, and mandoc reports nothing.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs python3

page=$ARMADA_SRCDIR/man/armada-fairness.7
cases=$ARMADA_SRCDIR/testsuite/fairness
cat >"$work/asim" <<EOF
#!/bin/sh
shift
exec "$ARMADA_BUILDDIR/src/asim/asim" rounds --check --plugins "$ARMADA_BUILDDIR/plugins.d" "\$@"
EOF
chmod +x "$work/asim"

is "$(sed -n 's/^\.\\" case: //p' "$page" | sort)" "$(cd "$cases" && ls *.json | sed 's/\.json$//' | sort)" \
	'the page names every scenario, each once'
is "$(grep -oE '^\.RI \( .+ \)' "$page" | sed 's/\\-/-/g; s/^\.RI ( //; s/ )$//')" \
	"$(sed -n 's/^\.\\" case: //p' "$page")" 'the names that a reader sees are the same'

python3 "$ARMADA_SRCDIR/testsuite/conformance/run.py" -v "$work/asim" -- "$cases" >"$work/out"
for file in "$cases"/*.json; do
	name=${file##*/}
	name=${name%.json}
	grep -q "^ok *$name " "$work/out"
	result $? "the example $name is as the page says" || diag "$(grep "^FAIL $name " "$work/out")"
done

if has mandoc; then
	is "$(mandoc -T lint -W warning "$page" 2>&1)" '' 'mandoc has nothing to report'
else
	skip "mandoc: $missing"
fi
done_testing
