# The gateway needs libmicrohttpd; it is left out without it.
if HAVE_MICROHTTPD
sbin_PROGRAMS += armrestd
armrestd_parts = \
	src/armrestd/accounting.c \
	src/armrestd/bodies.c src/armrestd/bodies.h \
	src/armrestd/change_jobs.c \
	src/armrestd/connections.c src/armrestd/connections.h \
	src/armrestd/controller.c \
	src/armrestd/event_text.c src/armrestd/event_text.h \
	src/armrestd/events.c \
	src/armrestd/exchange.c src/armrestd/exchange.h \
	src/armrestd/framing.c src/armrestd/framing.h \
	src/armrestd/job_output.c src/armrestd/jobs.c \
	src/armrestd/metric_table.h src/armrestd/metrics.c src/armrestd/metrics.h \
	src/armrestd/nodes.c \
	src/armrestd/openapi.c \
	src/armrestd/option_body.c src/armrestd/option_body.h \
	src/armrestd/outcome.c src/armrestd/outcome.h \
	src/armrestd/queues.c \
	src/armrestd/rest.c src/armrestd/rest.h \
	src/armrestd/routes.c src/armrestd/routes.h \
	src/armrestd/selection.c src/armrestd/selection.h \
	src/armrestd/sentence.c src/armrestd/sentence.h \
	src/armrestd/shares.c \
	src/armrestd/submit.c \
	src/armrestd/tables.c \
	src/armrestd/tls.c src/armrestd/tls.h \
	src/armrestd/update.c src/armrestd/update.h \
	src/armrestd/users.c src/armrestd/users.h \
	src/cmd/aacct/period.c src/cmd/aacct/period.h \
	src/cmd/aacct/usage.c src/cmd/aacct/usage.h \
	src/cmd/actl/accounts.c src/cmd/actl/accounts.h src/cmd/actl/ask_ok.c \
	src/cmd/actl/classes.c src/cmd/actl/classes.h \
	src/cmd/actl/cluster.c src/cmd/actl/cluster.h \
	src/cmd/actl/counters.c src/cmd/actl/counters.h \
	src/cmd/actl/limits.c src/cmd/actl/limits.h \
	src/cmd/actl/log.c src/cmd/actl/log.h \
	src/cmd/actl/notify.c src/cmd/actl/notify.h \
	src/cmd/actl/permissions.c src/cmd/actl/permissions.h \
	src/cmd/actl/copies.c src/cmd/actl/copies.h \
	src/cmd/actl/ping.c src/cmd/actl/ping.h \
	src/cmd/actl/queue_options.c \
	src/cmd/actl/reconfigure.c src/cmd/actl/reconfigure.h \
	src/cmd/actl/token.c src/cmd/actl/token.h \
	src/cmd/ashare/course.c src/cmd/ashare/course.h \
	src/cmd/ashare/properties.c src/cmd/ashare/properties.h \
	src/cmd/ashare/round.c src/cmd/ashare/round.h \
	src/cmd/ashare/samples.c src/cmd/ashare/samples.h \
	src/cmd/actl/changes.c src/cmd/actl/changes.h \
	src/cmd/actl/queue_columns.c src/cmd/actl/queue.h \
	src/cmd/awatch/event_columns.c src/cmd/awatch/event_columns.h \
	src/cmd/awatch/label_jobs.c src/cmd/awatch/label_jobs.h \
	src/cmd/explain_json.c src/cmd/explain_json.h \
	src/cmd/listing/job_columns.c \
	src/cmd/listing/node_columns.c src/cmd/listing/node_rows.h \
	src/cmd/listing/node_words.c src/cmd/listing/node_words.h \
	src/cmd/listing/round_columns.c src/cmd/listing/round_rows.h \
	$(cmd_common) $(cmd_listing) $(cmd_jobs)
armrestd_SOURCES = src/armrestd/main.c $(armrestd_parts)
armrestd_LDADD = $(cmd_listing_ldadd) $(YAML_LIBS) $(MICROHTTPD_LIBS) -lpthread
endif
EXTRA_DIST += src/armrestd/README.md
