/*
 * Reads the payload of a stub (payload.h). Input: the bytes from descriptor 3 and the task's
 * environment. Output: the command, its environment and directory, and the rank of this task; or
 * -EBADMSG.
 *
 * The environment of the program is that of the task, overridden by that of arun, except for
 * variables that the node sets for this task (ARMADA_*, gpus, temporary directory).
 */
#include "stub/payload.h"

#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { GRACE_MS = 1000 };

/* Variables with which another launcher of MPI started arun: they would mislead the program. */
static const char *const of_launchers[] = {"PMI_FD",   "PMI_ID",   "PMI_PORT",
					   "PMI_RANK", "PMI_SIZE", "PMI_SPAWNED"};

/*
 * Variables that the node sets for the task: values of the sender of a step do not override them.
 */
static const char *const of_the_node[] = {
	"CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",     "HIP_VISIBLE_DEVICES",  "HYDRA_HOST_FILE",
	"HYDRA_LAUNCHER_EXEC",  "NVIDIA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "TMPDIR",
	"ZE_AFFINITY_MASK",
};

/* The value of name in env, NULL for none. */
static const char *find(char *const *env, const char *name, size_t len)
{
	for (; *env; env++)
		if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
			return *env + len + 1;
	return NULL;
}

static int number(char *const *env, const char *name, int64_t least, uint32_t *ret, struct err *err)
{
	const char *text = find(env, name, strlen(name));
	int64_t n;

	if (!text || parse_int(text, least, UINT32_MAX, &n, NULL) < 0)
		return err_set(err, -EBADMSG, "%s is not set to the number of a task", name);
	*ret = (uint32_t)n;
	return 0;
}

static size_t count_strings(const ProtobufCBinaryData *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->len; i++)
		n += b->data[i] == '\0';
	return n;
}

/* Split a sequence of NUL-terminated strings; a missing last NUL is an error. */
static int split_strings(const ProtobufCBinaryData *b, const char *what, struct arena *arena,
			 char ***ret_list, struct err *err)
{
	size_t n = 0;
	char **list;

	if (b->len && b->data[b->len - 1] != '\0')
		return err_set(err, -EBADMSG, "%s does not end with a NUL", what);
	list = arena_zalloc(arena, count_strings(b) + 1, sizeof(*list));
	for (size_t at = 0; at < b->len; at += strlen(list[n++]) + 1)
		list[n] = (char *)b->data + at;
	*ret_list = list;
	return 0;
}

struct env {
	char **list;
	size_t count;
};

static bool is_of_launcher(const char *entry, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(of_launchers); i++)
		if (strlen(of_launchers[i]) == len && memcmp(of_launchers[i], entry, len) == 0)
			return true;
	return false;
}

static bool is_set_by_node(char *const *task, const char *entry, size_t len)
{
	if (strncmp(entry, "ARMADA_", 7) == 0)
		return find(task, entry, len);
	for (size_t i = 0; i < ARRAY_SIZE(of_the_node); i++)
		if (strlen(of_the_node[i]) == len && memcmp(of_the_node[i], entry, len) == 0)
			return find(task, entry, len);
	return false;
}

/* Replaces an entry of the same name, if there is one. */
static void put(struct env *e, char *entry)
{
	size_t len = strcspn(entry, "=");

	for (size_t i = 0; i < e->count; i++) {
		if (strncmp(e->list[i], entry, len) == 0 && e->list[i][len] == '=') {
			e->list[i] = entry;
			return;
		}
	}
	e->list[e->count++] = entry;
}

static int make_env(const struct payload *p, char *const *task, const Armada__StubTask *t,
		    struct arena *arena, char ***ret_env, struct err *err)
{
	struct env e = {0};
	char **given;
	size_t n = 0;
	int rc = split_strings(&p->message->env, "the environment", arena, &given, err);

