# preempt plugins
plugin_LTLIBRARIES += plugins/preempt/preempt_none.la
plugins_preempt_preempt_none_la_SOURCES = plugins/preempt/none.c
plugins_preempt_preempt_none_la_LDFLAGS = $(plugin_LDFLAGS)
