# select plugins
plugin_LTLIBRARIES += plugins/select/select_binpack.la plugins/select/select_queuepack.la \
	plugins/select/select_spread.la
select_sequence = plugins/select/sequence.c plugins/select/sequence.h
plugins_select_select_binpack_la_SOURCES = plugins/select/binpack.c $(select_sequence)
plugins_select_select_binpack_la_LDFLAGS = $(plugin_LDFLAGS)
plugins_select_select_queuepack_la_SOURCES = plugins/select/queuepack.c $(select_sequence)
plugins_select_select_queuepack_la_LDFLAGS = $(plugin_LDFLAGS)
plugins_select_select_spread_la_SOURCES = plugins/select/spread.c $(select_sequence)
plugins_select_select_spread_la_LDFLAGS = $(plugin_LDFLAGS)
