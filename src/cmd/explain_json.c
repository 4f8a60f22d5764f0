#include "cmd/explain_json.h"

#include "client/jobstate.h"
#include "cmd/listing/job_rows.h"
#include "cmd/listing/round_rows.h"

static json_t *excluded_json(const Armada__ExplainReply *e)
{
	json_t *list = json_array();

	for (size_t i = 0; i < e->n_excluded; i++)
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:I, s:s}", "by", e->excluded[i]->by,
						"what", e->excluded[i]->what, "nodes",
						(json_int_t)e->excluded[i]->nodes, "text",
						e->excluded[i]->text));
	return list;
}

static json_t *waited_json(const Armada__ExplainReply *e)
{
	json_t *list = json_array();

	for (size_t i = 0; i < e->n_waited; i++) {
		const Armada__WaitedNode *n = e->waited[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:I}", "node", n->name,
						      "state", node_state_name(n->state), "reason",
						      n->reason, "reason_by", n->by, "reason_time",
						      (json_int_t)n->since_us));
	}
	return list;
}

/* A job that the caller may not see has the id null. */
static json_t *holders_json(const Armada__ExplainReply *e)
{
	json_t *list = json_array();

	for (size_t i = 0; i < e->n_holders; i++) {
		const Armada__RoomHolder *h = e->holders[i];

		json_array_append_new(
			list,
			json_pack("{s:s, s:o, s:o, s:s, s:I, s:I, s:I}", "node", h->node, "job",
				  h->job ? json_integer((json_int_t)h->job) : json_null(),
				  "element",
				  h->has_element ? json_integer(h->element) : json_null(), "user",
				  h->user, "tasks", (json_int_t)h->tasks, "start",
				  (json_int_t)h->start_us, "end", (json_int_t)h->end_us));
	}
	return list;
}

static json_t *change_json(const Armada__Change *c)
{
	if (!c)
		return json_null();
	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:s}", "kind", c->kind, "text", c->text,
			 "option", c->option, "resource", c->resource, "amount",
			 (json_int_t)c->amount, "name", c->name);
}

json_t *explain_json(const Armada__ExplainReply *e, int64_t now_us)
{
	const struct job_view view = {.row = e->row, .now_us = now_us};
	json_t *o = json_pack("{s:I, s:s, s:I, s:s, s:s, s:s}", "job", (json_int_t)e->job, "note",
			      e->note, "why_number", (json_int_t)e->why, "why", e->word, "meaning",
			      e->meaning, "reason", e->text);

	json_object_set_new(o, "row", e->row ? listing_row_json(&job_listing, &view) : json_null());
	json_object_set_new(o, "waits", json_boolean(!e->note[0]));
	json_object_set_new(o, "looked_at", json_boolean(e->looked_at));
	json_object_set_new(o, "nodes", json_integer(e->nodes));
	json_object_set_new(o, "fitting", json_integer(e->fitting));
	json_object_set_new(o, "excluded", excluded_json(e));
	json_object_set_new(o, "nearest", json_string(e->nearest));
	json_object_set_new(o, "nearest_lacks", json_string(e->nearest_lacks));
	json_object_set_new(o, "waited", waited_json(e));
	json_object_set_new(o, "waited_count", json_integer(e->waited_count));
	json_object_set_new(o, "holders", holders_json(e));
	json_object_set_new(o, "holder_count", json_integer(e->holder_count));
	json_object_set_new(o, "taken_count", json_integer(e->taken_count));
	json_object_set_new(o, "taken_named", json_integer(e->taken_named));
	json_object_set_new(o, "share",
			    e->share ? listing_row_json(&share_listing, e->share) : json_null());
	json_object_set_new(o, "place", json_integer((json_int_t)e->place));
	json_object_set_new(o, "of", json_integer((json_int_t)e->of));
	json_object_set_new(o, "before", json_integer((json_int_t)e->before));
	json_object_set_new(o, "expected", json_integer(e->expected_us));
	json_object_set_new(o, "change", change_json(e->change));
	json_object_set_new(o, "tried", json_integer(e->tried));
	json_object_set_new(o, "cut", json_boolean(e->cut));
	return o;
}
