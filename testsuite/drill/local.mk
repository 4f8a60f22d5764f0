# Programs that fault drills use.
check_PROGRAMS += testsuite/drill/proxy
check_PROGRAMS += testsuite/drill/swaps
check_PROGRAMS += testsuite/drill/pipeline
testsuite_drill_pipeline_LDADD = src/client/libarmada.so.0
testsuite_drill_pipeline_LDFLAGS = $(libarmada_rpath)
check_PROGRAMS += testsuite/drill/old_state
testsuite_drill_old_state_LDADD = src/core/libcore.a src/sched/libsched.a src/plugin/libplugin.a \
	src/conf/libconf.a src/proto/libproto.a src/util/libutil.a $(SODIUM_LIBS) $(PROTOBUFC_LIBS) \
	$(CONFIG_LIBS) -ldl -lm
# A state plugin for drills with several controllers (devcluster --state shared).
check_PROGRAMS += testsuite/drill/state_shared.so
testsuite_drill_state_shared_so_SOURCES = testsuite/drill/state_shared.c
testsuite_drill_state_shared_so_CPPFLAGS = -I$(top_srcdir)/src/include
testsuite_drill_state_shared_so_LDFLAGS = $(variant_ldflags)
testsuite_drill_state_shared_so_LDADD = -ldl -lpthread
