# One program for each side of src/conf.
unit_conf_ldadd = testsuite/tap/libtap.a src/conf/libconf.a src/util/libutil.a \
	$(CONFIG_LIBS) -lm
unit_conf_tests = \
	testsuite/unit/conf/compare \
	testsuite/unit/conf/quota \
	testsuite/unit/conf/quantity \
	testsuite/unit/conf/resource_table \
	testsuite/unit/conf/parse \
	testsuite/unit/conf/permit \
	testsuite/unit/conf/option \
	testsuite/unit/conf/show \
	testsuite/unit/conf/load \
	testsuite/unit/conf/manual
check_PROGRAMS += $(unit_conf_tests)
TESTS += $(unit_conf_tests)
testsuite_unit_conf_compare_LDADD = testsuite/tap/libtap.a src/conf/libconf.a src/proto/libproto.a \
	src/util/libutil.a $(PROTOBUFC_LIBS) \
	$(CONFIG_LIBS) -lm $(SODIUM_LIBS)
testsuite_unit_conf_quota_LDADD = $(unit_conf_ldadd)
testsuite_unit_conf_quantity_LDADD = $(unit_conf_ldadd)
testsuite_unit_conf_resource_table_LDADD = $(testsuite_unit_conf_compare_LDADD)
testsuite_unit_conf_parse_LDADD = $(testsuite_unit_conf_compare_LDADD)
testsuite_unit_conf_permit_LDADD = testsuite/tap/libtap.a src/conf/libconf.a src/proto/libproto.a \
	src/util/libutil.a $(PROTOBUFC_LIBS) \
	$(CONFIG_LIBS) -lm $(SODIUM_LIBS)
testsuite_unit_conf_option_LDADD = $(unit_conf_ldadd)
testsuite_unit_conf_show_LDADD = $(unit_conf_ldadd)
testsuite_unit_conf_load_LDADD = $(unit_conf_ldadd)
testsuite_unit_conf_manual_LDADD = testsuite/tap/libtap.a src/plugin/libplugin.a src/conf/libconf.a \
	src/proto/libproto.a $(unit_conf_ldadd) $(PROTOBUFC_LIBS) -ldl

# Writes the parts of the manual pages that are made from the tables of options.
manual: testsuite/unit/conf/manual all
	ARMADA_SRCDIR='$(srcdir)' ARMADA_BUILDDIR=. testsuite/unit/conf/manual --write
.PHONY: manual
