# One program for each side of src/conf.
unit_conf_ldadd = testsuite/tap/libtap.la src/conf/libconf.la src/util/libutil.la
unit_conf_tests = \
	testsuite/unit/conf/parse \
	testsuite/unit/conf/option \
	testsuite/unit/conf/show \
	testsuite/unit/conf/load \
	testsuite/unit/conf/manual
check_PROGRAMS += $(unit_conf_tests)
TESTS += $(unit_conf_tests)
testsuite_unit_conf_parse_SOURCES = testsuite/unit/conf/parse.c
testsuite_unit_conf_parse_CPPFLAGS = $(tap_cppflags)
testsuite_unit_conf_parse_LDADD = $(unit_conf_ldadd)
testsuite_unit_conf_option_SOURCES = testsuite/unit/conf/option.c
testsuite_unit_conf_option_CPPFLAGS = $(tap_cppflags)
testsuite_unit_conf_option_LDADD = $(unit_conf_ldadd)
testsuite_unit_conf_show_SOURCES = testsuite/unit/conf/show.c
testsuite_unit_conf_show_CPPFLAGS = $(tap_cppflags)
testsuite_unit_conf_show_LDADD = $(unit_conf_ldadd)
testsuite_unit_conf_load_SOURCES = testsuite/unit/conf/load.c
testsuite_unit_conf_load_CPPFLAGS = $(tap_cppflags)
testsuite_unit_conf_load_LDADD = $(unit_conf_ldadd)
testsuite_unit_conf_manual_SOURCES = testsuite/unit/conf/manual.c
testsuite_unit_conf_manual_CPPFLAGS = $(tap_cppflags)
testsuite_unit_conf_manual_LDADD = testsuite/tap/libtap.la src/plugin/libplugin.la $(unit_conf_ldadd)
