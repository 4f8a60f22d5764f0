# The parts, as a library so that unit tests link them too.
noinst_LTLIBRARIES += src/armctld/libarmctld.la
src_armctld_libarmctld_la_SOURCES = \
	src/armctld/answers.c src/armctld/answers.h src/armctld/answer_shares.c \
	src/armctld/batch.c src/armctld/batch.h \
	src/armctld/callers.c src/armctld/callers.h \
	src/armctld/commit.c src/armctld/commit.h \
	src/armctld/ctld.c src/armctld/ctld.h \
	src/armctld/effects.c \
	src/armctld/fence.c src/armctld/fence.h \
	src/armctld/faults.c src/armctld/faults.h \
	src/armctld/history.c src/armctld/history.h \
	src/armctld/introduce.c \
	src/armctld/names.c src/armctld/names.h \
	src/armctld/orderkey.c src/armctld/orderkey.h \
	src/armctld/past.c src/armctld/past.h \
	src/armctld/plugins.c src/armctld/plugins.h \
	src/armctld/policy.c src/armctld/policy.h src/armctld/policy_queue.c \
	src/armctld/pool.c src/armctld/pool.h \
	src/armctld/questions.c src/armctld/questions.h \
	src/armctld/reload.c \
	src/armctld/replay.c \
	src/armctld/rounds.c src/armctld/rounds.h \
	src/armctld/sessions.c src/armctld/sessions.h \
	src/armctld/setup.c \
	src/armctld/startup.c \
	src/armctld/wake.c src/armctld/wake.h

sbin_PROGRAMS += armctld
armctld_SOURCES = src/armctld/main.c
armctld_LDADD = src/armctld/libarmctld.la src/core/libcore.la src/sched/libsched.la \
	src/wire/libwire.la src/plugin/libplugin.la src/conf/libconf.la src/proto/libproto.la \
	src/util/libutil.la $(EVENT_LIBS) $(CONFIG_LIBS) $(SODIUM_LIBS) $(PROTOBUFC_LIBS) -ldl -lpthread
EXTRA_DIST += src/armctld/README.md
