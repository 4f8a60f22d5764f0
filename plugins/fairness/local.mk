# fairness plugins
plugin_DATA += plugins/fairness/fairness_drf.so plugins/fairness/fairness_asset.so
plugins_fairness_fairness_drf_so_SOURCES = plugins/fairness/drf.c
plugins_fairness_fairness_drf_so_LDFLAGS = $(module_ldflags)
plugins_fairness_fairness_asset_so_SOURCES = plugins/fairness/asset.c
plugins_fairness_fairness_asset_so_LDFLAGS = $(module_ldflags)
plugin_DATA += plugins/fairness/fairness_decay.so
plugins_fairness_fairness_decay_so_SOURCES = plugins/fairness/decay.c
plugins_fairness_fairness_decay_so_LDFLAGS = $(module_ldflags)
plugins_fairness_fairness_decay_so_LDADD = -lm
