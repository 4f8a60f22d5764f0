# preempt plugins
plugin_LTLIBRARIES += plugins/preempt/preempt_none.la plugins/preempt/preempt_fairshare.la \
	plugins/preempt/preempt_urgency.la
plugins_preempt_preempt_none_la_SOURCES = plugins/preempt/none.c
plugins_preempt_preempt_none_la_LDFLAGS = $(plugin_LDFLAGS)
plugins_preempt_preempt_fairshare_la_SOURCES = plugins/preempt/fairshare.c
plugins_preempt_preempt_fairshare_la_LDFLAGS = $(plugin_LDFLAGS)
plugins_preempt_preempt_urgency_la_SOURCES = plugins/preempt/urgency.c
plugins_preempt_preempt_urgency_la_LDFLAGS = $(plugin_LDFLAGS)
