# agent
noinst_LIBRARIES += src/agent/libagent.a
src_agent_libagent_a_SOURCES = \
	src/agent/lease.c src/agent/lease.h \
	src/agent/ledger.c src/agent/ledger.h \
	src/agent/link.c src/agent/link.h src/agent/link_state.h \
	src/agent/link_lease.c src/agent/link_lease.h src/agent/link_messages.c \
	src/agent/link_reports.c src/agent/link_reports.h \
	src/agent/link_steps.c src/agent/link_steps.h \
	src/agent/link_usage.c src/agent/link_usage.h \
	src/agent/link_session.c src/agent/link_session.h \
	src/agent/place.c src/agent/place.h src/agent/place_gpus.c src/agent/place_gpus.h \
	src/agent/place_near.c src/agent/place_near.h src/agent/place_search.h \
	src/agent/report.c src/agent/report.h \
	src/agent/task_hash_key.h
EXTRA_DIST += src/agent/README.md src/agent/CRASHES.md
