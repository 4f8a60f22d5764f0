# unit tests of plugin
#
# One source is built into a valid plugin, and into an invalid one for each reason to refuse it.
variants = testsuite/unit/plugin/good.so \
	testsuite/unit/plugin/abi.so \
	testsuite/unit/plugin/magic.so \
	testsuite/unit/plugin/kind.so \
	testsuite/unit/plugin/name.so \
	testsuite/unit/plugin/size.so \
	testsuite/unit/plugin/nosymbol.so \
	testsuite/unit/plugin/undefined.so \
	testsuite/unit/plugin/nooptions.so \
	testsuite/unit/plugin/default.so
check_PROGRAMS += $(variants)
testsuite_unit_plugin_good_so_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_good_so_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_good
testsuite_unit_plugin_good_so_LDFLAGS = $(variant_ldflags)
testsuite_unit_plugin_abi_so_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_abi_so_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_abi
testsuite_unit_plugin_abi_so_LDFLAGS = $(variant_ldflags)
testsuite_unit_plugin_magic_so_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_magic_so_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_magic
testsuite_unit_plugin_magic_so_LDFLAGS = $(variant_ldflags)
testsuite_unit_plugin_kind_so_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_kind_so_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_kind
testsuite_unit_plugin_kind_so_LDFLAGS = $(variant_ldflags)
testsuite_unit_plugin_name_so_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_name_so_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_name
testsuite_unit_plugin_name_so_LDFLAGS = $(variant_ldflags)
testsuite_unit_plugin_size_so_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_size_so_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_size
testsuite_unit_plugin_size_so_LDFLAGS = $(variant_ldflags)
testsuite_unit_plugin_nosymbol_so_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_nosymbol_so_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_nosymbol
testsuite_unit_plugin_nosymbol_so_LDFLAGS = $(variant_ldflags)
testsuite_unit_plugin_undefined_so_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_undefined_so_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_undefined
testsuite_unit_plugin_undefined_so_LDFLAGS = $(variant_ldflags)
testsuite_unit_plugin_nooptions_so_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_nooptions_so_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_nooptions
testsuite_unit_plugin_nooptions_so_LDFLAGS = $(variant_ldflags)
testsuite_unit_plugin_default_so_SOURCES = testsuite/unit/plugin/variant.c
testsuite_unit_plugin_default_so_CPPFLAGS = -I$(top_srcdir)/src/include -DVARIANT_default
testsuite_unit_plugin_default_so_LDFLAGS = $(variant_ldflags)
# one of them has undefined symbols on purpose
variant_ldflags = -shared $(AM_LDFLAGS)

check_PROGRAMS += testsuite/unit/plugin/plugin testsuite/unit/plugin/munge
TESTS += testsuite/unit/plugin/plugin testsuite/unit/plugin/munge
plugin_test_libs = testsuite/tap/libtap.a src/plugin/libplugin.a src/conf/libconf.a \
	src/util/libutil.a $(CONFIG_LIBS) \
	-ldl -lm
testsuite_unit_plugin_plugin_LDADD = $(plugin_test_libs)
EXTRA_testsuite_unit_plugin_plugin_DEPENDENCIES = $(variants)
testsuite_unit_plugin_munge_SOURCES = testsuite/unit/plugin/munge.c testsuite/unit/plugin/munged.c testsuite/unit/plugin/munged.h
testsuite_unit_plugin_munge_LDADD = $(plugin_test_libs) $(MUNGE_LIBS)
check_PROGRAMS += testsuite/unit/plugin/load
testsuite_unit_plugin_load_LDADD = src/plugin/libplugin.a src/conf/libconf.a src/util/libutil.a \
	$(CONFIG_LIBS) \
	-ldl -lm
