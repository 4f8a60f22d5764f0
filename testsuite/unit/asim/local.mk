# unit tests of asim
asim_tests = testsuite/unit/asim/defaults
check_PROGRAMS += $(asim_tests)
TESTS += $(asim_tests)
asim_rounds_sources = \
	src/asim/rounds/cluster.c src/asim/rounds/doc.c src/asim/rounds/jobs.c src/asim/rounds/limits.c \
	src/asim/rounds/policy.c src/asim/rounds/scenario.c src/asim/rounds/site.c src/asim/rounds/unknown.c
testsuite_unit_asim_defaults_SOURCES = testsuite/unit/asim/defaults.c $(asim_rounds_sources)
testsuite_unit_asim_defaults_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
testsuite_unit_asim_defaults_LDADD = $(armctld_test_libs) $(JANSSON_LIBS)
