# unit tests of core
check_LIBRARIES += testsuite/unit/core/libfixture.a
testsuite_unit_core_libfixture_a_SOURCES = testsuite/unit/core/fixture.c testsuite/unit/core/fixture.h \
	testsuite/unit/core/snapshot_compare.c testsuite/unit/core/snapshot_compare.h \
	testsuite/unit/core/gang_members.c testsuite/unit/core/gang_members.h \
	testsuite/unit/core/event_notes.c testsuite/unit/core/event_notes.h \
	testsuite/unit/core/elastic_job.c testsuite/unit/core/elastic_job.h \
	testsuite/unit/core/job_change.c testsuite/unit/core/job_change.h \
	testsuite/unit/core/fed_sched.c testsuite/unit/core/fed_sched.h \
	testsuite/unit/core/node_rig.c testsuite/unit/core/node_rig.h
nodist_testsuite_unit_core_libfixture_a_SOURCES = testsuite/unit/core/snapshot_fields.h
testsuite_unit_core_libfixture_a_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_builddir)/testsuite/unit/core
state_headers = $(filter %.h, $(src_core_libcore_a_SOURCES))
testsuite/unit/core/snapshot_fields.h: testsuite/unit/core/snapshot_fields.awk $(state_headers)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C awk -f $(srcdir)/testsuite/unit/core/snapshot_fields.awk \
		$(srcdir)/src/core/state/*.h >$@.new && mv $@.new $@
BUILT_SOURCES += testsuite/unit/core/snapshot_fields.h
CLEANFILES += testsuite/unit/core/snapshot_fields.h testsuite/unit/core/*.members
EXTRA_DIST += testsuite/unit/core/snapshot_fields.awk
core_test_libs = testsuite/unit/core/libfixture.a testsuite/unit/sched/libtest.a \
	testsuite/tap/libtap.a src/feed/libfeed.a src/core/libcore.a src/sched/libsched.a \
	src/plugin/libplugin.a src/conf/libconf.a src/proto/libproto.a src/util/libutil.a \
	$(SODIUM_LIBS) $(PROTOBUFC_LIBS) $(CONFIG_LIBS) -ldl -lm

core_tests = testsuite/unit/core/lifecycle \
	testsuite/unit/core/gang_pause \
	testsuite/unit/core/job_events \
	testsuite/unit/core/snapshot_ends \
	testsuite/unit/core/accounting \
	testsuite/unit/core/quotas \
	testsuite/unit/core/accounts \
	testsuite/unit/core/copies \
	testsuite/unit/core/floating \
	testsuite/unit/core/bounds \
	testsuite/unit/core/tokens \
	testsuite/unit/core/classes \
	testsuite/unit/core/arrays \
	testsuite/unit/core/clock \
	testsuite/unit/core/hold \
	testsuite/unit/core/mail \
	testsuite/unit/core/visibility \
	testsuite/unit/core/properties \
	testsuite/unit/core/rights \
	testsuite/unit/core/start_barrier \
	testsuite/unit/core/node_health \
	testsuite/unit/core/submit \
	testsuite/unit/core/time_limits \
	testsuite/unit/core/scavenge \
	testsuite/unit/core/settings \
	testsuite/unit/core/usage \
	testsuite/unit/core/output testsuite/unit/core/signals testsuite/unit/core/steps \
	testsuite/unit/core/nodes \
	testsuite/unit/core/proofs \
	testsuite/unit/core/node_failures \
	testsuite/unit/core/node_shutdown \
	testsuite/unit/core/hostile \
	testsuite/unit/core/exclusive_user \
	testsuite/unit/core/explain \
	testsuite/unit/core/pending_lease \
	testsuite/unit/core/convergence \
	testsuite/unit/core/feasibility \
	testsuite/unit/core/dependencies \
	testsuite/unit/core/queues \
	testsuite/unit/core/queue_defaults \
	testsuite/unit/core/pending_quota \
	testsuite/unit/core/reconfigure \
	testsuite/unit/core/update \
	testsuite/unit/core/scale \
	testsuite/unit/core/job_restart \
	testsuite/unit/core/min_tasks \
	testsuite/unit/core/uneven \
	testsuite/unit/core/deadline \
	testsuite/unit/core/whole_memory \
	testsuite/unit/core/gang \
	testsuite/unit/core/gang_admit \
	testsuite/unit/core/gang_shown \
	testsuite/unit/core/gang_feed \
	testsuite/unit/core/groups \
	testsuite/unit/core/elastic \
	testsuite/unit/core/elastic_rounds \
	testsuite/unit/core/elastic_scale \
	testsuite/unit/core/preempt \
	testsuite/unit/core/shares \
	testsuite/unit/core/shares_use \
	testsuite/unit/core/time_limit_start
check_PROGRAMS += $(core_tests)
TESTS += $(core_tests)
testsuite_unit_core_reconfigure_LDADD = $(core_test_libs)
testsuite_unit_core_lifecycle_LDADD = $(core_test_libs)
testsuite_unit_core_job_events_LDADD = $(core_test_libs)
testsuite_unit_core_snapshot_ends_LDADD = $(core_test_libs)
testsuite_unit_core_visibility_LDADD = $(core_test_libs)
testsuite_unit_core_properties_LDADD = $(core_test_libs)
testsuite_unit_core_accounts_LDADD = $(core_test_libs)
testsuite_unit_core_quotas_LDADD = $(core_test_libs)
testsuite_unit_core_copies_LDADD = $(core_test_libs)
testsuite_unit_core_floating_LDADD = $(core_test_libs)
testsuite_unit_core_bounds_LDADD = $(core_test_libs)
testsuite_unit_core_tokens_LDADD = $(core_test_libs)
testsuite_unit_core_classes_LDADD = $(core_test_libs)
testsuite_unit_core_hold_LDADD = $(core_test_libs)
testsuite_unit_core_mail_LDADD = $(core_test_libs)
testsuite_unit_core_rights_SOURCES = testsuite/unit/core/rights.c testsuite/unit/core/rights_stage.c \
	testsuite/unit/core/rights_stage.h
testsuite_unit_core_rights_LDADD = $(core_test_libs)
testsuite_unit_core_start_barrier_LDADD = $(core_test_libs)
testsuite_unit_core_node_health_LDADD = $(core_test_libs)
testsuite_unit_core_submit_LDADD = $(core_test_libs)
testsuite_unit_core_time_limits_LDADD = $(core_test_libs)
testsuite_unit_core_scavenge_LDADD = $(core_test_libs)
testsuite_unit_core_settings_LDADD = $(core_test_libs)
testsuite_unit_core_usage_LDADD = $(core_test_libs)
testsuite_unit_core_output_LDADD = $(core_test_libs)
testsuite_unit_core_signals_LDADD = $(core_test_libs)
testsuite_unit_core_steps_LDADD = $(core_test_libs)
testsuite_unit_core_nodes_LDADD = $(core_test_libs)
testsuite_unit_core_proofs_LDADD = $(core_test_libs)
testsuite_unit_core_node_failures_LDADD = $(core_test_libs)
testsuite_unit_core_arrays_LDADD = $(core_test_libs)
testsuite_unit_core_clock_LDADD = $(core_test_libs)
testsuite_unit_core_node_shutdown_LDADD = $(core_test_libs)
testsuite_unit_core_hostile_LDADD = $(core_test_libs)
testsuite_unit_core_explain_LDADD = $(core_test_libs)
testsuite_unit_core_pending_lease_LDADD = $(core_test_libs)
testsuite_unit_core_convergence_LDADD = $(core_test_libs)
testsuite_unit_core_feasibility_LDADD = $(core_test_libs)
testsuite_unit_core_dependencies_LDADD = $(core_test_libs)
testsuite_unit_core_queues_LDADD = $(core_test_libs)
testsuite_unit_core_queue_defaults_LDADD = $(core_test_libs)
testsuite_unit_core_pending_quota_LDADD = $(core_test_libs)
testsuite_unit_core_update_LDADD = $(core_test_libs)
testsuite_unit_core_scale_LDADD = $(core_test_libs)
testsuite_unit_core_job_restart_LDADD = $(core_test_libs)
testsuite_unit_core_whole_memory_LDADD = $(core_test_libs)
testsuite_unit_core_exclusive_user_LDADD = $(core_test_libs)
testsuite_unit_core_deadline_LDADD = $(core_test_libs)
testsuite_unit_core_uneven_LDADD = $(core_test_libs)
testsuite_unit_core_min_tasks_LDADD = $(core_test_libs)
testsuite_unit_core_gang_LDADD = $(core_test_libs)
testsuite_unit_core_gang_admit_LDADD = $(core_test_libs)
testsuite_unit_core_gang_shown_LDADD = $(core_test_libs)
testsuite_unit_core_gang_pause_LDADD = $(core_test_libs)
testsuite_unit_core_preempt_LDADD = $(core_test_libs)
testsuite_unit_core_gang_feed_LDADD = $(core_test_libs)
testsuite_unit_core_groups_LDADD = $(core_test_libs)
testsuite_unit_core_elastic_LDADD = $(core_test_libs)
testsuite_unit_core_elastic_rounds_LDADD = $(core_test_libs)
testsuite_unit_core_elastic_scale_LDADD = $(core_test_libs)
testsuite_unit_core_shares_LDADD = $(core_test_libs)
testsuite_unit_core_shares_use_LDADD = $(core_test_libs)
testsuite_unit_core_time_limit_start_LDADD = $(core_test_libs)
testsuite_unit_core_accounting_LDADD = $(core_test_libs)
