# What helps to build, to test and to try.
EXTRA_DIST += contrib/devcluster contrib/install-deps contrib/quickstart-sum.c
