# unit tests of wire
check_LIBRARIES += testsuite/unit/wire/libpair.a
testsuite_unit_wire_libpair_a_SOURCES = testsuite/unit/wire/pair.c testsuite/unit/wire/pair.h \
	testsuite/unit/wire/nets.c testsuite/unit/wire/nets.h \
	testsuite/unit/wire/fill.c testsuite/unit/wire/fill.h
wire_test_libs = testsuite/tap/libtap.a testsuite/unit/wire/libpair.a src/wire/libwire.a \
	src/proto/libproto.a src/util/libutil.a $(EVENT_LIBS) \
	$(SODIUM_LIBS) $(PROTOBUFC_LIBS)

wire_tests = testsuite/unit/wire/session testsuite/unit/wire/seal testsuite/unit/wire/conn \
	testsuite/unit/wire/limits testsuite/unit/wire/message testsuite/unit/wire/order \
	testsuite/unit/wire/golden testsuite/unit/wire/call testsuite/unit/wire/kernel_peer \
	testsuite/unit/wire/storm
check_PROGRAMS += $(wire_tests)
TESTS += $(wire_tests)
testsuite_unit_wire_session_LDADD = $(wire_test_libs)
testsuite_unit_wire_seal_LDADD = $(wire_test_libs)
testsuite_unit_wire_conn_LDADD = $(wire_test_libs)
testsuite_unit_wire_limits_LDADD = $(wire_test_libs)
testsuite_unit_wire_message_LDADD = $(wire_test_libs)
testsuite_unit_wire_order_LDADD = $(wire_test_libs)
testsuite_unit_wire_golden_LDADD = $(wire_test_libs)
testsuite_unit_wire_kernel_peer_LDADD = $(wire_test_libs)
testsuite_unit_wire_call_SOURCES = testsuite/unit/wire/call.c testsuite/unit/plugin/munged.c testsuite/unit/plugin/munged.h
testsuite_unit_wire_call_LDADD = $(wire_test_libs) src/plugin/libplugin.a src/conf/libconf.a \
	src/util/libutil.a $(CONFIG_LIBS) \
	-ldl -lm
testsuite_unit_wire_storm_LDADD = $(wire_test_libs)

# Golden messages, and seeds of the fuzzers that are made from them. `make golden` writes the messages of the
# present release; those of published releases do not change.
EXTRA_PROGRAMS += testsuite/golden/generate
CLEANFILES += testsuite/golden/generate
testsuite_golden_generate_SOURCES = testsuite/golden/generate.c
testsuite_golden_generate_LDADD = $(wire_test_libs)
golden: testsuite/golden/generate
	testsuite/golden/generate $(top_srcdir)/testsuite/golden/0.1 $(top_srcdir)/testsuite/fuzz/corpus
.PHONY: golden
EXTRA_DIST += testsuite/golden/0.1
