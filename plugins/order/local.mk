# order plugins
plugin_DATA += plugins/order/order_progressive.so
plugins_order_order_progressive_so_SOURCES = plugins/order/progressive.c
plugins_order_order_progressive_so_LDFLAGS = $(module_ldflags)
plugin_DATA += plugins/order/order_slices.so
plugins_order_order_slices_so_SOURCES = plugins/order/slices.c
plugins_order_order_slices_so_LDFLAGS = $(module_ldflags)
plugins_order_order_slices_so_LDADD = -lm
