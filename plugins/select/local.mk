# select plugins
plugin_DATA += plugins/select/select_binpack.so plugins/select/select_queuepack.so \
	plugins/select/select_spread.so
select_sequence = plugins/select/sequence.c plugins/select/sequence.h
plugins_select_select_binpack_so_SOURCES = plugins/select/binpack.c $(select_sequence)
plugins_select_select_binpack_so_LDFLAGS = $(module_ldflags)
plugins_select_select_queuepack_so_SOURCES = plugins/select/queuepack.c $(select_sequence)
plugins_select_select_queuepack_so_LDFLAGS = $(module_ldflags)
plugins_select_select_spread_so_SOURCES = plugins/select/spread.c $(select_sequence)
plugins_select_select_spread_so_LDFLAGS = $(module_ldflags)
