# The commands that people type.
cmd_common = \
	src/cmd/common/command.c src/cmd/common/command.h
cmd_listing = \
	src/cmd/listing/column.c src/cmd/listing/column.h \
	src/cmd/listing/listing.c src/cmd/listing/listing.h \
	src/cmd/listing/resources.c src/cmd/listing/resources.h
cmd_jobs = \
	src/cmd/listing/job_options.c src/cmd/listing/job_options.h \
	src/cmd/listing/job_progress.c src/cmd/listing/job_progress.h \
	src/cmd/listing/job_rows.c src/cmd/listing/job_rows.h \
	src/cmd/listing/job_tasks.c src/cmd/listing/job_tasks.h
cmd_problems = src/cmd/common/problems.c src/cmd/common/problems.h
cmd_submit = \
	src/cmd/common/deferred_options.c src/cmd/common/deferred_options.h \
	src/cmd/common/login_env.c src/cmd/common/login_env.h \
	src/cmd/common/mpi_library.c src/cmd/common/mpi_library.h \
	src/cmd/common/mpi_warning.c src/cmd/common/mpi_warning.h \
	src/cmd/common/retry.c src/cmd/common/retry.h
cmd_ldadd = src/client/libclient.a \
	$(client_libs) $(SODIUM_LIBS) $(CONFIG_LIBS) $(PROTOBUFC_LIBS) $(EVENT_LIBS) -lm
cmd_listing_ldadd = $(cmd_ldadd) $(SMARTCOLS_LIBS) $(JANSSON_LIBS)

bin_PROGRAMS += awatch
awatch_SOURCES = src/cmd/awatch/awatch.c src/cmd/awatch/awatch.h \
	src/cmd/awatch/event_columns.c src/cmd/awatch/event_columns.h \
	src/cmd/awatch/label_jobs.c src/cmd/awatch/label_jobs.h \
	src/cmd/awatch/progress.c src/cmd/awatch/progress.h \
	src/cmd/common/retry.c src/cmd/common/retry.h $(cmd_common) $(cmd_listing)
awatch_LDADD = $(cmd_listing_ldadd)
bin_PROGRAMS += aacct asubmit aqueue acancel anode actl aexplain ashare
asubmit_SOURCES = src/cmd/asubmit.c src/cmd/asubmit.h src/cmd/asubmit_send.c src/cmd/asubmit_send.h \
	src/cmd/array_ends.c src/cmd/array_ends.h src/cmd/asubmit_hint.c src/cmd/asubmit_hint.h $(cmd_common) \
	$(cmd_submit)
asubmit_LDADD = $(cmd_ldadd) $(YAML_LIBS)
cmd_blocks = \
	src/cmd/listing/job_blocks.c src/cmd/listing/job_blocks.h src/cmd/listing/job_columns.c \
	src/cmd/listing/wrap.c src/cmd/listing/wrap.h
cmd_steps = src/cmd/listing/step_rows.c src/cmd/listing/step_rows.h
aqueue_SOURCES = src/cmd/aqueue.c src/cmd/aqueue_watch.c src/cmd/aqueue_watch.h \
	src/cmd/aqueue_steps.c src/cmd/aqueue_steps.h $(cmd_steps) $(cmd_blocks) $(cmd_common) $(cmd_problems) $(cmd_listing) $(cmd_jobs)
aqueue_LDADD = $(cmd_listing_ldadd)
aacct_SOURCES = src/cmd/aacct/aacct.c src/cmd/aacct/aacct.h \
	src/cmd/aacct/list.c src/cmd/aacct/list.h \
	src/cmd/aacct/period.c src/cmd/aacct/period.h \
	src/cmd/aacct/usage.c src/cmd/aacct/usage.h \
	src/cmd/listing/job_columns.c $(cmd_common) $(cmd_listing) $(cmd_jobs)
aacct_LDADD = $(cmd_listing_ldadd)
acancel_SOURCES = src/cmd/acancel.c $(cmd_common) $(cmd_problems) $(cmd_jobs)
acancel_LDADD = $(cmd_ldadd)
anode_SOURCES = src/cmd/anode.c src/cmd/anode.h src/cmd/anode_change.c src/cmd/anode_change.h \
	src/cmd/listing/node_words.c src/cmd/listing/node_words.h \
	src/cmd/listing/node_columns.c src/cmd/listing/node_rows.h \
	src/cmd/listing/node_groups.c src/cmd/listing/node_groups.h $(cmd_common) \
	$(cmd_listing)
anode_LDADD = $(cmd_listing_ldadd)
actl_SOURCES = \
	src/cmd/actl/actl.c src/cmd/actl/actl.h \
	src/cmd/actl/accounts.c src/cmd/actl/accounts.h src/cmd/actl/ask_ok.c \
	src/cmd/actl/changes.c src/cmd/actl/changes.h \
	src/cmd/actl/classes.c src/cmd/actl/classes.h \
	src/cmd/actl/cluster.c src/cmd/actl/cluster.h \
	src/cmd/actl/job.c src/cmd/actl/job.h \
	src/cmd/actl/lease.c src/cmd/actl/lease.h \
	src/cmd/actl/counters.c src/cmd/actl/counters.h \
	src/cmd/actl/limits.c src/cmd/actl/limits.h \
	src/cmd/actl/token.c src/cmd/actl/token.h \
	src/cmd/actl/log.c src/cmd/actl/log.h \
	src/cmd/actl/notify.c src/cmd/actl/notify.h \
	src/cmd/actl/copies.c src/cmd/actl/copies.h \
	src/cmd/actl/ping.c src/cmd/actl/ping.h \
	src/cmd/actl/paged_request.c src/cmd/actl/paged_request.h \
	src/cmd/actl/output.c src/cmd/actl/output.h \
	src/cmd/actl/permissions.c src/cmd/actl/permissions.h \
	src/cmd/actl/preempt.c src/cmd/actl/preempt.h \
	src/cmd/actl/progress.c src/cmd/actl/progress.h \
	src/cmd/actl/queue.c src/cmd/actl/queue.h src/cmd/actl/queue_columns.c \
	src/cmd/actl/queue_file.c src/cmd/actl/queue_options.c \
	src/cmd/actl/reconfigure.c src/cmd/actl/reconfigure.h \
	src/cmd/actl/select.c src/cmd/actl/select.h \
	src/cmd/actl/show.c src/cmd/actl/show.h \
	src/cmd/actl/step.c src/cmd/actl/step.h $(cmd_steps) \
	src/cmd/actl/update.c src/cmd/actl/update.h \
	src/cmd/listing/node_columns.c src/cmd/listing/node_rows.h \
	$(cmd_common) $(cmd_problems) $(cmd_listing) $(cmd_jobs)
