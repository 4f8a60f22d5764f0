# unit tests of armctld
