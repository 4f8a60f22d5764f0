#!/bin/bash
# asim rounds decides as the conformance cases say, and its own check finds nothing wrong with it.
# Cases in conformance/known_failures may fail; one that passes must leave that list.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

cases=$ARMADA_SRCDIR/testsuite/conformance
cat >"$work/asim" <<EOF
#!/bin/sh
shift
exec "$ARMADA_BUILDDIR/src/asim/asim" rounds --check --plugins "$ARMADA_BUILDDIR/plugins.d" "\$@"
EOF
chmod +x "$work/asim"

python3 "$cases/run.py" -v "$work/asim" -- "$cases/cases" "$cases/seed_cases" >"$work/out"
passed=$(grep -c '^ok ' "$work/out")
known=$(grep -v '^#' "$cases/known_failures" | sort)
failed=$(sed -n 's/^FAIL \([^ ]*\) .*/\1/p' "$work/out" | sort)

is "$((passed + $(wc -w <<<"$failed")))" "$(ls "$cases"/cases/*.json "$cases"/seed_cases/*.json | wc -l)" \
	'every case was run'
is "$(comm -23 <(echo "$failed") <(echo "$known"))" '' 'no case fails that should pass' ||
	grep '^FAIL' "$work/out" | sed 's/^/# /'
is "$(comm -13 <(echo "$failed") <(echo "$known"))" '' 'no case passes that is said to fail'
done_testing
