# What drills need that is no daemon.
check_PROGRAMS += testsuite/drill/proxy
check_PROGRAMS += testsuite/drill/swaps
