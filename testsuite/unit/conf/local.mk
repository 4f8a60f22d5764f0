# unit tests of conf
