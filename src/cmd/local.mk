# The commands that people type.
cmd_common = src/cmd/command.c src/cmd/command.h
cmd_ldadd = src/client/libclient.la

bin_PROGRAMS += asubmit
asubmit_SOURCES = src/cmd/asubmit.c src/cmd/asubmit.h src/cmd/asubmit_send.c $(cmd_common)
asubmit_LDADD = $(cmd_ldadd)
