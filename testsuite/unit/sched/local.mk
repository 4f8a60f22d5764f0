# unit tests of sched
sched_test_libs = testsuite/tap/libtap.la src/sched/libsched.la src/plugin/libplugin.la \
	src/conf/libconf.la src/util/libutil.la $(CONFIG_LIBS) -lm
sched_test_plugins = plugins/fairness/fairness_drf.la plugins/order/order_progressive.la \
	plugins/preempt/preempt_none.la \
	plugins/preempt/preempt_fairshare.la plugins/select/select_binpack.la \
	plugins/fairness/fairness_asset.la plugins/preempt/preempt_urgency.la \
	plugins/select/select_queuepack.la plugins/select/select_spread.la
sched_test_rig = testsuite/unit/sched/rig.c testsuite/unit/sched/rig.h
sched_test_contest = testsuite/unit/sched/contest.c testsuite/unit/sched/contest.h \
	testsuite/unit/sched/contest_check.c testsuite/unit/sched/contest_round.c \
	testsuite/unit/sched/referee.c testsuite/unit/sched/referee.h \
	testsuite/unit/sched/referee_parts.h testsuite/unit/sched/referee_place.c \
	testsuite/unit/sched/referee_reserve.c \
	testsuite/unit/sched/referee_share.c $(sched_test_rig)

check_PROGRAMS += testsuite/unit/sched/rounds
TESTS += testsuite/unit/sched/rounds
testsuite_unit_sched_rounds_SOURCES = testsuite/unit/sched/rounds.c testsuite/unit/sched/script.c \
	testsuite/unit/sched/script.h $(sched_test_rig)
testsuite_unit_sched_rounds_CPPFLAGS = $(tap_cppflags)
testsuite_unit_sched_rounds_LDADD = $(sched_test_libs)
EXTRA_testsuite_unit_sched_rounds_DEPENDENCIES = $(sched_test_plugins)

check_PROGRAMS += testsuite/unit/sched/waits
TESTS += testsuite/unit/sched/waits
testsuite_unit_sched_waits_SOURCES = testsuite/unit/sched/waits.c testsuite/unit/sched/script.c \
	testsuite/unit/sched/script.h $(sched_test_rig)
testsuite_unit_sched_waits_CPPFLAGS = $(tap_cppflags)
testsuite_unit_sched_waits_LDADD = $(sched_test_libs)
EXTRA_testsuite_unit_sched_waits_DEPENDENCIES = $(sched_test_plugins)

check_PROGRAMS += testsuite/unit/sched/worlds
TESTS += testsuite/unit/sched/worlds
testsuite_unit_sched_worlds_SOURCES = testsuite/unit/sched/worlds.c testsuite/unit/sched/naive.c \
	testsuite/unit/sched/naive.h $(sched_test_rig)
testsuite_unit_sched_worlds_CPPFLAGS = $(tap_cppflags)
testsuite_unit_sched_worlds_LDADD = $(sched_test_libs)
EXTRA_testsuite_unit_sched_worlds_DEPENDENCIES = $(sched_test_plugins)

check_PROGRAMS += testsuite/unit/sched/contests
TESTS += testsuite/unit/sched/contests
testsuite_unit_sched_contests_SOURCES = testsuite/unit/sched/contests.c $(sched_test_contest)
testsuite_unit_sched_contests_CPPFLAGS = $(tap_cppflags)
testsuite_unit_sched_contests_LDADD = $(sched_test_libs)
EXTRA_testsuite_unit_sched_contests_DEPENDENCIES = $(sched_test_plugins)

check_PROGRAMS += testsuite/unit/sched/extremes
TESTS += testsuite/unit/sched/extremes
testsuite_unit_sched_extremes_SOURCES = testsuite/unit/sched/extremes.c $(sched_test_rig)
testsuite_unit_sched_extremes_CPPFLAGS = $(tap_cppflags)
testsuite_unit_sched_extremes_LDADD = $(sched_test_libs)
EXTRA_testsuite_unit_sched_extremes_DEPENDENCIES = $(sched_test_plugins)

