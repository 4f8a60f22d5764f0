noinst_LIBRARIES += src/feed/libfeed.a
src_feed_libfeed_a_SOURCES = \
	src/feed/avoid.c \
	src/feed/avoid.h \
	src/feed/describe.c \
	src/feed/describe.h \
	src/feed/internal.h \
	src/feed/known_job.c \
	src/feed/known_job.h \
	src/feed/nodes_queues.c \
	src/feed/nodes_queues.h \
	src/feed/sched_feed.c \
	src/feed/sched_feed.h \
	src/feed/snap_job.c \
	src/feed/snap_job.h \
	src/feed/elastic.c \
	src/feed/elastic.h \
	src/feed/task_constraints.c \
	src/feed/task_constraints.h \
	src/feed/task_replacement.c \
	src/feed/task_replacement.h
EXTRA_DIST += src/feed/README.md
