# bench
check_PROGRAMS += testsuite/bench/bench_state
testsuite_bench_bench_state_SOURCES = testsuite/bench/bench_state.c
testsuite_bench_bench_state_CPPFLAGS = $(tap_cppflags)
testsuite_bench_bench_state_LDADD = $(state_test_ldadd)
