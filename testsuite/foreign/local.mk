# Tests with large programs of others. They run under `runtests --foreign`, and are skipped elsewhere.
foreign_tests = \
	testsuite/foreign/openapi.t \
	testsuite/foreign/promtool.t \
	testsuite/foreign/prometheus.t \
	testsuite/foreign/proxy.t
TESTS += $(foreign_tests)
EXTRA_DIST += $(foreign_tests) testsuite/foreign/README.md testsuite/foreign/npm.txt \
	testsuite/foreign/redocly.yaml testsuite/foreign/alerts.yml testsuite/lib/foreign.sh
