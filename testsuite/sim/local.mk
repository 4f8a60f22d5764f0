# The simulated storm, and defects that are planted in the sources to test it.
sim_tests = testsuite/sim/storm.t testsuite/sim/mutants.t testsuite/sim/replicated.t \
	testsuite/sim/replicated_mutants.t
TESTS += $(sim_tests)
dist_check_SCRIPTS += $(sim_tests)
EXTRA_DIST += testsuite/sim/mutants.txt testsuite/sim/replicated_mutants.txt

# One source replaced: MUTANT is compiled as MUTANT_FILE would be and linked first.
storm-mutant: src/asim/asim
	$(CC) $(DEFS) $(DEFAULT_INCLUDES) -I$(top_builddir) $(INCLUDES) -I$(top_srcdir)/`dirname $(MUTANT_FILE)` \
		$(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) $(HIREDIS_CFLAGS) -w -c $(MUTANT) -o $(MUTANT_OUT).o
	skip=`dirname $(MUTANT_FILE)`/asim-`basename $(MUTANT_FILE) .c`.o; list=; \
	for o in $(src_asim_asim_OBJECTS); do test $$o = $$skip || list="$$list $$o"; done; \
	$(CC) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) $(asim_ldflags) \
		-o $(MUTANT_OUT) $(MUTANT_OUT).o $$list $(src_asim_asim_LDADD)
.PHONY: storm-mutant

# The same for the plugin state/redis.
redis-mutant: plugins/state/state_redis.so
	$(CC) $(DEFS) $(DEFAULT_INCLUDES) -I$(top_builddir) $(INCLUDES) -I$(top_srcdir)/`dirname $(MUTANT_FILE)` \
		$(plugins_state_state_redis_so_CPPFLAGS) $(CPPFLAGS) $(plugins_state_state_redis_so_CFLAGS) $(CFLAGS) \
		-w -c $(MUTANT) -o $(MUTANT_OUT).o
	skip=`dirname $(MUTANT_FILE)`/`basename $(MUTANT_FILE) .c`.o; list=; \
	for o in $(plugins_state_state_redis_so_OBJECTS); do \
		case $$o in */state_redis_so-`basename $$skip`) test "`dirname $$o`" = "`dirname $$skip`" && continue ;; esac; \
		list="$$list $$o"; done; \
	$(CC) $(plugins_state_state_redis_so_CFLAGS) $(CFLAGS) $(plugins_state_state_redis_so_LDFLAGS) $(LDFLAGS) \
		-o $(MUTANT_OUT) $(MUTANT_OUT).o $$list $(plugins_state_state_redis_so_LDADD)
.PHONY: redis-mutant
