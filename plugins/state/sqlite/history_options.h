/* Rows of an option table: those of state/sqlite, which other state plugins share for their history. */
	[OPTION_BUSY_TIMEOUT] =
		{
			.name = "busy_timeout",
			.type = ARMADA_OPTION_DURATION,
			.def = "5s",
			.max = 10 * 60 * 1e6,
			.help = "How long to wait for a database that another program has locked.",
		},
	[OPTION_WAL_LIMIT] =
		{
			.name = "wal_limit",
			.type = ARMADA_OPTION_SIZE,
			.def = "4M",
			.min = 64 << 10,
			.max = 1 << 30,
			.help = "Size of the write-ahead log at which it is written back to the database. "
				"A smaller value means shorter and more frequent write-backs.",
		},
	[OPTION_SHARES_KEPT] =
		{
			.name = "shares_kept",
			.type = ARMADA_OPTION_DURATION,
			.def = "90d",
			.min = 60 * 1e6,
			.max = 36500.0 * 86400 * 1e6,
			.help = "How long the history keeps the samples of the queues' shares "
				"(scheduler.share_interval). A sample takes about 100 bytes for each "
				"queue.",
		},
	[OPTION_RESERVE] =
		{
			.name = "reserve",
			.type = ARMADA_OPTION_SIZE,
			.def = "64M",
			.max = 1 << 30,
			.help = "Size of a file in state_dir that is given up when the disk is "
				"full. Its space is then used to record the ends of running jobs "
				"and the cancellations of jobs; new jobs are refused. At most a "
				"quarter of the file system is used; 0: no reserve.",
		},
	[OPTION_HISTORY_KEEP] =
		{
			.name = "history_keep",
			.type = ARMADA_OPTION_DURATION,
			.def = "3y",
			.max = 36500.0 * 86400 * 1e6,
			.help = "How long the history keeps ended jobs, counted from their ends. Older "
				"ones are deleted in small steps, with their scripts. 0: for ever.",
		},
	[OPTION_HISTORY_SIZE] =
		{
			.name = "history_size",
			.type = ARMADA_OPTION_SIZE,
			.def = "50G",
			.max = 1e15,
			.help = "How much the history may hold. Beyond that the oldest jobs are "
				"deleted. A job takes about 2 KiB, and scripts are kept once each. 0: "
				"no bound.",
		},
