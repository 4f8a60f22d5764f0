/*
 * Reports of the launcher that the controller has not acknowledged.
 */
#pragma once

#include "agent/link_state.h"

void link_reports_free(struct link *l);
/* NULL: the launcher has not reported the attempt, or its end is acknowledged. */
struct pending *link_reports_find(const struct link *l, const struct task_key *key);
/* All reports that are not acknowledged, for RegisterNode; they count as sent. */
Armada__Report **link_reports_all(struct link *l, int64_t now_us, struct arena *arena,
				  size_t *ret_count);
/* Drop reports that were not in the launcher's last inventory. */
void link_reports_prune(struct link *l);
/* A report that the controller has not acknowledged for an interval is due again. */
void link_reports_repeat(struct link *l, int64_t now_us);
void link_reports_acked(struct link *l, const Armada__ReportAck *ack, struct link_effects *out);
uint32_t link_reports_running(const struct link *l);
