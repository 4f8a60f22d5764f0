# unit tests of armd
armd_unit_libs = testsuite/tap/libtap.a src/armd/libarmd.a src/agent/libagent.a \
	src/proto/libproto.a src/util/libutil.a $(SODIUM_LIBS) -ldl \
	$(HWLOC_LIBS) $(PROTOBUFC_LIBS)
armd_box = testsuite/unit/armd/box.c testsuite/unit/armd/box.h
armd_rig = testsuite/unit/armd/rig.c testsuite/unit/armd/rig.h

check_PROGRAMS += testsuite/unit/armd/spool
TESTS += testsuite/unit/armd/spool
testsuite_unit_armd_spool_SOURCES = testsuite/unit/armd/spool.c $(armd_box)
testsuite_unit_armd_spool_LDADD = $(armd_unit_libs)

armd_shepherd_tests = testsuite/unit/armd/shepherd testsuite/unit/armd/shepherd_ends \
	testsuite/unit/armd/shepherd_lease testsuite/unit/armd/shepherd_gate
armd_shepherd_rig = testsuite/unit/armd/shepherd_rig.c testsuite/unit/armd/shepherd_rig.h $(armd_box)
check_PROGRAMS += $(armd_shepherd_tests)
TESTS += $(armd_shepherd_tests)
testsuite_unit_armd_shepherd_SOURCES = testsuite/unit/armd/shepherd.c $(armd_shepherd_rig)
testsuite_unit_armd_shepherd_LDADD = $(armd_unit_libs)
testsuite_unit_armd_shepherd_ends_SOURCES = testsuite/unit/armd/shepherd_ends.c $(armd_shepherd_rig)
testsuite_unit_armd_shepherd_ends_LDADD = $(armd_unit_libs)
testsuite_unit_armd_shepherd_lease_SOURCES = testsuite/unit/armd/shepherd_lease.c $(armd_shepherd_rig)
testsuite_unit_armd_shepherd_lease_LDADD = $(armd_unit_libs)
testsuite_unit_armd_shepherd_gate_SOURCES = testsuite/unit/armd/shepherd_gate.c $(armd_shepherd_rig)
testsuite_unit_armd_shepherd_gate_LDADD = $(armd_unit_libs)

check_PROGRAMS += testsuite/unit/armd/account testsuite/unit/armd/steps
TESTS += testsuite/unit/armd/account testsuite/unit/armd/steps
testsuite_unit_armd_account_SOURCES = testsuite/unit/armd/account.c $(armd_shepherd_rig)
testsuite_unit_armd_account_LDADD = $(armd_unit_libs)
testsuite_unit_armd_steps_SOURCES = testsuite/unit/armd/steps.c $(armd_box)
testsuite_unit_armd_steps_LDADD = $(armd_unit_libs)

check_PROGRAMS += testsuite/unit/armd/pipe
TESTS += testsuite/unit/armd/pipe
testsuite_unit_armd_pipe_LDADD = $(armd_unit_libs)

check_PROGRAMS += testsuite/unit/armd/launcher
TESTS += testsuite/unit/armd/launcher
testsuite_unit_armd_launcher_SOURCES = testsuite/unit/armd/launcher.c $(armd_box) $(armd_rig)
testsuite_unit_armd_launcher_LDADD = $(armd_unit_libs)

check_PROGRAMS += testsuite/unit/armd/node
TESTS += testsuite/unit/armd/node
testsuite_unit_armd_node_LDADD = $(armd_unit_libs) src/client/libclient.a \
	$(client_libs) $(SODIUM_LIBS) $(CONFIG_LIBS) $(PROTOBUFC_LIBS) $(EVENT_LIBS) -lm

check_PROGRAMS += testsuite/unit/armd/hook
TESTS += testsuite/unit/armd/hook
testsuite_unit_armd_hook_SOURCES = testsuite/unit/armd/hook.c $(armd_box)
testsuite_unit_armd_hook_LDADD = $(armd_unit_libs)

check_PROGRAMS += testsuite/unit/armd/nvml testsuite/unit/armd/libnvidia-ml.so.1
TESTS += testsuite/unit/armd/nvml
testsuite_unit_armd_nvml_LDADD = $(armd_unit_libs)
EXTRA_testsuite_unit_armd_nvml_DEPENDENCIES = testsuite/unit/armd/libnvidia-ml.so.1
testsuite_unit_armd_libnvidia_ml_so_1_SOURCES = testsuite/unit/armd/fake_nvml.c
testsuite_unit_armd_libnvidia_ml_so_1_LDFLAGS = $(module_ldflags)
testsuite_unit_armd_libnvidia_ml_so_1_CFLAGS = $(AM_CFLAGS) -fPIC
