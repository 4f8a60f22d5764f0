# unit tests of sched
