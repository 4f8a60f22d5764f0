# The gateway needs libmicrohttpd; it is left out without it.
if HAVE_MICROHTTPD
sbin_PROGRAMS += armrestd
armrestd_parts = \
	src/armrestd/accounting.c \
	src/armrestd/events.c \
	src/armrestd/exchange.c src/armrestd/exchange.h \
	src/armrestd/jobs.c \
	src/armrestd/lists.c \
	src/armrestd/metrics.c src/armrestd/metrics.h \
	src/armrestd/openapi.c \
	src/armrestd/outcome.c src/armrestd/outcome.h \
	src/armrestd/rest.c src/armrestd/rest.h \
	src/armrestd/routes.c src/armrestd/routes.h \
	src/armrestd/selection.c src/armrestd/selection.h \
	src/armrestd/submit.c \
	src/armrestd/tls.c src/armrestd/tls.h \
	src/armrestd/update.c src/armrestd/update.h \
	src/armrestd/users.c src/armrestd/users.h \
	src/cmd/aacct/period.c src/cmd/aacct/period.h \
	src/cmd/actl/changes.c src/cmd/actl/changes.h \
	src/cmd/actl/queue_columns.c src/cmd/actl/queue.h \
	src/cmd/awatch/event_columns.c src/cmd/awatch/event_columns.h \
	src/cmd/explain_json.c src/cmd/explain_json.h \
	src/cmd/listing/job_columns.c \
	src/cmd/listing/node_columns.c src/cmd/listing/node_rows.h \
	src/cmd/listing/round_columns.c src/cmd/listing/round_rows.h \
	$(cmd_listing) $(cmd_jobs)
armrestd_SOURCES = src/armrestd/main.c $(armrestd_parts)
armrestd_LDADD = $(cmd_listing_ldadd) $(YAML_LIBS) $(MICROHTTPD_LIBS) -lpthread
endif
EXTRA_DIST += src/armrestd/README.md
