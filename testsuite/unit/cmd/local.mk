# One program for each shared part of the commands.
unit_cmd_tests = testsuite/unit/cmd/explain testsuite/unit/cmd/listing testsuite/unit/cmd/jobs testsuite/unit/cmd/plot \
	testsuite/unit/cmd/wrap testsuite/unit/cmd/progress testsuite/unit/cmd/node_groups
testsuite_unit_cmd_plot_SOURCES = testsuite/unit/cmd/plot.c src/cmd/ashare/course.c src/cmd/ashare/course.h src/cmd/ashare/plot.c src/cmd/ashare/plot.h
testsuite_unit_cmd_plot_LDADD = testsuite/tap/libtap.a $(cmd_listing_ldadd)
check_PROGRAMS += $(unit_cmd_tests)
TESTS += $(unit_cmd_tests)
testsuite_unit_cmd_listing_SOURCES = testsuite/unit/cmd/listing.c $(cmd_listing)
testsuite_unit_cmd_listing_LDADD = testsuite/tap/libtap.a $(cmd_listing_ldadd)
testsuite_unit_cmd_jobs_SOURCES = testsuite/unit/cmd/jobs.c src/cmd/listing/job_columns.c $(cmd_listing) $(cmd_jobs)
testsuite_unit_cmd_jobs_LDADD = testsuite/tap/libtap.a $(cmd_listing_ldadd)
testsuite_unit_cmd_node_groups_SOURCES = testsuite/unit/cmd/node_groups.c src/cmd/listing/node_columns.c \
	src/cmd/listing/node_groups.c $(cmd_listing)
testsuite_unit_cmd_node_groups_LDADD = testsuite/tap/libtap.a $(cmd_listing_ldadd)
testsuite_unit_cmd_wrap_SOURCES = testsuite/unit/cmd/wrap.c src/cmd/listing/wrap.c src/cmd/listing/wrap.h $(cmd_listing)
testsuite_unit_cmd_wrap_LDADD = testsuite/tap/libtap.a $(cmd_listing_ldadd)
testsuite_unit_cmd_progress_SOURCES = testsuite/unit/cmd/progress.c $(cmd_blocks) $(cmd_listing) $(cmd_jobs)
testsuite_unit_cmd_progress_LDADD = testsuite/tap/libtap.a $(cmd_listing_ldadd)
testsuite_unit_cmd_explain_SOURCES = testsuite/unit/cmd/explain.c src/cmd/explain_json.c src/cmd/explain_print.c src/cmd/listing/round_columns.c src/cmd/listing/job_columns.c src/cmd/common/command.c $(cmd_listing) $(cmd_jobs)
testsuite_unit_cmd_explain_LDADD = testsuite/tap/libtap.a $(cmd_listing_ldadd)
# Runs the built arun-io.
check_PROGRAMS += testsuite/unit/cmd/arun
TESTS += testsuite/unit/cmd/arun
testsuite_unit_cmd_arun_SOURCES = testsuite/unit/cmd/arun.c $(cmd_arun) src/cmd/common/command.c \
	$(cmd_submit)
testsuite_unit_cmd_arun_CPPFLAGS = $(tap_cppflags)
testsuite_unit_cmd_arun_LDADD = testsuite/tap/libtap.a src/stub/libstub.a $(cmd_ldadd) -lpthread \
	$(SODIUM_LIBS)
check_PROGRAMS += testsuite/unit/cmd/arun_map
TESTS += testsuite/unit/cmd/arun_map
testsuite_unit_cmd_arun_map_SOURCES = testsuite/unit/cmd/arun_map.c src/cmd/arun/step_map.c
testsuite_unit_cmd_arun_map_CPPFLAGS = $(tap_cppflags)
testsuite_unit_cmd_arun_map_LDADD = testsuite/tap/libtap.a src/util/libutil.a
check_PROGRAMS += testsuite/unit/cmd/node_blocks
TESTS += testsuite/unit/cmd/node_blocks
testsuite_unit_cmd_node_blocks_SOURCES = testsuite/unit/cmd/node_blocks.c src/cmd/arun/node_blocks.c
testsuite_unit_cmd_node_blocks_CPPFLAGS = $(tap_cppflags)
testsuite_unit_cmd_node_blocks_LDADD = testsuite/tap/libtap.a src/util/libutil.a
