if HAVE_MICROHTTPD
unit_armrestd_tests = testsuite/unit/armrestd/bodies testsuite/unit/armrestd/connections
check_PROGRAMS += $(unit_armrestd_tests)
TESTS += $(unit_armrestd_tests)
testsuite_unit_armrestd_bodies_SOURCES = testsuite/unit/armrestd/bodies.c src/armrestd/bodies.c
testsuite_unit_armrestd_bodies_LDADD = testsuite/tap/libtap.a src/util/libutil.a -lpthread
# The test has the functions of libmicrohttpd itself.
testsuite_unit_armrestd_connections_SOURCES = testsuite/unit/armrestd/connections.c \
	src/armrestd/connections.c
testsuite_unit_armrestd_connections_LDADD = testsuite/tap/libtap.a src/util/libutil.a -lpthread
endif
