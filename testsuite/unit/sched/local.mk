# unit tests of sched
sched_test_libs = testsuite/unit/sched/libtest.a testsuite/tap/libtap.a src/sched/libsched.a src/plugin/libplugin.a \
	src/conf/libconf.a src/util/libutil.a $(CONFIG_LIBS) -lm \
	-ldl
sched_test_plugins = plugins/fairness/fairness_drf.so plugins/order/order_progressive.so plugins/order/order_slices.so \
	plugins/preempt/preempt_none.so \
	plugins/preempt/preempt_fairshare.so plugins/select/select_binpack.so \
	plugins/fairness/fairness_asset.so plugins/fairness/fairness_decay.so plugins/preempt/preempt_urgency.so \
	plugins/select/select_queuepack.so plugins/select/select_spread.so

# Shared by the test programs. A program that uses it loads plugins.
check_LIBRARIES += testsuite/unit/sched/libtest.a
testsuite_unit_sched_libtest_a_SOURCES = \
	testsuite/unit/sched/random_world.c testsuite/unit/sched/random_world.h \
	testsuite/unit/sched/contest.c testsuite/unit/sched/contest.h \
	testsuite/unit/sched/contest_check.c testsuite/unit/sched/contest_round.c \
	testsuite/unit/sched/naive.c testsuite/unit/sched/naive.h \
	testsuite/unit/sched/naive_displace.c \
	testsuite/unit/sched/small_world.c testsuite/unit/sched/small_world.h \
	testsuite/unit/sched/referee.c testsuite/unit/sched/referee.h \
	testsuite/unit/sched/referee_quota.c testsuite/unit/sched/referee_quota.h \
	testsuite/unit/sched/referee_parts.h testsuite/unit/sched/referee_place.c \
	testsuite/unit/sched/referee_list.c \
	testsuite/unit/sched/referee_reserve.c testsuite/unit/sched/referee_share.c \
	testsuite/unit/sched/rig.c testsuite/unit/sched/rig.h \
	testsuite/unit/sched/script.c testsuite/unit/sched/script.h \
	testsuite/unit/sched/resubmit.c testsuite/unit/sched/resubmit.h
EXTRA_testsuite_unit_sched_libtest_a_DEPENDENCIES = $(sched_test_plugins)

sched_tests = testsuite/unit/sched/rounds \
	testsuite/unit/sched/quotas \
	testsuite/unit/sched/floating \
	testsuite/unit/sched/backfill \
	testsuite/unit/sched/recovered \
	testsuite/unit/sched/naive_worlds \
	testsuite/unit/sched/preempt_worlds \
	testsuite/unit/sched/extremes \
	testsuite/unit/sched/faults \
	testsuite/unit/sched/stale \
	testsuite/unit/sched/reservation_start \
	testsuite/unit/sched/trial \
	testsuite/unit/sched/reserve_worlds \
	testsuite/unit/sched/mixed_worlds \
	testsuite/unit/sched/costs \
	testsuite/unit/sched/head_order \
	testsuite/unit/sched/reconfigure \
	testsuite/unit/sched/pinned \
	testsuite/unit/sched/changes \
	testsuite/unit/sched/decay \
	testsuite/unit/sched/round_report \
	testsuite/unit/sched/explain \
	testsuite/unit/sched/next_round \
	testsuite/unit/sched/victims \
	testsuite/unit/sched/stability \
	testsuite/unit/sched/slices
check_PROGRAMS += $(sched_tests)
TESTS += $(sched_tests)
testsuite_unit_sched_rounds_LDADD = $(sched_test_libs)
testsuite_unit_sched_victims_LDADD = $(sched_test_libs)
testsuite_unit_sched_quotas_LDADD = $(sched_test_libs)
testsuite_unit_sched_floating_LDADD = $(sched_test_libs)
testsuite_unit_sched_backfill_LDADD = $(sched_test_libs)
testsuite_unit_sched_recovered_LDADD = $(sched_test_libs)
testsuite_unit_sched_naive_worlds_LDADD = $(sched_test_libs)
testsuite_unit_sched_preempt_worlds_LDADD = $(sched_test_libs)
testsuite_unit_sched_extremes_LDADD = $(sched_test_libs)
testsuite_unit_sched_faults_LDADD = $(sched_test_libs)
testsuite_unit_sched_stale_LDADD = $(sched_test_libs)
testsuite_unit_sched_reservation_start_LDADD = $(sched_test_libs)
testsuite_unit_sched_trial_LDADD = $(sched_test_libs)
testsuite_unit_sched_reserve_worlds_LDADD = $(sched_test_libs)
testsuite_unit_sched_mixed_worlds_LDADD = $(sched_test_libs)
testsuite_unit_sched_costs_LDADD = $(sched_test_libs)
testsuite_unit_sched_head_order_LDADD = $(sched_test_libs)
testsuite_unit_sched_reconfigure_LDADD = $(sched_test_libs)
testsuite_unit_sched_pinned_LDADD = $(sched_test_libs)
testsuite_unit_sched_decay_LDADD = $(sched_test_libs)
testsuite_unit_sched_changes_LDADD = $(sched_test_libs)
testsuite_unit_sched_round_report_LDADD = $(sched_test_libs)
testsuite_unit_sched_explain_LDADD = $(sched_test_libs)
testsuite_unit_sched_next_round_LDADD = $(sched_test_libs)
testsuite_unit_sched_stability_SOURCES = testsuite/unit/sched/stability.c \
	testsuite/unit/sched/stability_world.c testsuite/unit/sched/stability_world.h
