# unit tests of util
