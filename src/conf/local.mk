# armada.conf
noinst_LIBRARIES += src/conf/libconf.a
EXTRA_DIST += src/conf/README.md
src_conf_libconf_a_SOURCES = \
	src/conf/account_rules.c \
	src/conf/classes.c src/conf/classes.h \
	src/conf/compare.c src/conf/compare.h \
	src/conf/conf.h src/conf/types.h \
	src/conf/controllers.c src/conf/controllers.h \
	src/conf/limit_rows.h \
	src/conf/load.c \
	src/conf/permit.c src/conf/permit.h \
	src/conf/permit_message.c src/conf/permit_message.h \
	src/conf/quota.c src/conf/quota.h \
	src/conf/plugins.c \
	src/conf/port_range.c src/conf/port_range.h \
	src/conf/print.c \
	src/conf/private.h \
	src/conf/quantity.c src/conf/quantity.h \
	src/conf/device_files.c src/conf/device_files.h \
	src/conf/floating.c src/conf/floating.h \
	src/conf/resource_table.c src/conf/resource_table.h \
	src/conf/queue_rules.c \
	src/conf/queue_spec.c src/conf/queue_spec.h \
	src/conf/node_table.h \
	src/conf/queue_table.c src/conf/queue_table.h src/conf/queue_field.h \
	src/conf/queue_text.c src/conf/queue_text.h \
	src/conf/row.h \
	src/conf/rules.c \
	src/conf/scan.c src/conf/scan.h \
	src/conf/selectors.c src/conf/selectors.h \
	src/conf/show.c \
	src/conf/tables.c src/conf/tables.h \
	src/conf/taint.c src/conf/taint.h \
	src/conf/value.c src/conf/value.h \
	src/conf/syntax_checks.c src/conf/syntax_checks.h
