# unit tests of the contain plugins, on the kernel of this machine
contain_task = testsuite/unit/contain/task.c testsuite/unit/contain/task.h

check_PROGRAMS += testsuite/unit/contain/cgroup1 testsuite/unit/contain/cgroup2
TESTS += testsuite/unit/contain/cgroup1 testsuite/unit/contain/cgroup2
testsuite_unit_contain_cgroup1_SOURCES = testsuite/unit/contain/cgroup.c $(contain_task)
testsuite_unit_contain_cgroup1_CPPFLAGS = $(tap_cppflags) -DPLUGIN='"cgroup1"'
testsuite_unit_contain_cgroup1_LDADD = testsuite/tap/libtap.a -ldl -lpthread
testsuite_unit_contain_cgroup2_SOURCES = testsuite/unit/contain/cgroup.c $(contain_task)
testsuite_unit_contain_cgroup2_CPPFLAGS = $(tap_cppflags) -DPLUGIN='"cgroup2"'
testsuite_unit_contain_cgroup2_LDADD = testsuite/tap/libtap.a -ldl -lpthread

check_PROGRAMS += testsuite/unit/contain/group1 testsuite/unit/contain/group2
TESTS += testsuite/unit/contain/group1 testsuite/unit/contain/group2
testsuite_unit_contain_group1_SOURCES = testsuite/unit/contain/group.c $(contain_task)
testsuite_unit_contain_group1_CPPFLAGS = $(tap_cppflags) -DPLUGIN='"cgroup1"'
testsuite_unit_contain_group1_LDADD = testsuite/tap/libtap.a -ldl
testsuite_unit_contain_group2_SOURCES = testsuite/unit/contain/group.c $(contain_task)
testsuite_unit_contain_group2_CPPFLAGS = $(tap_cppflags) -DPLUGIN='"cgroup2"'
testsuite_unit_contain_group2_LDADD = testsuite/tap/libtap.a -ldl

# The parent groups of v2, on a kernel that the test imitates.
check_PROGRAMS += testsuite/unit/contain/base
TESTS += testsuite/unit/contain/base
testsuite_unit_contain_base_SOURCES = testsuite/unit/contain/base.c plugins/contain/cgroup.c \
	plugins/contain/cgroup2_base.c
testsuite_unit_contain_base_CPPFLAGS = $(tap_cppflags) -I$(top_srcdir)/plugins
testsuite_unit_contain_base_LDFLAGS = -Wl,--wrap=cgroup_place,--wrap=cgroup_write \
	-Wl,--wrap=mkdirat,--wrap=unlinkat
testsuite_unit_contain_base_LDADD = testsuite/tap/libtap.a

check_PROGRAMS += testsuite/unit/contain/devices
TESTS += testsuite/unit/contain/devices
testsuite_unit_contain_devices_SOURCES = testsuite/unit/contain/devices.c plugins/contain/cgroup.c \
	plugins/contain/devices.c plugins/contain/devices_bpf.c
testsuite_unit_contain_devices_CPPFLAGS = $(tap_cppflags) -I$(top_srcdir)/plugins
testsuite_unit_contain_devices_LDADD = testsuite/tap/libtap.a

# The peak memory of a task, with each plugin, and how it follows from samples.
contain_memory = testsuite/unit/contain/memory_cgroup1 testsuite/unit/contain/memory_cgroup2 \
	testsuite/unit/contain/memory_rlimit
check_PROGRAMS += $(contain_memory) testsuite/unit/contain/peak
TESTS += $(contain_memory) testsuite/unit/contain/peak
testsuite_unit_contain_memory_cgroup1_SOURCES = testsuite/unit/contain/memory.c $(contain_task)
testsuite_unit_contain_memory_cgroup1_CPPFLAGS = $(tap_cppflags) -DPLUGIN='"cgroup1"'
testsuite_unit_contain_memory_cgroup1_LDADD = testsuite/tap/libtap.a -ldl
testsuite_unit_contain_memory_cgroup2_SOURCES = testsuite/unit/contain/memory.c $(contain_task)
testsuite_unit_contain_memory_cgroup2_CPPFLAGS = $(tap_cppflags) -DPLUGIN='"cgroup2"'
testsuite_unit_contain_memory_cgroup2_LDADD = testsuite/tap/libtap.a -ldl
testsuite_unit_contain_memory_rlimit_SOURCES = testsuite/unit/contain/memory.c $(contain_task)
testsuite_unit_contain_memory_rlimit_CPPFLAGS = $(tap_cppflags) -DPLUGIN='"rlimit"'
testsuite_unit_contain_memory_rlimit_LDADD = testsuite/tap/libtap.a -ldl
testsuite_unit_contain_peak_SOURCES = testsuite/unit/contain/peak.c plugins/contain/cgroup.c \
	plugins/contain/peak.c
testsuite_unit_contain_peak_CPPFLAGS = $(tap_cppflags) -I$(top_srcdir)/plugins
testsuite_unit_contain_peak_LDADD = testsuite/tap/libtap.a
