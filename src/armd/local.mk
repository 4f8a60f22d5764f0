# armd
noinst_LTLIBRARIES += src/armd/libarmd.la
src_armd_libarmd_la_SOURCES = \
	src/armd/launcher.h \
	src/armd/pipe.h src/armd/pipe.c src/armd/pipe_body.c src/armd/pipe_io.c
