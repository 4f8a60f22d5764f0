/*
 * An end as a JSON object (notify_json.h). Input: the row that the history keeps. Output: one line of JSON.
 * Members are added only; a member without a value is left out, except numbers.
 */
#include "armctld/notify_json.h"

#include "util/mem.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

const char *notify_state_word(int state)
{
	const ProtobufCEnumValue *v =
		protobuf_c_enum_descriptor_get_value(&armada__job_state__descriptor, state);

	return v ? v->name + strlen("JOB_") : "UNKNOWN";
}

static void add_text(json_t *o, const char *name, const char *text)
{
	if (text && *text)
		json_object_set_new(o, name, json_string(text));
}

static void add_number(json_t *o, const char *name, int64_t number)
{
	json_object_set_new(o, name, json_integer(number));
}

static void add_texts(json_t *o, const char *name, char *const *texts, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_string(texts[i]));
	json_object_set_new(o, name, list);
}

static void add_usage(json_t *o, const Armada__Usage *u)
{
	if (!u)
		return;
	add_number(o, "cpu_us", u->cpu_us);
	add_number(o, "max_rss_bytes", u->max_rss_bytes);
}

void notify_json(const struct armada_history_place *place, const Armada__JobRow *row,
		 struct buf *out)
{
	json_t *o = json_object();
	char *text;

	add_text(o, "event", "end");
	add_number(o, "sequence", (int64_t)place->seq);
	add_number(o, "job", (int64_t)row->job);
	if (row->is_array && row->n_elements) {
		add_number(o, "first_element", row->elements[0]->first);
		add_number(o, "last_element", row->elements[0]->last);
	}
	add_number(o, "attempt", row->attempt);
	add_text(o, "state", notify_state_word((int)row->state));
	add_number(o, "exit_code", row->exit_code);
	add_number(o, "exit_signal", row->exit_signal);
	add_text(o, "reason", row->reason);
	add_text(o, "user", row->user);
	add_number(o, "uid", row->uid);
	add_text(o, "name", row->name);
	add_text(o, "queue", row->queue);
	add_text(o, "job_set", row->job_set);
	add_text(o, "account", row->account);
	add_texts(o, "nodes", row->nodes, row->n_nodes);
	add_number(o, "submit_us", row->submit_us);
	add_number(o, "start_us", row->start_us);
	add_number(o, "end_us", row->end_us);
	add_usage(o, row->usage);
	text = json_dumps(o, JSON_COMPACT);
	buf_addstr(out, text ? text : "{}");
	free(text);
	json_decref(o);
}