check_PROGRAMS += testsuite/unit/sched/faults
TESTS += testsuite/unit/sched/faults
testsuite_unit_sched_faults_SOURCES = testsuite/unit/sched/faults.c $(sched_test_rig)
testsuite_unit_sched_faults_CPPFLAGS = $(tap_cppflags)
testsuite_unit_sched_faults_LDADD = $(sched_test_libs)
EXTRA_testsuite_unit_sched_faults_DEPENDENCIES = $(sched_test_plugins)

check_PROGRAMS += testsuite/unit/sched/stale
TESTS += testsuite/unit/sched/stale
testsuite_unit_sched_stale_SOURCES = testsuite/unit/sched/stale.c $(sched_test_rig)
testsuite_unit_sched_stale_CPPFLAGS = $(tap_cppflags)
testsuite_unit_sched_stale_LDADD = $(sched_test_libs)
EXTRA_testsuite_unit_sched_stale_DEPENDENCIES = $(sched_test_plugins)

check_PROGRAMS += testsuite/unit/sched/promises
TESTS += testsuite/unit/sched/promises
testsuite_unit_sched_promises_SOURCES = testsuite/unit/sched/promises.c $(sched_test_rig)
testsuite_unit_sched_promises_CPPFLAGS = $(tap_cppflags)
testsuite_unit_sched_promises_LDADD = $(sched_test_libs)
EXTRA_testsuite_unit_sched_promises_DEPENDENCIES = $(sched_test_plugins)

check_PROGRAMS += testsuite/unit/sched/reserves
TESTS += testsuite/unit/sched/reserves
testsuite_unit_sched_reserves_SOURCES = testsuite/unit/sched/reserves.c $(sched_test_contest)
testsuite_unit_sched_reserves_CPPFLAGS = $(tap_cppflags)
testsuite_unit_sched_reserves_LDADD = $(sched_test_libs)
EXTRA_testsuite_unit_sched_reserves_DEPENDENCIES = $(sched_test_plugins)

check_PROGRAMS += testsuite/unit/sched/trials
TESTS += testsuite/unit/sched/trials
testsuite_unit_sched_trials_SOURCES = testsuite/unit/sched/trials.c $(sched_test_contest)
testsuite_unit_sched_trials_CPPFLAGS = $(tap_cppflags)
testsuite_unit_sched_trials_LDADD = $(sched_test_libs)
EXTRA_testsuite_unit_sched_trials_DEPENDENCIES = $(sched_test_plugins)

check_PROGRAMS += testsuite/unit/sched/costs
TESTS += testsuite/unit/sched/costs
testsuite_unit_sched_costs_SOURCES = testsuite/unit/sched/costs.c $(sched_test_rig)
testsuite_unit_sched_costs_CPPFLAGS = $(tap_cppflags)
testsuite_unit_sched_costs_LDADD = $(sched_test_libs)
EXTRA_testsuite_unit_sched_costs_DEPENDENCIES = $(sched_test_plugins)

check_PROGRAMS += testsuite/unit/sched/reconfigure
TESTS += testsuite/unit/sched/reconfigure
testsuite_unit_sched_reconfigure_SOURCES = testsuite/unit/sched/reconfigure.c testsuite/unit/sched/rig.h
testsuite_unit_sched_reconfigure_CPPFLAGS = $(tap_cppflags)
testsuite_unit_sched_reconfigure_LDADD = $(sched_test_libs)
EXTRA_testsuite_unit_sched_reconfigure_DEPENDENCIES = $(sched_test_plugins) \
	plugins/preempt/preempt_urgency.la plugins/select/select_spread.la
check_PROGRAMS += testsuite/unit/sched/pinned
TESTS += testsuite/unit/sched/pinned
testsuite_unit_sched_pinned_SOURCES = testsuite/unit/sched/pinned.c $(sched_test_rig)
testsuite_unit_sched_pinned_CPPFLAGS = $(tap_cppflags)
testsuite_unit_sched_pinned_LDADD = $(sched_test_libs)
EXTRA_testsuite_unit_sched_pinned_DEPENDENCIES = $(sched_test_plugins)

check_PROGRAMS += testsuite/unit/sched/changes
TESTS += testsuite/unit/sched/changes
testsuite_unit_sched_changes_SOURCES = testsuite/unit/sched/changes.c testsuite/unit/sched/script.c \
	testsuite/unit/sched/script.h $(sched_test_rig)
