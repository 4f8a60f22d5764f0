noinst_LIBRARIES += src/util/libutil.a
EXTRA_DIST += src/util/README.md
src_util_libutil_a_SOURCES = \
	src/util/arena.c src/util/arena.h \
	src/util/shared.c src/util/shared.h \
	src/util/bisect.h \
	src/util/buf.c src/util/buf.h \
	src/util/clock.h \
	src/util/err.c src/util/err.h \
	src/util/heap.h \
	src/util/histogram.c src/util/histogram.h \
	src/util/hostlist.c src/util/hostlist.h \
	src/util/indexlist.c src/util/indexlist.h \
	src/util/le.h \
	src/util/log.c src/util/log.h \
	src/util/log_format.c src/util/log_format.h \
	src/util/log_levels.c src/util/log_levels.h \
	src/util/log_peer.c src/util/log_peer.h \
	src/util/memory_use.c src/util/memory_use.h \
	src/util/mem.c src/util/mem.h \
	src/util/names.c src/util/names.h \
	src/util/nearest.c src/util/nearest.h \
	src/util/notify.c src/util/notify.h \
	src/util/options.c src/util/options.h \
	src/util/plural.h \
	src/util/program.c src/util/program.h \
	src/util/rangeset.c src/util/rangeset.h \
	src/util/reap.c src/util/reap.h \
	src/util/rlimits.c src/util/rlimits.h \
	src/util/signals.c src/util/signals.h \
	src/util/splitmix.h \
	src/util/steps.c src/util/steps.h \
	src/util/units.c src/util/units.h \
	src/util/utf8.c src/util/utf8.h \
	src/util/visible.c src/util/visible.h
