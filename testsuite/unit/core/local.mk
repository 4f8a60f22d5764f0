# unit tests of core
