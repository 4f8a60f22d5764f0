# contain plugins
plugin_LTLIBRARIES += plugins/contain/contain_rlimit.la
plugins_contain_contain_rlimit_la_SOURCES = plugins/contain/rlimit.c
plugins_contain_contain_rlimit_la_CPPFLAGS = -I$(top_srcdir)/src/include
plugins_contain_contain_rlimit_la_LDFLAGS = $(plugin_LDFLAGS)

contain_cgroup_sources = plugins/contain/cgroup.c plugins/contain/cgroup.h \
	plugins/contain/devices.c plugins/contain/devices.h

plugin_LTLIBRARIES += plugins/contain/contain_cgroup1.la
plugins_contain_contain_cgroup1_la_SOURCES = plugins/contain/cgroup1.c plugins/contain/cgroup1.h \
	plugins/contain/cgroup1_set.c plugins/contain/cgroup1_set.h \
	plugins/contain/cgroup1_usage.c plugins/contain/cgroup1_usage.h $(contain_cgroup_sources)
plugins_contain_contain_cgroup1_la_CPPFLAGS = -I$(top_srcdir)/src/include
plugins_contain_contain_cgroup1_la_LDFLAGS = $(plugin_LDFLAGS)

plugin_LTLIBRARIES += plugins/contain/contain_cgroup2.la
plugins_contain_contain_cgroup2_la_SOURCES = plugins/contain/cgroup2.c plugins/contain/cgroup2.h \
	plugins/contain/cgroup2_base.c plugins/contain/cgroup2_base.h \
	plugins/contain/cgroup2_limits.c plugins/contain/cgroup2_limits.h \
	plugins/contain/devices_bpf.c $(contain_cgroup_sources)
plugins_contain_contain_cgroup2_la_CPPFLAGS = -I$(top_srcdir)/src/include
plugins_contain_contain_cgroup2_la_LDFLAGS = $(plugin_LDFLAGS)
EXTRA_DIST += plugins/contain/README.md
