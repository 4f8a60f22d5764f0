# The client side: what the commands and libarmada are built on.
client_sources = \
	src/client/connection.c src/client/connection.h \
	src/client/environ.c src/client/environ.h \
	src/client/filter.c src/client/filter.h \
	src/client/jobfile.c src/client/jobfile.h \
	src/client/jobstate.c src/client/jobstate.h \
	src/client/script.c src/client/script.h \
	src/client/submit.c src/client/submit.h \
	src/client/spec/dependency.c src/client/spec/dependency.h \
	src/client/spec/finish.c src/client/spec/finish.h \
	src/client/spec/limits.c src/client/spec/limits.h \
	src/client/spec/order.c src/client/spec/order.h \
	src/client/spec/place.c src/client/spec/place.h \
	src/client/spec/run.c src/client/spec/run.h \
	src/client/spec/size.c src/client/spec/size.h \
	src/client/spec/spec.c src/client/spec/spec.h \
	src/client/spec/table.c src/client/spec/table.h \
	src/client/spec/time_parse.c src/client/spec/time_parse.h \
	src/client/spec/wait.c src/client/spec/wait.h
client_libs = src/wire/libwire.la src/plugin/libplugin.la src/conf/libconf.la \
	src/proto/libproto.la src/util/libutil.la

noinst_LTLIBRARIES += src/client/libclient.la
src_client_libclient_la_SOURCES = $(client_sources)
src_client_libclient_la_LIBADD = $(client_libs) $(SODIUM_LIBS) $(CONFIG_LIBS) $(PROTOBUFC_LIBS)

# The public library: the same objects behind a symbol map.
lib_LTLIBRARIES += src/client/libarmada.la
src_client_libarmada_la_SOURCES = src/client/armada.c
src_client_libarmada_la_LIBADD = src/client/libclient.la
src_client_libarmada_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 \
	-Wl,--version-script=$(top_srcdir)/src/client/libarmada.map
src_client_libarmada_la_DEPENDENCIES = src/client/libclient.la src/client/libarmada.map
armadainclude_HEADERS += src/include/armada/armada.h
EXTRA_DIST += src/client/libarmada.map
EXTRA_DIST += src/client/README.md src/client/spec/README.md
