# unit tests of cmd