actl_LDADD = $(cmd_listing_ldadd)
aexplain_SOURCES = src/cmd/aexplain.c src/cmd/explain_json.c src/cmd/explain_json.h \
	src/cmd/explain_print.c src/cmd/explain_print.h src/cmd/listing/job_columns.c \
	src/cmd/listing/round_columns.c src/cmd/listing/round_rows.h \
	$(cmd_common) $(cmd_listing) $(cmd_jobs)
aexplain_LDADD = $(cmd_listing_ldadd)
ashare_SOURCES = src/cmd/ashare/ashare.c src/cmd/ashare/ashare.h \
	src/cmd/ashare/course.c src/cmd/ashare/course.h \
	src/cmd/ashare/file.c src/cmd/ashare/file.h src/cmd/ashare/history.c src/cmd/ashare/history.h \
	src/cmd/ashare/plot.c src/cmd/ashare/plot.h src/cmd/ashare/samples.c src/cmd/ashare/samples.h \
	src/cmd/ashare/round.c src/cmd/ashare/round.h \
	src/cmd/ashare/properties.c src/cmd/ashare/properties.h \
	src/cmd/ashare/rooms.c src/cmd/ashare/rooms.h \
	src/cmd/listing/round_columns.c src/cmd/listing/round_rows.h $(cmd_common) $(cmd_listing)
ashare_LDADD = $(cmd_listing_ldadd)
cmd_arun = \
	src/cmd/arun/fence.c src/cmd/arun/fence.h \
	src/cmd/arun/files.c src/cmd/arun/files.h \
	src/cmd/arun/input.c src/cmd/arun/input.h \
	src/cmd/arun/job.c src/cmd/arun/job.h \
	src/cmd/arun/links.c src/cmd/arun/links.h \
	src/cmd/arun/listen.c src/cmd/arun/listen.h \
	src/cmd/arun/mpi.c src/cmd/arun/mpi.h \
	src/cmd/arun/node_blocks.c src/cmd/arun/node_blocks.h \
	src/cmd/arun/step_map.c src/cmd/arun/step_map.h \
	src/cmd/arun/output.c src/cmd/arun/output.h \
	src/cmd/arun/payload.c src/cmd/arun/payload.h \
	src/cmd/arun/relay.c src/cmd/arun/relay.h \
	src/cmd/arun/signals.c src/cmd/arun/signals.h \
	src/cmd/arun/step.c src/cmd/arun/step.h \
	src/cmd/arun/tasks.c src/cmd/arun/tasks.h \
	src/cmd/arun/tty.c src/cmd/arun/tty.h \
	src/cmd/arun/updates.c src/cmd/arun/updates.h \
	src/cmd/arun/watch.c src/cmd/arun/watch.h \
	src/cmd/arun/arun.h src/cmd/arun/run.h
bin_PROGRAMS += arun
arun_SOURCES = src/cmd/arun/arun.c $(cmd_arun) $(cmd_common) $(cmd_submit)
arun_LDADD = src/stub/libstub.a $(cmd_ldadd) -lpthread \
	$(SODIUM_LIBS)
bin_PROGRAMS += aalloc
aalloc_SOURCES = src/cmd/arun/aalloc.c $(cmd_arun) $(cmd_common) $(cmd_submit)
aalloc_LDADD = $(arun_LDADD)
pkglibexec_PROGRAMS += arun-agent
arun_agent_SOURCES = src/cmd/arun/agent.c $(cmd_arun) $(cmd_common) $(cmd_submit)
arun_agent_LDADD = src/stub/libstub.a $(cmd_ldadd) -lpthread \
	$(SODIUM_LIBS)
pkglibexec_PROGRAMS += arun-rank
arun_rank_SOURCES = src/cmd/arun/rank.c
# It is loaded into a program of MPICH, so no sanitizer may be in it.
pkglibexec_PROGRAMS += arun-hydra.so
arun_hydra_so_SOURCES = src/cmd/arun/hydra.c
arun_hydra_so_CFLAGS = -std=gnu17 $(WARN_CFLAGS) -fPIC -fno-common -fvisibility=hidden
arun_hydra_so_LDFLAGS = -shared -Wl,-z,defs
arun_hydra_so_LDADD = -ldl
EXTRA_DIST += src/cmd/README.md src/cmd/aacct/README.md src/cmd/actl/README.md src/cmd/arun/README.md \
	src/cmd/ashare/README.md src/cmd/awatch/README.md \
	src/cmd/common/README.md src/cmd/listing/README.md
