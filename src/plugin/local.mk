# The host side of plugins. Uses libconf for the defaults of options: link that too.
noinst_LIBRARIES += src/plugin/libplugin.a
src_plugin_libplugin_a_SOURCES = src/plugin/candidates.c src/plugin/candidates.h \
	src/plugin/plugin.c src/plugin/plugin.h
EXTRA_DIST += src/plugin/README.md
