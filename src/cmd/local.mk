# The commands that people type.
cmd_common = src/cmd/command.c src/cmd/command.h
cmd_listing = src/cmd/listing.c src/cmd/listing.h
cmd_jobs = src/cmd/job_options.c src/cmd/job_options.h src/cmd/job_rows.c src/cmd/job_rows.h \
	src/cmd/job_tasks.c src/cmd/job_tasks.h
cmd_submit = src/cmd/given.c src/cmd/given.h src/cmd/patience.c src/cmd/patience.h
cmd_ldadd = src/client/libclient.la
cmd_listing_ldadd = $(cmd_ldadd) $(SMARTCOLS_LIBS) $(JANSSON_LIBS)

bin_PROGRAMS += asubmit aqueue acancel anode actl aexplain ashare
asubmit_SOURCES = src/cmd/asubmit.c src/cmd/asubmit.h src/cmd/asubmit_send.c $(cmd_common) \
	$(cmd_submit)
asubmit_LDADD = $(cmd_ldadd)
aqueue_SOURCES = src/cmd/aqueue.c src/cmd/job_columns.c $(cmd_common) $(cmd_listing) $(cmd_jobs)
aqueue_LDADD = $(cmd_listing_ldadd)
acancel_SOURCES = src/cmd/acancel.c $(cmd_common) $(cmd_jobs)
acancel_LDADD = $(cmd_ldadd)
anode_SOURCES = src/cmd/anode.c src/cmd/anode.h src/cmd/anode_change.c src/cmd/node_columns.c src/cmd/node_rows.h $(cmd_common) \
	$(cmd_listing)
anode_LDADD = $(cmd_listing_ldadd)
actl_SOURCES = src/cmd/actl.c src/cmd/actl.h src/cmd/actl_job.c \
	src/cmd/actl_lease.c src/cmd/actl_permissions.c src/cmd/actl_preempt.c src/cmd/actl_queue.c \
	src/cmd/actl_queue.h src/cmd/actl_queue_columns.c src/cmd/actl_queue_file.c \
	src/cmd/actl_queue_options.c src/cmd/actl_reconfigure.c \
	src/cmd/actl_show.c src/cmd/actl_update.c src/cmd/parts.c src/cmd/parts.h \
	src/cmd/progress.c src/cmd/progress.h \
	src/cmd/node_columns.c src/cmd/node_rows.h $(cmd_common) $(cmd_listing) $(cmd_jobs)
actl_LDADD = $(cmd_listing_ldadd)
aexplain_SOURCES = src/cmd/aexplain.c src/cmd/explain_json.c src/cmd/explain_print.c \
	src/cmd/explain_rows.h src/cmd/job_columns.c src/cmd/round_columns.c src/cmd/round_rows.h \
	$(cmd_common) $(cmd_listing) $(cmd_jobs)
aexplain_LDADD = $(cmd_listing_ldadd)
ashare_SOURCES = src/cmd/ashare.c src/cmd/ashare.h src/cmd/ashare_file.c src/cmd/ashare_history.c \
	src/cmd/ashare_round.c src/cmd/plot.c src/cmd/plot.h src/cmd/round_columns.c \
	src/cmd/round_rows.h $(cmd_common) $(cmd_listing)
ashare_LDADD = $(cmd_listing_ldadd)
cmd_arun = src/cmd/arun.h src/cmd/arun_files.c src/cmd/arun_input.c src/cmd/arun_job.c \
	src/cmd/arun_links.c src/cmd/arun_links.h src/cmd/arun_listen.c src/cmd/arun_listen.h \
	src/cmd/arun_map.c src/cmd/arun_map.h src/cmd/arun_news.c src/cmd/arun_output.c \
	src/cmd/arun_output.h src/cmd/arun_payload.c src/cmd/arun_relay.c src/cmd/arun_relay.h \
	src/cmd/arun_run.h src/cmd/arun_signals.c src/cmd/arun_step.c src/cmd/arun_tasks.c \
	src/cmd/arun_tty.c src/cmd/arun_tty.h src/cmd/arun_watch.c src/cmd/arun_watch.h
bin_PROGRAMS += arun
arun_SOURCES = src/cmd/arun.c $(cmd_arun) $(cmd_common) $(cmd_submit)
arun_LDADD = src/stub/libstub.la $(cmd_ldadd) -lpthread
pkglibexec_PROGRAMS += arun-agent
arun_agent_SOURCES = src/cmd/arun_agent.c $(cmd_arun) $(cmd_common) $(cmd_submit)
arun_agent_LDADD = src/stub/libstub.la $(cmd_ldadd) -lpthread
