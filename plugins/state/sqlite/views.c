/*
 * The SQL views of history.db, which armada-history(5) documents: for accountants who use sqlite3.
 *
 * Names and units of columns never change; later releases add columns at the end. db_complete() makes a view
 * again if its text is that of another release.
 */
#include "sqlite.h"

/* clang-format off */
/* enum JobState of client.proto. */
#define STATE \
	"CASE state WHEN 6 THEN 'COMPLETED' WHEN 7 THEN 'FAILED' WHEN 8 THEN 'CANCELLED' " \
	"WHEN 9 THEN 'TIMEOUT' WHEN 10 THEN 'PREEMPTED' WHEN 11 THEN 'NODE_FAIL' " \
	"WHEN 12 THEN 'OUT_OF_MEMORY' ELSE state END"
/* enum Lost of client.proto. */
#define LOST \
	"CASE lost WHEN 0 THEN '' WHEN 1 THEN 'preemption' WHEN 2 THEN 'node' " \
	"WHEN 3 THEN 'requeue' ELSE lost END"
#define SECONDS(us) us " / 1000000.0"
/* Millicores or units multiplied by microseconds. */
#define RAN_US "(CASE WHEN start_us > 0 AND end_us > start_us THEN end_us - start_us ELSE 0 END)"
#define CPU_HOURS  "coalesce(cpu_milli, 0) * 1.0 * " RAN_US " / 3600e9"
#define GPU_HOURS  "coalesce(gpus, 0) * 1.0 * " RAN_US " / 3600e6"
#define USED_HOURS "cpu_us / 3600e6"

#define COLUMNS \
	"job AS job_id, first_element, last_element, attempt, user, uid, gid, account, queue, " \
	"job_set, name, class AS priority_class, " STATE " AS state, exit_code, exit_signal, " \
	"reason, " LOST " AS lost, NOT requeued AS ended, by_user, " \
	"nullif(for_job, 0) AS preempted_for_job, " \
	"CASE WHEN for_job <> 0 THEN for_element END AS preempted_for_element, " \
	"for_queue AS preempted_for_queue, " SECONDS("submit_us") " AS submit_time, " \
	SECONDS("eligible_us") " AS eligible_time, " \
	SECONDS("nullif(start_us, 0)") " AS start_time, " SECONDS("end_us") " AS end_time, " \
	SECONDS(RAN_US) " AS elapsed_s, tasks, node_count, nodes, cpu_milli / 1000.0 AS cpus, " \
	"memory_bytes, coalesce(gpus, 0) AS gpus, resources, " \
	SECONDS("cpu_us") " AS cpu_s, " SECONDS("user_us") " AS user_cpu_s, " \
	SECONDS("system_us") " AS system_cpu_s, peak_bytes AS peak_memory_bytes, read_bytes, " \
	"written_bytes, " CPU_HOURS " AS cpu_hours, " GPU_HOURS " AS gpu_hours"
/* clang-format on */

const struct db_object history_views[HISTORY_VIEWS] = {
	{"view", "history_schema", "CREATE VIEW history_schema AS SELECT 1 AS version"},
	{"view", "attempts", "CREATE VIEW attempts AS SELECT " COLUMNS " FROM accounting"},
	{"view", "jobs",
	 "CREATE VIEW jobs AS SELECT " COLUMNS " FROM accounting WHERE NOT requeued"},
	{"view", "job_labels",
	 "CREATE VIEW job_labels AS SELECT job AS job_id, key AS label, value FROM job_label"},
	{"view", "usage_by_day",
	 "CREATE VIEW usage_by_day AS SELECT date(end_us / 1000000, 'unixepoch') AS day, user, "
	 "account, queue, class AS priority_class, count(*) AS attempts, "
	 "sum(" CPU_HOURS ") AS cpu_hours, sum(" GPU_HOURS ") AS gpu_hours, "
	 "sum(" USED_HOURS ") AS cpu_hours_used, "
	 "sum(CASE WHEN cpu_us IS NULL THEN 0 ELSE max(" CPU_HOURS " - " USED_HOURS
	 ", 0) END) AS cpu_hours_idle, "
	 "sum(CASE WHEN lost = 1 THEN " CPU_HOURS " ELSE 0 END) AS cpu_hours_lost_preemption, "
	 "sum(CASE WHEN lost = 2 THEN " CPU_HOURS " ELSE 0 END) AS cpu_hours_lost_node, "
	 "sum(CASE WHEN lost = 1 THEN " GPU_HOURS " ELSE 0 END) AS gpu_hours_lost_preemption, "
	 "sum(CASE WHEN lost = 2 THEN " GPU_HOURS " ELSE 0 END) AS gpu_hours_lost_node "
	 "FROM accounting WHERE start_us > 0 GROUP BY 1, 2, 3, 4, 5"},
};
