# t
TESTS += testsuite/t/0200-plugin-outside.t
EXTRA_DIST += testsuite/t/0200-plugin-outside.t
TESTS += testsuite/t/0210-plugins-man.t
EXTRA_DIST += testsuite/t/0210-plugins-man.t
TESTS += testsuite/t/0300-armctld.t
EXTRA_DIST += testsuite/t/0300-armctld.t
TESTS += testsuite/t/0310-armd.t
EXTRA_DIST += testsuite/t/0310-armd.t
