# unit tests of plugin
#
# One source, built into a good plugin and into every bad one the host must refuse.
check_LTLIBRARIES += testsuite/unit/plugin/good.la
testsuite_unit_plugin_good_la_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_good_la_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_good
testsuite_unit_plugin_good_la_LDFLAGS = $(variant_ldflags)
check_LTLIBRARIES += testsuite/unit/plugin/abi.la
testsuite_unit_plugin_abi_la_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_abi_la_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_abi
testsuite_unit_plugin_abi_la_LDFLAGS = $(variant_ldflags)
check_LTLIBRARIES += testsuite/unit/plugin/magic.la
testsuite_unit_plugin_magic_la_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_magic_la_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_magic
testsuite_unit_plugin_magic_la_LDFLAGS = $(variant_ldflags)
check_LTLIBRARIES += testsuite/unit/plugin/kind.la
testsuite_unit_plugin_kind_la_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_kind_la_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_kind
testsuite_unit_plugin_kind_la_LDFLAGS = $(variant_ldflags)
check_LTLIBRARIES += testsuite/unit/plugin/name.la
testsuite_unit_plugin_name_la_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_name_la_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_name
testsuite_unit_plugin_name_la_LDFLAGS = $(variant_ldflags)
check_LTLIBRARIES += testsuite/unit/plugin/size.la
testsuite_unit_plugin_size_la_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_size_la_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_size
testsuite_unit_plugin_size_la_LDFLAGS = $(variant_ldflags)
check_LTLIBRARIES += testsuite/unit/plugin/nosymbol.la
testsuite_unit_plugin_nosymbol_la_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_nosymbol_la_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_nosymbol
testsuite_unit_plugin_nosymbol_la_LDFLAGS = $(variant_ldflags)
check_LTLIBRARIES += testsuite/unit/plugin/undefined.la
testsuite_unit_plugin_undefined_la_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_undefined_la_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_undefined
testsuite_unit_plugin_undefined_la_LDFLAGS = $(variant_ldflags)
check_LTLIBRARIES += testsuite/unit/plugin/nooptions.la
testsuite_unit_plugin_nooptions_la_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_nooptions_la_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_nooptions
testsuite_unit_plugin_nooptions_la_LDFLAGS = $(variant_ldflags)
check_LTLIBRARIES += testsuite/unit/plugin/default.la
testsuite_unit_plugin_default_la_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_default_la_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_default
testsuite_unit_plugin_default_la_LDFLAGS = $(variant_ldflags)
# a module is built shared only if it could be installed; undefined symbols are wanted in one
variant_ldflags = -module -avoid-version -shared -rpath /nowhere $(AM_LDFLAGS)

check_PROGRAMS += testsuite/unit/plugin/plugin testsuite/unit/plugin/munge
TESTS += testsuite/unit/plugin/plugin testsuite/unit/plugin/munge
plugin_test_libs = testsuite/tap/libtap.la src/plugin/libplugin.la src/conf/libconf.la \
	src/util/libutil.la $(CONFIG_LIBS)
testsuite_unit_plugin_plugin_LDADD = $(plugin_test_libs)
EXTRA_testsuite_unit_plugin_plugin_DEPENDENCIES = $(check_LTLIBRARIES)
testsuite_unit_plugin_munge_SOURCES = testsuite/unit/plugin/munge.c testsuite/unit/plugin/munged.c testsuite/unit/plugin/munged.h
testsuite_unit_plugin_munge_LDADD = $(plugin_test_libs) $(MUNGE_LIBS)
check_PROGRAMS += testsuite/unit/plugin/load
testsuite_unit_plugin_load_LDADD = src/plugin/libplugin.la src/conf/libconf.la src/util/libutil.la \
	$(CONFIG_LIBS)
