# unit tests of client
