# preempt plugins
