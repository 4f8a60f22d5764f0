# A hostile client of the controller, and an honest one beside it.
check_PROGRAMS += testsuite/hostile/hostile
testsuite_hostile_hostile_SOURCES = testsuite/hostile/hostile.c testsuite/hostile/attack.c \
	testsuite/hostile/attack.h testsuite/hostile/honest.c testsuite/hostile/honest.h \
	testsuite/hostile/peer.c testsuite/hostile/peer.h testsuite/hostile/verbs.c
testsuite_hostile_hostile_LDADD = $(client_libs) $(SODIUM_LIBS) $(CONFIG_LIBS) \
	$(PROTOBUFC_LIBS) $(EVENT_LIBS) -ldl -lm
EXTRA_DIST += testsuite/hostile/README.md