testsuite_unit_sched_changes_CPPFLAGS = $(tap_cppflags)
testsuite_unit_sched_changes_LDADD = $(sched_test_libs)
EXTRA_testsuite_unit_sched_changes_DEPENDENCIES = $(sched_test_plugins)

check_PROGRAMS += testsuite/unit/sched/told
TESTS += testsuite/unit/sched/told
testsuite_unit_sched_told_SOURCES = testsuite/unit/sched/told.c \
	testsuite/unit/sched/asked.c testsuite/unit/sched/asked.h $(sched_test_rig)
testsuite_unit_sched_told_CPPFLAGS = $(tap_cppflags)
testsuite_unit_sched_told_LDADD = $(sched_test_libs)
EXTRA_testsuite_unit_sched_told_DEPENDENCIES = $(sched_test_plugins)

check_PROGRAMS += testsuite/unit/sched/explain
TESTS += testsuite/unit/sched/explain
testsuite_unit_sched_explain_SOURCES = testsuite/unit/sched/explain.c \
	testsuite/unit/sched/trial.c testsuite/unit/sched/trial.h \
	testsuite/unit/sched/asked.c testsuite/unit/sched/asked.h $(sched_test_rig)
testsuite_unit_sched_explain_CPPFLAGS = $(tap_cppflags)
testsuite_unit_sched_explain_LDADD = $(sched_test_libs)
EXTRA_testsuite_unit_sched_explain_DEPENDENCIES = $(sched_test_plugins)

check_PROGRAMS += testsuite/unit/sched/again
TESTS += testsuite/unit/sched/again
testsuite_unit_sched_again_SOURCES = testsuite/unit/sched/again.c $(sched_test_rig)
testsuite_unit_sched_again_CPPFLAGS = $(tap_cppflags)
testsuite_unit_sched_again_LDADD = $(sched_test_libs)
EXTRA_testsuite_unit_sched_again_DEPENDENCIES = $(sched_test_plugins)

# Defects planted in the scheduler: MUTANT is compiled as MUTANT_FILE would be and linked first.
TESTS += testsuite/unit/sched/mutants.t
dist_check_SCRIPTS = testsuite/unit/sched/mutants.t
EXTRA_DIST += testsuite/unit/sched/mutants.txt

mutant_compile = $(CC) $(DEFS) $(DEFAULT_INCLUDES) -I$(top_builddir) $(INCLUDES) \
	-I$(top_srcdir)/`dirname $(MUTANT_FILE)` $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -w
sched-mutant: testsuite/unit/sched/trials testsuite/unit/sched/contests \
	testsuite/unit/sched/reserves testsuite/unit/sched/rounds testsuite/unit/sched/costs \
	testsuite/unit/sched/worlds testsuite/unit/sched/waits
	$(mutant_compile) -c $(MUTANT) -o $(MUTANT_OUT).o
	case $(MUTANT_TEST) in \
	trials) list="$(testsuite_unit_sched_trials_OBJECTS)" ;; \
	contests) list="$(testsuite_unit_sched_contests_OBJECTS)" ;; \
	reserves) list="$(testsuite_unit_sched_reserves_OBJECTS)" ;; \
	worlds) list="$(testsuite_unit_sched_worlds_OBJECTS)" ;; \
	waits) list="$(testsuite_unit_sched_waits_OBJECTS)" ;; \
	costs) list="$(testsuite_unit_sched_costs_OBJECTS)" ;; \
	*) list="$(testsuite_unit_sched_rounds_OBJECTS)" ;; \
	esac; \
	$(LIBTOOL) --silent --tag=CC --mode=link $(CC) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) \
		-o $(MUTANT_OUT) $(MUTANT_OUT).o $$list $(sched_test_libs)
sched-mutant-plugin: $(sched_test_plugins) testsuite/unit/sched/trials
	select=$(top_srcdir)/plugins/select; extra=; \
	case $(MUTANT_FILE) in \
	*/sequence.c) extra=$$select/binpack.c ;; \
	plugins/select/*) extra=$$select/sequence.c ;; esac; \
	$(mutant_compile) -fPIC -shared -o $(MUTANT_OUT) $(MUTANT) $$extra $(AM_LDFLAGS) -lm
.PHONY: sched-mutant sched-mutant-plugin
