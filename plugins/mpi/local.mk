# mpi plugins: plugins/mpi/README.md
mpi_pmi1_parts = \
	plugins/mpi/pmi1/kvs.c plugins/mpi/pmi1/kvs.h \
	plugins/mpi/pmi1/machine.c plugins/mpi/pmi1/machine.h \
	plugins/mpi/pmi1/mapping.c plugins/mpi/pmi1/mapping.h \
	plugins/mpi/pmi1/text.c plugins/mpi/pmi1/text.h
plugin_DATA += plugins/mpi/mpi_pmi1.so
plugins_mpi_mpi_pmi1_so_SOURCES = plugins/mpi/pmi1.c $(mpi_pmi1_parts)
plugins_mpi_mpi_pmi1_so_CPPFLAGS = -I$(top_srcdir)/src/include
plugins_mpi_mpi_pmi1_so_LDFLAGS = $(module_ldflags)
EXTRA_DIST += plugins/mpi/README.md
