# contain plugins
plugin_DATA += plugins/contain/contain_rlimit.so
plugins_contain_contain_rlimit_so_SOURCES = plugins/contain/rlimit.c
plugins_contain_contain_rlimit_so_CPPFLAGS = -I$(top_srcdir)/src/include
plugins_contain_contain_rlimit_so_LDFLAGS = $(module_ldflags)

contain_cgroup_sources = plugins/contain/cgroup.c plugins/contain/cgroup.h \
	plugins/contain/devices.c plugins/contain/devices.h \
	plugins/contain/peak.c plugins/contain/peak.h

plugin_DATA += plugins/contain/contain_cgroup1.so
plugins_contain_contain_cgroup1_so_SOURCES = plugins/contain/cgroup1.c plugins/contain/cgroup1.h \
	plugins/contain/cgroup1_set.c plugins/contain/cgroup1_set.h \
	plugins/contain/cgroup1_usage.c plugins/contain/cgroup1_usage.h $(contain_cgroup_sources)
plugins_contain_contain_cgroup1_so_CPPFLAGS = -I$(top_srcdir)/src/include
plugins_contain_contain_cgroup1_so_LDFLAGS = $(module_ldflags)

plugin_DATA += plugins/contain/contain_cgroup2.so
plugins_contain_contain_cgroup2_so_SOURCES = plugins/contain/cgroup2.c plugins/contain/cgroup2.h \
	plugins/contain/cgroup2_base.c plugins/contain/cgroup2_base.h \
	plugins/contain/cgroup2_limits.c plugins/contain/cgroup2_limits.h \
	plugins/contain/devices_bpf.c $(contain_cgroup_sources)
plugins_contain_contain_cgroup2_so_CPPFLAGS = -I$(top_srcdir)/src/include
plugins_contain_contain_cgroup2_so_LDFLAGS = $(module_ldflags)
EXTRA_DIST += plugins/contain/README.md
