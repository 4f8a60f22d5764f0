# fairness plugins
plugin_LTLIBRARIES += plugins/fairness/fairness_drf.la
plugins_fairness_fairness_drf_la_SOURCES = plugins/fairness/drf.c
plugins_fairness_fairness_drf_la_LDFLAGS = $(plugin_LDFLAGS)
