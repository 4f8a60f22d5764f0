# The io stub of tasks that arun started, and what arun shares with it.
noinst_LTLIBRARIES += src/stub/libstub.la
src_stub_libstub_la_SOURCES = src/stub/frames.h src/stub/hello.h src/stub/hello.c \
	src/stub/stream.h src/stub/stream.c
src_stub_libstub_la_LIBADD = $(SODIUM_LIBS)
