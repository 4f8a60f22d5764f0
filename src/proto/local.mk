proto_files = src/proto/common.proto src/proto/client.proto src/proto/agent.proto \
	src/proto/event.proto src/proto/session.proto src/proto/stub.proto
proto_gen = src/proto/common.pb-c.c src/proto/common.pb-c.h \
	src/proto/client.pb-c.c src/proto/client.pb-c.h \
	src/proto/agent.pb-c.c src/proto/agent.pb-c.h \
	src/proto/event.pb-c.c src/proto/event.pb-c.h \
	src/proto/session.pb-c.c src/proto/session.pb-c.h \
	src/proto/stub.pb-c.c src/proto/stub.pb-c.h

src/proto/%.pb-c.c: src/proto/%.proto
	$(AM_V_GEN)$(MKDIR_P) src/proto && $(PROTOC_C) -I$(top_srcdir)/src/proto --c_out=src/proto $<
src/proto/%.pb-c.h: src/proto/%.pb-c.c
	@:

noinst_LIBRARIES += src/proto/libproto.a
nodist_src_proto_libproto_a_SOURCES = $(proto_gen)
src_proto_libproto_a_SOURCES = src/proto/check.c src/proto/check.h src/proto/event_table.c src/proto/event_table.h src/proto/msg.c src/proto/msg.h \
	src/proto/counter_table.c src/proto/counter_table.h \
	src/proto/mail.c src/proto/mail.h \
	src/proto/order.c src/proto/order.h src/proto/token.c src/proto/token.h src/proto/update_table.h \
	src/proto/failure_rule.c src/proto/failure_rule.h \
	src/proto/group_minimum.c src/proto/group_minimum.h \
	src/proto/task_division.c src/proto/task_division.h \
	src/proto/round_end.c src/proto/round_end.h \
	src/proto/job_event_table.c src/proto/job_event_table.h \
	src/proto/step_state.c src/proto/step_state.h \
	src/proto/usage.c src/proto/usage.h
# so that this library can be built alone, before everything that includes its headers
src/proto/check.$(OBJEXT) src/proto/event_table.$(OBJEXT) src/proto/msg.$(OBJEXT): $(proto_gen)
BUILT_SOURCES += $(proto_gen)
CLEANFILES += $(proto_gen)
EXTRA_DIST += $(proto_files) src/proto/README.md
