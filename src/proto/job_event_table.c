#include "proto/job_event_table.h"

#include "util/mem.h"

#include <string.h>

static const struct job_event_kind kinds[] = {
#define X(KIND, name, fields, help) {ARMADA__JOB_EVENT_KIND__JOB_EVENT_##KIND, name, fields, help},
	JOB_EVENT_TABLE(X)
#undef X
};

#define COUNT_TEXTS(member) offsetof(Armada__JobEvent, n_##member)
#define COUNT_OTHER(member) 0
#define COUNT_TEXT          COUNT_OTHER
#define COUNT_UINT          COUNT_OTHER
#define COUNT_INT           COUNT_OTHER
#define COUNT_TIME          COUNT_OTHER
#define COUNT_BYTES         COUNT_OTHER
#define COUNT_REAL          COUNT_OTHER
#define COUNT_BOOL          COUNT_OTHER
#define COUNT_CATEGORY      COUNT_OTHER
#define COUNT_FAULT         COUNT_OTHER

static const struct job_event_field_info fields[] = {
#define F(FIELD, member, name, type, help)                                                         \
	[JOB_EVENT_AT_##FIELD] = {name,                                                            \
				  help,                                                            \
				  JOB_EVENT_##type,                                                \
				  offsetof(Armada__JobEvent, member),                              \
				  sizeof(((Armada__JobEvent *)0)->member),                         \
				  COUNT_##type(member)},
	JOB_EVENT_FIELD_TABLE(F)
#undef F
};

const struct job_event_kind *job_event_kinds(size_t *ret_count)
{
	*ret_count = ARRAY_SIZE(kinds);
	return kinds;
}

const struct job_event_kind *job_event_kind(int kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if ((int)kinds[i].kind == kind)
			return &kinds[i];
	return NULL;
}

const struct job_event_kind *job_event_kind_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

const struct job_event_field_info *job_event_field(enum job_event_field field)
{
	return &fields[field];
}

const char *failure_category_name(int category)
{
	static const char *const names[] = {"",          "error",         "oom",     "time_limit",
					    "node_lost", "launch_failed", "account", "rejected"};

	return (size_t)category < ARRAY_SIZE(names) ? names[category] : "other";
}

const char *fault_name(int fault)
{
	static const char *const names[] = {"", "user", "system"};

	return (size_t)fault < ARRAY_SIZE(names) ? names[fault] : "other";
}
