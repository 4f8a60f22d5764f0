# unit tests of armd
