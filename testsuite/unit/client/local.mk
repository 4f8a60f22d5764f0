# One program for each part of the client side.
unit_client_ldadd = testsuite/tap/libtap.a src/client/libclient.a \
	$(client_libs) $(SODIUM_LIBS) $(CONFIG_LIBS) $(PROTOBUFC_LIBS) $(EVENT_LIBS) -lm
unit_client_tests = \
	testsuite/unit/client/jobfile \
	testsuite/unit/client/spec \
	testsuite/unit/client/script \
	testsuite/unit/client/filter \
	testsuite/unit/client/environ \
	testsuite/unit/client/pipeline \
	testsuite/unit/client/wait
check_PROGRAMS += $(unit_client_tests)
TESTS += $(unit_client_tests)
testsuite_unit_client_jobfile_LDADD = $(unit_client_ldadd) $(YAML_LIBS)
testsuite_unit_client_spec_LDADD = $(unit_client_ldadd)
testsuite_unit_client_script_LDADD = $(unit_client_ldadd)
testsuite_unit_client_filter_LDADD = $(unit_client_ldadd)
testsuite_unit_client_pipeline_LDADD = $(unit_client_ldadd)
testsuite_unit_client_pipeline_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=submit_send,--wrap=connection_receive \
	-Wl,--wrap=connection_fd,--wrap=connection_close
testsuite_unit_client_wait_LDADD = $(unit_client_ldadd)
testsuite_unit_client_environ_LDADD = $(unit_client_ldadd)
