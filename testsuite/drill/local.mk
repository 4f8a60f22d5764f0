# Programs that fault drills use.
check_PROGRAMS += testsuite/drill/proxy
check_PROGRAMS += testsuite/drill/swaps
