# The test tree. C tests speak TAP through testsuite/tap; shell tests are testsuite/t/NNNN-topic.t.
TEST_EXTENSIONS = .t
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
T_LOG_DRIVER = $(LOG_DRIVER)
# A test that hangs fails after this time, because it would stop all others.
LOG_COMPILER = timeout -k 30 $${ARMADA_TEST_SECONDS:-900}
T_LOG_COMPILER = $(LOG_COMPILER)
AM_TESTS_ENVIRONMENT = ARMADA_SRCDIR='$(abs_top_srcdir)' ARMADA_BUILDDIR='$(abs_top_builddir)' \
	CC='$(CC)' ; export ARMADA_SRCDIR ARMADA_BUILDDIR CC ;

check_LIBRARIES += testsuite/tap/libtap.a
testsuite_tap_libtap_a_SOURCES = testsuite/tap/tap.c testsuite/tap/tap.h
tap_cppflags = $(AM_CPPFLAGS)

include testsuite/unit/local.mk
include testsuite/state/local.mk
include testsuite/t/local.mk
include testsuite/sim/local.mk
include testsuite/drill/local.mk
include testsuite/hostile/local.mk
include testsuite/fuzz/local.mk
include testsuite/foreign/local.mk
include testsuite/bench/local.mk
