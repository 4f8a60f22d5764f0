# The client side: what the commands and libarmada are built on.
client_sources = \
	src/client/connection.c src/client/connection.h \
	src/client/environ.c src/client/environ.h \
	src/client/events.c src/client/events.h \
	src/client/filter.c src/client/filter.h \
	src/client/jobfile.c src/client/jobfile.h \
	src/client/joblist.c src/client/joblist.h \
	src/client/jobtree.c src/client/jobtree.h src/client/jobtree_yaml.c \
	src/client/podspec.c src/client/podspec.h \
	src/client/jobstate.c src/client/jobstate.h \
	src/client/known.c src/client/known.h \
	src/client/lazy_auth.c src/client/lazy_auth.h \
	src/client/resources.c src/client/resources.h \
	src/client/kubernetes_words.c src/client/kubernetes_words.h \
	src/client/script.c src/client/script.h \
	src/client/pipeline.c src/client/pipeline.h \
	src/client/submit.c src/client/submit.h \
	src/client/spec/dependency.c src/client/spec/dependency.h \
	src/client/spec/finish.c src/client/spec/finish.h \
	src/client/spec/label.c src/client/spec/label.h \
	src/client/spec/limits.c src/client/spec/limits.h \
	src/client/spec/order.c src/client/spec/order.h \
	src/client/spec/place.c src/client/spec/place.h \
	src/client/spec/resource.c src/client/spec/resource.h \
	src/client/spec/run.c src/client/spec/run.h \
	src/client/spec/sbatch.h \
	src/client/spec/size.c src/client/spec/size.h \
	src/client/spec/spec.c src/client/spec/spec.h \
	src/client/spec/table.c src/client/spec/table.h \
	src/client/spec/time_parse.c src/client/spec/time_parse.h \
	src/client/spec/wait.c src/client/spec/wait.h
client_libs = src/wire/libwire.a src/plugin/libplugin.a src/conf/libconf.a \
	src/proto/libproto.a src/util/libutil.a

noinst_LIBRARIES += src/client/libclient.a
src_client_libclient_a_SOURCES = $(client_sources)

# The public library: the same objects behind a symbol map.
noinst_PROGRAMS += src/client/libarmada.so.0
armadalibdir = $(libdir)
armadalib_DATA = src/client/libarmada.so.0
src_client_libarmada_so_0_SOURCES = src/client/armada.c src/client/armada_events.c
src_client_libarmada_so_0_LDADD = src/client/libclient.a $(client_libs) $(SODIUM_LIBS) $(CONFIG_LIBS) $(YAML_LIBS) $(PROTOBUFC_LIBS) $(EVENT_LIBS) -lm -ldl
src_client_libarmada_so_0_LDFLAGS = $(module_ldflags) -Wl,-soname,libarmada.so.0 \
	-Wl,--version-script=$(top_srcdir)/src/client/libarmada.map
EXTRA_src_client_libarmada_so_0_DEPENDENCIES = src/client/libarmada.map
armadainclude_HEADERS += src/include/armada/armada.h src/include/armada/events.h
EXTRA_DIST += src/client/libarmada.map
EXTRA_DIST += src/client/README.md src/client/spec/README.md

# The name that a linker looks for with -larmada.
install-data-hook:
	ln -sf libarmada.so.0 '$(DESTDIR)$(libdir)/libarmada.so'
uninstall-hook:
	rm -f '$(DESTDIR)$(libdir)/libarmada.so'
