# The client side: what the commands and libarmada are built on.
client_sources = \
	src/client/connection.c src/client/connection.h \
	src/client/dependency.c src/client/dependency.h \
	src/client/environ.c src/client/environ.h \
	src/client/filter.c src/client/filter.h \
	src/client/jobfile.c src/client/jobfile.h \
	src/client/jobstate.c src/client/jobstate.h \
	src/client/options.c src/client/options.h \
	src/client/script.c src/client/script.h \
	src/client/spec.c src/client/spec.h src/client/spec_finish.c \
	src/client/spec_order.c src/client/spec_place.c src/client/spec_set.c src/client/spec_set.h src/client/spec_table.c \
	src/client/spec_wait.c src/client/spec_limits.c src/client/when.c src/client/when.h \
	src/client/submit.c src/client/submit.h
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
