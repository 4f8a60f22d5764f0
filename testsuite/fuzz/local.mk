# One program for each fuzz target: NAME.c with main.c replays corpus/NAME in make check.
fuzz_tests = \
	testsuite/fuzz/attempt \
	testsuite/fuzz/conf \
	testsuite/fuzz/dependency \
	testsuite/fuzz/history_items \
	testsuite/fuzz/hostlist \
	testsuite/fuzz/indexlist \
	testsuite/fuzz/jobfile \
	testsuite/fuzz/quota \
	testsuite/fuzz/quantity \
	testsuite/fuzz/script \
	testsuite/fuzz/message \
	testsuite/fuzz/order \
	testsuite/fuzz/payload \
	testsuite/fuzz/link \
	testsuite/fuzz/permit \
	testsuite/fuzz/pmi1 \
	testsuite/fuzz/pipe \
	testsuite/fuzz/rlimits \
	testsuite/fuzz/scenario \
	testsuite/fuzz/session \
	testsuite/fuzz/stream \
	testsuite/fuzz/signals \
	testsuite/fuzz/taint \
	testsuite/fuzz/token \
	testsuite/fuzz/units \
	testsuite/fuzz/walscan \
	testsuite/fuzz/when
if HAVE_MICROHTTPD
fuzz_tests += testsuite/fuzz/event_text testsuite/fuzz/framing testsuite/fuzz/rest
testsuite_fuzz_event_text_SOURCES = testsuite/fuzz/event_text.c src/armrestd/event_text.c \
	src/armrestd/sentence.c 	src/cmd/awatch/event_columns.c $(cmd_listing)
testsuite_fuzz_event_text_LDADD = $(fuzz_ldadd) $(cmd_listing_ldadd)
testsuite_fuzz_framing_SOURCES = testsuite/fuzz/framing.c src/armrestd/framing.c
testsuite_fuzz_framing_LDADD = $(fuzz_ldadd) src/util/libutil.a
testsuite_fuzz_rest_SOURCES = testsuite/fuzz/rest.c $(armrestd_parts)
testsuite_fuzz_rest_LDADD = $(fuzz_ldadd) $(armrestd_LDADD)
endif
check_PROGRAMS += $(fuzz_tests)
TESTS += $(fuzz_tests)

check_LIBRARIES += testsuite/fuzz/libreplay.a
testsuite_fuzz_libreplay_a_SOURCES = testsuite/fuzz/main.c
fuzz_ldadd = testsuite/fuzz/libreplay.a testsuite/tap/libtap.a

testsuite_fuzz_attempt_LDADD = $(fuzz_ldadd) src/armd/libarmd.a src/proto/libproto.a \
	src/util/libutil.a $(SODIUM_LIBS) \
	$(HWLOC_LIBS) $(PROTOBUFC_LIBS)
testsuite_fuzz_conf_LDADD = $(fuzz_ldadd) src/conf/libconf.a src/util/libutil.a \
	$(CONFIG_LIBS) -lm
testsuite_fuzz_dependency_LDADD = $(fuzz_ldadd) src/client/libclient.a \
	$(client_libs) $(SODIUM_LIBS) $(CONFIG_LIBS) $(PROTOBUFC_LIBS) $(EVENT_LIBS) -lm
testsuite_fuzz_when_LDADD = $(fuzz_ldadd) src/client/libclient.a \
	$(client_libs) $(SODIUM_LIBS) $(CONFIG_LIBS) $(PROTOBUFC_LIBS) $(EVENT_LIBS) -lm
testsuite_fuzz_history_items_LDADD = $(fuzz_ldadd) src/armctld/libarmctld.a src/proto/libproto.a \
	src/util/libutil.a $(SODIUM_LIBS) $(PROTOBUFC_LIBS)
testsuite_fuzz_hostlist_LDADD = $(fuzz_ldadd) src/util/libutil.a
testsuite_fuzz_indexlist_LDADD = $(fuzz_ldadd) src/util/libutil.a
testsuite_fuzz_jobfile_LDADD = $(fuzz_ldadd) src/client/libclient.a \
	$(client_libs) $(SODIUM_LIBS) $(CONFIG_LIBS) $(PROTOBUFC_LIBS) $(EVENT_LIBS) -lm $(YAML_LIBS)
