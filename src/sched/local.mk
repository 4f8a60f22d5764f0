# sched
