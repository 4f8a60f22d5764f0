# The io stub of tasks that arun started, and what arun shares with it.
noinst_LTLIBRARIES += src/stub/libstub.la
src_stub_libstub_la_SOURCES = src/stub/frames.h src/stub/hello.h src/stub/hello.c \
	src/stub/stream.h src/stub/stream.c src/stub/payload.h src/stub/payload.c \
	src/stub/child.h src/stub/child.c src/stub/dial.h src/stub/dial.c \
	src/stub/relay.h src/stub/relay.c
src_stub_libstub_la_LIBADD = $(SODIUM_LIBS)
stub_ldadd = src/stub/libstub.la src/wire/libwire.la src/proto/libproto.la src/util/libutil.la \
	$(SODIUM_LIBS) $(PROTOBUFC_LIBS)

pkglibexec_PROGRAMS += arun-io
arun_io_SOURCES = src/stub/main.c
arun_io_LDADD = $(stub_ldadd)
EXTRA_DIST += src/stub/README.md
