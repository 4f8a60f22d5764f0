# select plugins
plugin_LTLIBRARIES += plugins/select/select_binpack.la plugins/select/select_queuepack.la \
	plugins/select/select_spread.la
plugins_select_select_binpack_la_SOURCES = plugins/select/binpack.c
plugins_select_select_binpack_la_LDFLAGS = $(plugin_LDFLAGS)
plugins_select_select_queuepack_la_SOURCES = plugins/select/queuepack.c
plugins_select_select_queuepack_la_LDFLAGS = $(plugin_LDFLAGS)
plugins_select_select_spread_la_SOURCES = plugins/select/spread.c
plugins_select_select_spread_la_LDFLAGS = $(plugin_LDFLAGS)
