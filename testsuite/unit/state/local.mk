# unit tests of state