	if (rc < 0)
		return rc;
	while (task[n])
		n++;
	e.list = arena_zalloc(arena, n + count_strings(&p->message->env) + 8, sizeof(*e.list));
	for (size_t i = 0; i < n; i++)
		e.list[e.count++] = task[i];
	for (; *given; given++) {
		size_t len = strcspn(*given, "=");

		if (len && (*given)[len] && !is_set_by_node(task, *given, len) &&
		    !is_of_launcher(*given, len))
			put(&e, *given);
	}
	put(&e, arena_printf(arena, "ARMADA_STEP_RANK=%u", p->hello.rank));
	put(&e, arena_printf(arena, "ARMADA_STEP_SIZE=%u", p->hello.tasks));
	if (t) {
		put(&e, arena_printf(arena, "ARMADA_STEP_LOCAL_RANK=%u", t->local_rank));
		put(&e, arena_printf(arena, "ARMADA_STEP_LOCAL_SIZE=%u", t->local_size));
	}
	*ret_env = e.list;
	return 0;
}

/* Find the task of the step with this rank. NULL when the step has the tasks of the job. */
static int find_task(struct payload *p, char *const *env, const Armada__StubTask **ret_task,
		     struct err *err)
{
	const Armada__StubPayload *message = p->message;
	uint32_t rank;
	int rc = number(env, "ARMADA_TASK_RANK", 0, &rank, err);

	if (rc == 0)
		rc = number(env, "ARMADA_TASK_COUNT", 1, &p->hello.tasks, err);
	if (rc == 0)
		rc = number(env, "ARMADA_ATTEMPT", 0, &p->hello.attempt, err);
	if (rc < 0)
		return rc;
	*ret_task = NULL;
	p->hello.rank = rank;
	if (message->size)
		p->hello.tasks = message->size;
	for (size_t i = 0; i < message->n_tasks; i++) {
		if (message->tasks[i]->rank != rank)
			continue;
		p->hello.rank = message->tasks[i]->step_rank;
		*ret_task = message->tasks[i];
		return 0;
	}
	return message->n_tasks ? err_set(err, -EBADMSG, "the step does not contain task %u", rank)
				: 0;
}

static void name_node(char *const *env, char ret_name[256])
{
	const char *name = find(env, "ARMADA_NODE_NAME", strlen("ARMADA_NODE_NAME"));

	snprintf(ret_name, 256, "%s", name ? name : "?");
}

int payload_read(const uint8_t *bytes, size_t len, char *const *env, struct arena *arena,
		 struct payload *ret_payload, struct err *err)
{
	struct payload p = {0};
	const Armada__StubTask *self;
	int rc;

	p.message = msg_unpack_as(&armada__stub_payload__descriptor, bytes, len, arena, err);
	if (!p.message)
		return -EBADMSG;
	if (p.message->key.len != HELLO_KEY)
		return err_set(err, -EBADMSG, "the key has %zu bytes, not %d", p.message->key.len,
			       HELLO_KEY);
	rc = find_task(&p, env, &self, err);
	if (rc == 0 && (p.hello.tasks > HELLO_TASKS_MAX || p.hello.rank >= p.hello.tasks))
		rc = err_set(err, -EBADMSG, "task %u of %u is impossible", p.hello.rank,
			     p.hello.tasks);
	if (rc == 0)
		rc = split_strings(&p.message->argv, "the command", arena, &p.argv, err);
	if (rc == 0 && !p.argv[0])
		rc = err_set(err, -EBADMSG, "there is no command");
	if (rc == 0)
		rc = make_env(&p, env, self, arena, &p.envp, err);
	if (rc < 0)
		return rc;
	if (p.message->chdir.len)
		p.chdir = arena_printf(arena, "%.*s", (int)p.message->chdir.len,
				       (const char *)p.message->chdir.data);
	name_node(env, p.node);
	p.grace_ms = p.message->grace_ms > 0 ? p.message->grace_ms : GRACE_MS;
	*ret_payload = p;
	return 0;
}
