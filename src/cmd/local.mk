# The commands that people type.
cmd_common = src/cmd/command.c src/cmd/command.h
cmd_listing = src/cmd/listing.c src/cmd/listing.h
cmd_ldadd = src/client/libclient.la
cmd_listing_ldadd = $(cmd_ldadd) $(SMARTCOLS_LIBS) $(JANSSON_LIBS)

bin_PROGRAMS += asubmit aqueue
asubmit_SOURCES = src/cmd/asubmit.c src/cmd/asubmit.h src/cmd/asubmit_send.c $(cmd_common)
asubmit_LDADD = $(cmd_ldadd)
aqueue_SOURCES = src/cmd/aqueue.c src/cmd/aqueue.h src/cmd/aqueue_fetch.c \
	src/cmd/aqueue_columns.c $(cmd_common) $(cmd_listing)
aqueue_LDADD = $(cmd_listing_ldadd)
