# preempt plugins
plugin_DATA += plugins/preempt/preempt_none.so plugins/preempt/preempt_fairshare.so \
	plugins/preempt/preempt_urgency.so
plugins_preempt_preempt_none_so_SOURCES = plugins/preempt/none.c
plugins_preempt_preempt_none_so_LDFLAGS = $(module_ldflags)
plugins_preempt_preempt_fairshare_so_SOURCES = plugins/preempt/fairshare.c
plugins_preempt_preempt_fairshare_so_LDFLAGS = $(module_ldflags)
plugins_preempt_preempt_urgency_so_SOURCES = plugins/preempt/urgency.c
plugins_preempt_preempt_urgency_so_LDFLAGS = $(module_ldflags)