testsuite_fuzz_link_LDADD = $(fuzz_ldadd) src/agent/libagent.a src/proto/libproto.a \
	src/util/libutil.a $(SODIUM_LIBS) \
	$(PROTOBUFC_LIBS)
testsuite_fuzz_pmi1_SOURCES = testsuite/fuzz/pmi1.c $(mpi_pmi1_parts)
testsuite_fuzz_pmi1_CPPFLAGS = $(tap_cppflags) -I$(top_srcdir)/plugins
testsuite_fuzz_pmi1_LDADD = $(fuzz_ldadd) src/util/libutil.a
testsuite_fuzz_permit_LDADD = $(fuzz_ldadd) src/conf/libconf.a src/util/libutil.a \
	$(CONFIG_LIBS) -lm
testsuite_fuzz_pipe_LDADD = $(fuzz_ldadd) src/armd/libarmd.a src/proto/libproto.a \
	src/util/libutil.a $(SODIUM_LIBS) \
	$(HWLOC_LIBS) $(PROTOBUFC_LIBS)
testsuite_fuzz_message_LDADD = $(fuzz_ldadd) src/proto/libproto.a src/util/libutil.a \
	$(PROTOBUFC_LIBS) $(SODIUM_LIBS)
testsuite_fuzz_quota_LDADD = $(fuzz_ldadd) src/conf/libconf.a src/util/libutil.a \
	$(CONFIG_LIBS) -lm
testsuite_fuzz_quantity_LDADD = $(fuzz_ldadd) src/conf/libconf.a src/util/libutil.a \
	$(CONFIG_LIBS) -lm
testsuite_fuzz_order_LDADD = $(fuzz_ldadd) src/proto/libproto.a src/util/libutil.a \
	$(PROTOBUFC_LIBS) $(SODIUM_LIBS)
testsuite_fuzz_payload_LDADD = $(fuzz_ldadd) $(stub_ldadd)
testsuite_fuzz_stream_LDADD = $(fuzz_ldadd) $(stub_ldadd)
testsuite_fuzz_session_LDADD = $(fuzz_ldadd) testsuite/unit/wire/libpair.a src/wire/libwire.a \
	src/proto/libproto.a src/util/libutil.a $(EVENT_LIBS) \
	$(SODIUM_LIBS) $(PROTOBUFC_LIBS)
testsuite_fuzz_scenario_SOURCES = testsuite/fuzz/scenario.c \
	src/asim/rounds/check.c src/asim/rounds/check_quotas.c src/asim/rounds/check_slices.c \
	src/asim/rounds/cluster.c src/asim/rounds/doc.c src/asim/rounds/jobs.c \
	src/asim/rounds/limits.c src/asim/rounds/play.c src/asim/rounds/policy.c \
	src/asim/rounds/print.c src/asim/rounds/scenario.c src/asim/rounds/site.c \
	src/asim/rounds/units.c src/asim/rounds/unknown.c
testsuite_fuzz_scenario_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
testsuite_fuzz_scenario_LDADD = $(fuzz_ldadd) src/sched/libsched.a src/plugin/libplugin.a \
	src/conf/libconf.a src/util/libutil.a $(CONFIG_LIBS) $(JANSSON_LIBS) -ldl -lm
testsuite_fuzz_script_LDADD = $(fuzz_ldadd) src/client/libclient.a \
	$(client_libs) $(SODIUM_LIBS) $(CONFIG_LIBS) $(PROTOBUFC_LIBS) $(EVENT_LIBS) -lm
testsuite_fuzz_rlimits_LDADD = $(fuzz_ldadd) src/util/libutil.a
testsuite_fuzz_signals_LDADD = $(fuzz_ldadd) src/util/libutil.a
testsuite_fuzz_taint_LDADD = $(fuzz_ldadd) src/conf/libconf.a src/util/libutil.a \
	$(CONFIG_LIBS) -lm
testsuite_fuzz_token_LDADD = $(fuzz_ldadd) src/proto/libproto.a src/util/libutil.a \
	$(PROTOBUFC_LIBS) $(SODIUM_LIBS)
testsuite_fuzz_units_LDADD = $(fuzz_ldadd) src/util/libutil.a
testsuite_fuzz_walscan_SOURCES = testsuite/fuzz/walscan.c plugins/state/sqlite/walscan.c
testsuite_fuzz_walscan_LDADD = $(fuzz_ldadd) src/util/libutil.a

# Folders are distributed whole.
EXTRA_DIST += testsuite/fuzz/corpus
