# t
TESTS += testsuite/t/0300-armctld.t
EXTRA_DIST += testsuite/t/0300-armctld.t
