# unit tests of the io stub and its stream
stub_test_libs = testsuite/tap/libtap.a $(stub_ldadd)
stub_tests = testsuite/unit/stub/stream testsuite/unit/stub/relay
check_PROGRAMS += $(stub_tests)
TESTS += $(stub_tests)
testsuite_unit_stub_stream_SOURCES = testsuite/unit/stub/stream.c
testsuite_unit_stub_stream_CPPFLAGS = $(tap_cppflags)
testsuite_unit_stub_stream_LDADD = $(stub_test_libs)
testsuite_unit_stub_relay_SOURCES = testsuite/unit/stub/relay.c
testsuite_unit_stub_relay_CPPFLAGS = $(tap_cppflags)
testsuite_unit_stub_relay_LDADD = $(stub_test_libs)
