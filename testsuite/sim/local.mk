# The simulated storm, and defects that are planted in the sources to test it.
TESTS += testsuite/sim/storm.t testsuite/sim/mutants.t
dist_check_SCRIPTS += testsuite/sim/storm.t testsuite/sim/mutants.t
EXTRA_DIST += testsuite/sim/mutants.txt

# One source replaced: MUTANT is compiled as MUTANT_FILE would be and linked first.
storm-mutant: src/asim/asim
	$(CC) $(DEFS) $(DEFAULT_INCLUDES) -I$(top_builddir) $(INCLUDES) -I$(top_srcdir)/`dirname $(MUTANT_FILE)` \
		$(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -w -c $(MUTANT) -o $(MUTANT_OUT).o
	skip=`dirname $(MUTANT_FILE)`/asim-`basename $(MUTANT_FILE) .c`.o; list=; \
	for o in $(src_asim_asim_OBJECTS); do test $$o = $$skip || list="$$list $$o"; done; \
	$(CC) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) \
		-o $(MUTANT_OUT) $(MUTANT_OUT).o $$list $(src_asim_asim_LDADD)
.PHONY: storm-mutant
