# order plugins
plugin_LTLIBRARIES += plugins/order/order_progressive.la
plugins_order_order_progressive_la_SOURCES = plugins/order/progressive.c
plugins_order_order_progressive_la_LDFLAGS = $(plugin_LDFLAGS)
plugin_LTLIBRARIES += plugins/order/order_slices.la
plugins_order_order_slices_la_SOURCES = plugins/order/slices.c
plugins_order_order_slices_la_LDFLAGS = $(plugin_LDFLAGS)
plugins_order_order_slices_la_LIBADD = -lm