testsuite_unit_sched_stability_LDADD = $(sched_test_libs)
testsuite_unit_sched_slices_SOURCES = testsuite/unit/sched/slices.c \
	testsuite/unit/sched/slices_plain.c testsuite/unit/sched/slices_plain.h \
	testsuite/unit/sched/slices_share.c
testsuite_unit_sched_slices_LDADD = $(sched_test_libs)

# Defects planted in the scheduler: MUTANT is compiled as MUTANT_FILE would be and linked first.
TESTS += testsuite/unit/sched/mutants.t
dist_check_SCRIPTS = testsuite/unit/sched/mutants.t
EXTRA_DIST += testsuite/unit/sched/mutants.txt

mutant_compile = $(CC) $(DEFS) $(DEFAULT_INCLUDES) -I$(top_builddir) $(INCLUDES) \
	-I$(top_srcdir)/`dirname $(MUTANT_FILE)` $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -w
sched-mutant: testsuite/unit/sched/mixed_worlds testsuite/unit/sched/preempt_worlds \
	testsuite/unit/sched/quotas \
	testsuite/unit/sched/reserve_worlds testsuite/unit/sched/rounds testsuite/unit/sched/costs \
	testsuite/unit/sched/stale testsuite/unit/sched/naive_worlds testsuite/unit/sched/backfill \
	testsuite/unit/sched/slices testsuite/unit/sched/recovered testsuite/unit/sched/head_order
	$(mutant_compile) -c $(MUTANT) -o $(MUTANT_OUT).o
	case $(MUTANT_TEST) in \
	mixed_worlds) list="$(testsuite_unit_sched_mixed_worlds_OBJECTS)" ;; \
	preempt_worlds) list="$(testsuite_unit_sched_preempt_worlds_OBJECTS)" ;; \
	reserve_worlds) list="$(testsuite_unit_sched_reserve_worlds_OBJECTS)" ;; \
	stale) list="$(testsuite_unit_sched_stale_OBJECTS)" ;; \
	naive_worlds) list="$(testsuite_unit_sched_naive_worlds_OBJECTS)" ;; \
	backfill) list="$(testsuite_unit_sched_backfill_OBJECTS)" ;; \
	slices) list="$(testsuite_unit_sched_slices_OBJECTS)" ;; \
	recovered) list="$(testsuite_unit_sched_recovered_OBJECTS)" ;; \
	head_order) list="$(testsuite_unit_sched_head_order_OBJECTS)" ;; \
	costs) list="$(testsuite_unit_sched_costs_OBJECTS)" ;; \
	quotas) list="$(testsuite_unit_sched_quotas_OBJECTS)" ;; \
	*) list="$(testsuite_unit_sched_rounds_OBJECTS)" ;; \
	esac; \
	$(CC) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) \
		-o $(MUTANT_OUT) $(MUTANT_OUT).o $$list $(sched_test_libs)
sched-mutant-plugin: $(sched_test_plugins) testsuite/unit/sched/mixed_worlds testsuite/unit/sched/slices
	select=$(top_srcdir)/plugins/select; extra=; \
	case $(MUTANT_FILE) in \
	*/sequence.c) extra=$$select/binpack.c ;; \
	plugins/select/*) extra=$$select/sequence.c ;; esac; \
	$(mutant_compile) -fPIC -shared -o $(MUTANT_OUT) $(MUTANT) $$extra $(AM_LDFLAGS) -lm
.PHONY: sched-mutant sched-mutant-plugin
