noinst_LTLIBRARIES += src/sched/libsched.la
src_sched_libsched_la_SOURCES = \
	src/sched/actor.c \
	src/sched/avoid.c \
	src/sched/configure.c src/sched/configure.h \
	src/sched/backfill.c \
	src/sched/allowance.c src/sched/allowance.h \
	src/sched/amount.c \
	src/sched/change.c src/sched/change.h \
	src/sched/block.c src/sched/block.h \
	src/sched/blocked.c \
	src/sched/constraint.c \
	src/sched/could.c \
	src/sched/course.c \
	src/sched/demand.c \
	src/sched/displace.c \
	src/sched/dry.c \
	src/sched/earliest.c \
	src/sched/ends.c src/sched/ends.h \
	src/sched/evict.c \
	src/sched/explain.c src/sched/explain.h \
	src/sched/forecast.h \
	src/sched/head.c \
	src/sched/index.c src/sched/index.h \
	src/sched/job.c \
	src/sched/key.c \
	src/sched/lane.c src/sched/lane.h \
	src/sched/lasting.c \
	src/sched/level.c \
	src/sched/limit.c src/sched/limits.h \
	src/sched/map.c src/sched/map.h \
	src/sched/memory.c src/sched/memory.h \
	src/sched/node.c \
	src/sched/over.c \
	src/sched/parts.h \
	src/sched/place.c \
	src/sched/plan.c \
	src/sched/policies.c \
	src/sched/queue.c \
	src/sched/reason.c src/sched/reason.h \
	src/sched/record.h \
	src/sched/reserve.c \
	src/sched/roster.c src/sched/roster.h \
	src/sched/result.h \
	src/sched/round.c src/sched/round.h \
	src/sched/sched.c src/sched/sched.h \
	src/sched/say.c \
	src/sched/select.c \
	src/sched/stage.c src/sched/stage.h \
	src/sched/share.c src/sched/share.h \
	src/sched/swap.c src/sched/swap.h \
	src/sched/survey.c src/sched/survey.h \
	src/sched/taker.c \
	src/sched/task.c \
	src/sched/tenant.c src/sched/tenant.h \
	src/sched/trace.h \
	src/sched/turn.c \
	src/sched/value.c \
	src/sched/view.c \
	src/sched/watch.c src/sched/watch.h \
	src/sched/why.c src/sched/why.h \
	src/sched/world.h
EXTRA_DIST += src/sched/README.md
