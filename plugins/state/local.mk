# state plugins: plugins/state/README.md
state_sqlite_parts = \
	plugins/state/sqlite/accounting.c plugins/state/sqlite/accounting.h \
	plugins/state/sqlite/accounting_list.c \
	plugins/state/sqlite/accounting_query.c \
	plugins/state/sqlite/accounting_sum.c \
	plugins/state/sqlite/attempts.c \
	plugins/state/sqlite/ends.c plugins/state/sqlite/ends.h \
	plugins/state/sqlite/events.c plugins/state/sqlite/events.h \
	plugins/state/sqlite/chain.c \
	plugins/state/sqlite/crc32c.c plugins/state/sqlite/crc32c.h \
	plugins/state/sqlite/db.c \
	plugins/state/sqlite/dir.c \
	plugins/state/sqlite/error.c \
	plugins/state/sqlite/find.c \
	plugins/state/sqlite/history.c \
	plugins/state/sqlite/history_file.c plugins/state/sqlite/history_file.h \
	plugins/state/sqlite/init.c \
	plugins/state/sqlite/log_check.c plugins/state/sqlite/log_check.h \
	plugins/state/sqlite/log_file.c plugins/state/sqlite/log_file.h \
	plugins/state/sqlite/mark.c \
	plugins/state/sqlite/open.c \
	plugins/state/sqlite/chain.h \
	plugins/state/sqlite/db.h \
	plugins/state/sqlite/dir.h \
	plugins/state/sqlite/error.h \
	plugins/state/sqlite/history.h \
	plugins/state/sqlite/le.h \
	plugins/state/sqlite/mark.h \
	plugins/state/sqlite/record.h \
	plugins/state/sqlite/shares.h \
	plugins/state/sqlite/snapshot.h \
	plugins/state/sqlite/store.h \
	plugins/state/sqlite/record.c \
	plugins/state/sqlite/recover.c plugins/state/sqlite/recover.h \
	plugins/state/sqlite/reserve.c plugins/state/sqlite/reserve.h \
	plugins/state/sqlite/retention.c \
	plugins/state/sqlite/shares.c \
	plugins/state/sqlite/snapshot.c \
	plugins/state/sqlite/spec.c \
	plugins/state/sqlite/sqlite.h \
	plugins/state/sqlite/views.c \
	plugins/state/sqlite/wait_times.c plugins/state/sqlite/wait_times.h \
	plugins/state/sqlite/walscan.c plugins/state/sqlite/walscan.h \
	plugins/state/sqlite/history_options.h
plugin_DATA += plugins/state/state_sqlite.so
plugins_state_state_sqlite_so_SOURCES = \
	plugins/state/sqlite.c \
	$(state_sqlite_parts)
plugins_state_state_sqlite_so_CPPFLAGS = -I$(top_srcdir)/src/include
plugins_state_state_sqlite_so_CFLAGS = $(AM_CFLAGS) $(SQLITE_CFLAGS)
plugins_state_state_sqlite_so_LDFLAGS = $(module_ldflags)
plugins_state_state_sqlite_so_LDADD = $(SQLITE_LIBS) $(SODIUM_LIBS) -lpthread
EXTRA_DIST += plugins/state/README.md

# Only where hiredis is: the state of several controllers in Redis, with the history of state/sqlite.
if HAVE_HIREDIS
plugin_DATA += plugins/state/state_redis.so
plugins_state_state_redis_so_SOURCES = \
	plugins/state/redis.c \
	$(state_redis_parts) \
	$(state_sqlite_parts)
state_redis_parts = \
	plugins/state/redis/append.c \
	plugins/state/redis/conn.c \
	plugins/state/redis/conn.h \
	plugins/state/redis/controllers.c \
	plugins/state/redis/controllers.h \
	plugins/state/redis/copies.c \
	plugins/state/redis/copies.h \
	plugins/state/redis/head.c \
	plugins/state/redis/head.h \
	plugins/state/redis/lead.c \
	plugins/state/redis/lead.h \
	plugins/state/redis/link.c \
	plugins/state/redis/link.h \
	plugins/state/redis/stream.h \
	plugins/state/redis/open.c \
	plugins/state/redis/open.h \
	plugins/state/redis/options.c \
	plugins/state/redis/options.h \
	plugins/state/redis/publish.c \
	plugins/state/redis/publish.h \
	plugins/state/redis/read.c \
	plugins/state/redis/recover.c \
	plugins/state/redis/recover.h \
	plugins/state/redis/redis.h \
	plugins/state/redis/script.c \
	plugins/state/redis/script.h \
	plugins/state/redis/server.c \
	plugins/state/redis/server.h \
	plugins/state/redis/snapshot.c \
	plugins/state/redis/sync.c \
	plugins/state/redis/sync.h
plugins_state_state_redis_so_CPPFLAGS = -I$(top_srcdir)/src/include $(HIREDIS_CFLAGS)
plugins_state_state_redis_so_CFLAGS = $(AM_CFLAGS) $(SQLITE_CFLAGS)
plugins_state_state_redis_so_LDFLAGS = $(module_ldflags)
plugins_state_state_redis_so_LDADD = $(HIREDIS_LIBS) $(SQLITE_LIBS) $(SODIUM_LIBS) -lpthread
endif
EXTRA_DIST += plugins/state/redis/README.md
