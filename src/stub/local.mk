# The io stub of tasks that arun started, and what arun shares with it.
noinst_LIBRARIES += src/stub/libstub.a
src_stub_libstub_a_SOURCES = src/stub/frames.h src/stub/hello.h src/stub/hello.c \
	src/stub/stream.h src/stub/stream.c src/stub/payload.h src/stub/payload.c \
	src/stub/child.h src/stub/child.c src/stub/dial.h src/stub/dial.c \
	src/stub/mpi.h src/stub/mpi.c src/stub/relay.h src/stub/signal.h src/stub/relay.c
stub_ldadd = src/stub/libstub.a src/wire/libwire.a src/plugin/libplugin.a src/conf/libconf.a \
	src/proto/libproto.a src/util/libutil.a $(SODIUM_LIBS) $(CONFIG_LIBS) $(PROTOBUFC_LIBS) \
	$(EVENT_LIBS) -lm -ldl

pkglibexec_PROGRAMS += arun-io
arun_io_SOURCES = src/stub/main.c
arun_io_LDADD = $(stub_ldadd)
EXTRA_DIST += src/stub/README.md
