# select plugins
plugin_LTLIBRARIES += plugins/select/select_binpack.la
plugins_select_select_binpack_la_SOURCES = plugins/select/binpack.c
plugins_select_select_binpack_la_LDFLAGS = $(plugin_LDFLAGS)
