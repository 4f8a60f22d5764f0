#include "cmd/actl/queue.h"
#include "util/mem.h"

#include <errno.h>

static int read_field(void *target, const void *field, const char *value, struct err *err)
{
	struct actl *a = target;

	return queue_field_read(field, value, a->arena, &a->queue, err);
}

static const bool yes = true, no = false;

static int set_cordoned(void *target, const void *cordoned, const char *value, struct err *err)
{
	struct actl *a = target;

	(void)value;
	if (a->queue.set_cordoned && a->queue.cordoned != *(const bool *)cordoned)
		return err_set(err, -EINVAL, "--cordon and --uncordon exclude each other");
	a->queue.set_cordoned = true;
	a->queue.cordoned = *(const bool *)cordoned;
	return 0;
}

#define FACTOR_OF_QUEUE                                                                            \
	"this is an option of jobs; a queue has a priority factor: --factor=N (lower means a larger share)"

/* clang-format off */
#define OPTION(...)    __VA_ARGS__
#define NO_OPTION(...)
#define FIELD(n, shape, kept, right, words, bounds, text, in, in_text, option, column) \
	FIELD_OPTION(n, option)
#define FIELD_OPTION(...) FIELD_OPTION_(__VA_ARGS__)
#define FIELD_OPTION_(n, name, aliases, arg, help, more) \
	{name, aliases, 0, arg, OPT_WITH(read_field, &queue_fields[QUEUE_OF_##n]), help},
static const struct opt rows[] = {
	QUEUE_TABLE(FIELD, NO_OPTION)
	{"priority", "nice priority-class", 0, "N", OPT_REFUSE(FACTOR_OF_QUEUE), NULL},
	{"cordon", NULL, 0, NULL, OPT_WITH(set_cordoned, &yes),
	 "Start no jobs of the queue; new jobs are accepted and stay pending"},
	{"uncordon", NULL, 0, NULL, OPT_WITH(set_cordoned, &no), "Start jobs of the queue again"},
	{"file", NULL, 'f', "FILE", OPT_TEXT(struct actl, file),
	 "Create or update all queues of a file, written as in armada.conf; - is standard input"},
};
/* clang-format on */

const struct opt_table queue_options = {"queue create, queue update", rows, ARRAY_SIZE(rows)};

bool queue_options_given(const struct actl *a)
{
	for (size_t i = 0; i < QUEUE_FIELDS; i++)
		if (queue_field_present(&queue_fields[i], &a->queue))
			return true;
	return false;
}

static void drop_absent(Armada__Limit **list, size_t *n)
{
	size_t to = 0;

	for (size_t i = 0; i < *n; i++)
		if (list[i]->value >= 0)
			list[to++] = list[i];
	*n = to;
}

void queue_options_drop_absent(Armada__QueueSpec *s)
{
	drop_absent(s->quota, &s->n_quota);
	drop_absent(s->user_quota, &s->n_user_quota);
}
