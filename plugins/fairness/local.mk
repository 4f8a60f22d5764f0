# fairness plugins
plugin_LTLIBRARIES += plugins/fairness/fairness_drf.la plugins/fairness/fairness_asset.la
plugins_fairness_fairness_drf_la_SOURCES = plugins/fairness/drf.c
plugins_fairness_fairness_drf_la_LDFLAGS = $(plugin_LDFLAGS)
plugins_fairness_fairness_asset_la_SOURCES = plugins/fairness/asset.c
plugins_fairness_fairness_asset_la_LDFLAGS = $(plugin_LDFLAGS)
plugin_LTLIBRARIES += plugins/fairness/fairness_decay.la
plugins_fairness_fairness_decay_la_SOURCES = plugins/fairness/decay.c
plugins_fairness_fairness_decay_la_LDFLAGS = $(plugin_LDFLAGS)
plugins_fairness_fairness_decay_la_LIBADD = -lm
