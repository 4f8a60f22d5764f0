# contain plugins
plugin_LTLIBRARIES += plugins/contain/contain_rlimit.la
plugins_contain_contain_rlimit_la_SOURCES = plugins/contain/rlimit.c
plugins_contain_contain_rlimit_la_CPPFLAGS = -I$(top_srcdir)/src/include
plugins_contain_contain_rlimit_la_LDFLAGS = $(plugin_LDFLAGS)
