# The host side of plugins. Uses libconf for the defaults of options: link that too.
noinst_LTLIBRARIES += src/plugin/libplugin.la
src_plugin_libplugin_la_SOURCES = src/plugin/plugin.c src/plugin/plugin.h
EXTRA_DIST += src/plugin/README.md
