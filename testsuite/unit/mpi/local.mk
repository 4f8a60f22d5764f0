# unit tests of the mpi plugins
check_PROGRAMS += testsuite/unit/mpi/pmi1
TESTS += testsuite/unit/mpi/pmi1
testsuite_unit_mpi_pmi1_SOURCES = testsuite/unit/mpi/pmi1.c $(mpi_pmi1_parts)
testsuite_unit_mpi_pmi1_CPPFLAGS = $(tap_cppflags) -I$(top_srcdir)/plugins
testsuite_unit_mpi_pmi1_LDADD = testsuite/tap/libtap.a
