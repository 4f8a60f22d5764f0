/*
 * libarmada: the public C library, <armada/armada.h>.
 *
 * The functions wrap the client code: they copy error messages to struct armada_error and return
 * negative errno values. The ABI is stable: structs are opaque, or passed with their size.
 */
#include <armada/armada.h>

#include "client/environ.h"
#include "client/filter.h"
#include "client/joblist.h"
#include "client/pipeline.h"
#include "client/script.h"
#include "client/spec/finish.h"
#include "client/spec/table.h"
#include "client/submit.h"
#include "util/hostlist.h"
#include "util/mem.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

extern char **environ;

static_assert((int)ARMADA_IN_FLIGHT == (int)PIPELINE_MAX, "the limit that the header promises");

enum { CURSOR_HISTORY = 1, CURSOR_ELEMENT = 2 };

struct armada {
	struct connection *c;
	struct pipeline *pipeline; /* NULL before the first armada_submit_send() */
};

struct armada_job {
	struct spec spec;
};

static int return_error(struct armada_error *to, const struct err *from, int rc)
{
	if (to && rc < 0)
		snprintf(to->text, sizeof(to->text), "%s", from->text);
	return rc;
}

int armada_open(struct armada **ret_armada, const char *conf_file, struct armada_error *err)
{
	struct armada *a = xcalloc(1, sizeof(*a));
	struct err why = {0};
	int rc = connection_new(&a->c, conf_file, &why);

	if (rc == 0)
		rc = connection_open(a->c, &why);
	if (rc < 0) {
		armada_close(a);
		return return_error(err, &why, rc);
	}
	*ret_armada = a;
	return 0;
}

void armada_close(struct armada *a)
{
	if (!a)
		return;
	pipeline_free(a->pipeline);
	connection_free(a->c);
	free(a);
}

struct armada_job *armada_job_new(void)
{
	struct armada_job *job = xcalloc(1, sizeof(*job));

	spec_init(&job->spec);
	job->spec.source = SPEC_LINE;
	return job;
}

void armada_job_free(struct armada_job *job)
{
	if (!job)
		return;
	spec_done(&job->spec);
	free(job);
}

int armada_job_set(struct armada_job *job, const char *option, const char *value,
		   struct armada_error *err)
{
	static const struct opt_table *const tables[] = {&spec_options, NULL};
	const struct opt *o = opt_find(tables, option);
	struct err why = {0};
	int rc;

	if (!o)
		return return_error(err, &why,
				    err_set(&why, -EINVAL, "there is no option '%s'", option));
	if (!value != !o->arg)
		return return_error(err, &why,
				    err_set(&why, -EINVAL, "%s: %s", option,
					    value ? "takes no value" : "needs a value"));
	if (job->spec.finished)
		return return_error(err, &why,
				    err_set(&why, -EBUSY, "the job was submitted already"));
	job->spec.source = SPEC_LINE;
	rc = spec_set(&job->spec, o, value, &why);
	return return_error(err, &why, rc < 0 ? err_prefix(&why, rc, "%s", option) : 0);
}

int armada_job_command(struct armada_job *job, const char *const *argv, struct armada_error *err)
{
	struct err why = {0};
	size_t argc = 0;

	while (argv[argc])
		argc++;
	return return_error(err, &why, spec_command(&job->spec, argc, argv, &why));
}

int armada_job_script(struct armada_job *job, const char *name, const char *text, size_t len,
		      struct armada_error *err)
{
	CLEANUP_FREE char *copy = xstrndup(text, len); /* with a NUL at its end */
	struct script_notes notes;
	struct err why = {0};
	int rc = strlen(copy) < len
			 ? err_set(&why, -ENOEXEC, "%s: is not a script but a binary file", name)
			 : script_check(name, copy, len, &why);

	if (rc == 0)
		rc = script_directives(&job->spec, name, copy, len, &notes, &why);
	if (rc == 0)
		rc = spec_script(&job->spec, name, copy, len, 0, NULL, &why);
	job->spec.source = SPEC_LINE;
	return return_error(err, &why, rc);
}

int armada_job_file(struct armada_job *job, const char *path, struct armada_error *err)
{
	struct err why = {0};
	int rc;

	if (job->spec.finished)
		return return_error(err, &why,
				    err_set(&why, -EBUSY, "the job was submitted already"));
	rc = joblist_read_one(&job->spec, path, JOBFILE_MAX, &why);
	job->spec.source = SPEC_LINE;
	return return_error(err, &why, rc);
}

static int finish(struct armada *a, struct spec *s, struct err *err)
{
	const struct conf *conf = connection_conf(a->c);
	const struct spec_defaults defaults = spec_defaults(conf);
	CLEANUP_BUF struct buf env = {0};
	int rc;

	if (s->finished)
		return 0;
	if (s->login_env)
		return err_set(err, -EINVAL,
			       "get-user-env is an option of asubmit and arun, which start a login "
			       "shell; a library starts no programs");
	rc = spec_finish(s, &defaults, err);
	if (rc == 0)
		rc = environ_capture(environ, s->export, conf->limits.env_bytes, &env, err);
	if (rc == 0)
		spec_env(s, env.data, env.len);
	return rc;
}

/* Another request would read the answers of the submissions that are in flight. */
static int check_idle(const struct armada *a, struct err *err)
{
	size_t waiting = a->pipeline ? pipeline_count(a->pipeline) : 0;

	if (!waiting)
		return 0;
	return err_set(err, -EBUSY,
		       "%zu submissions wait for their answers: call armada_submit_receive() first",
		       waiting);
}

/* The finished specs of the jobs, and the key. */
static int finish_all(struct armada *a, struct armada_job *const *jobs, size_t count,
		      const void *key, struct spec **specs, struct submit_key *ret_key,
		      struct err *err)
{
	int rc = 0;

	*ret_key = submit_key_make(NULL);
	if (key)
		memcpy(ret_key->bytes, key, sizeof(ret_key->bytes));
	for (size_t i = 0; rc == 0 && i < count; i++) {
		specs[i] = &jobs[i]->spec;
		rc = finish(a, specs[i], err);
	}
	return rc;
}

int armada_submit(struct armada *a, struct armada_job *const *jobs, size_t count, const void *key,
		  uint64_t *ret_ids, struct armada_error *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	CLEANUP_FREE struct spec **specs = xcalloc(count, sizeof(*specs));
	const Armada__SubmitReply *reply;
	struct submit_key chosen;
	struct err why = {0};
	int rc = check_idle(a, &why);

	if (rc == 0)
		rc = finish_all(a, jobs, count, key, specs, &chosen, &why);
	if (rc == 0)
		rc = submit(a->c, specs, count, &chosen, false, arena, &reply, &why);
	if (rc == 0 && reply->n_ids != count)
		rc = err_set(&why, -EBADE, "%zu ids for %zu jobs", reply->n_ids, count);
	if (rc < 0)
		return return_error(err, &why, rc);
	memcpy(ret_ids, reply->ids, count * sizeof(*ret_ids));
	return 0;
}

int armada_submit_send(struct armada *a, struct armada_job *const *jobs, size_t count,
		       const void *key, struct armada_error *err)
{
	CLEANUP_FREE struct spec **specs = xcalloc(count, sizeof(*specs));
	struct submit_key chosen;
	struct err why = {0};
	int rc = finish_all(a, jobs, count, key, specs, &chosen, &why);

	if (!a->pipeline)
		a->pipeline = pipeline_new(a->c);
	if (rc == 0)
		rc = pipeline_send(a->pipeline, specs, count, &chosen, &why);
	return return_error(err, &why, rc);
}

int armada_submit_receive(struct armada *a, uint64_t *ret_ids, struct armada_error *err)
{
	struct err why = {0};
	int rc = a->pipeline ? pipeline_receive(a->pipeline, ret_ids, &why)
			     : err_set(&why, -ENOENT, "no submission waits for its answer");

	return return_error(err, &why, rc);
}

static int job_filter(struct filter *f, uint64_t job, struct err *err)
{
	char text[32];

	filter_init(f);
	if (!job)
		return filter_add(f, FILTER_ME, NULL, err);
	snprintf(text, sizeof(text), "%lu", (unsigned long)job);
	return filter_add(f, FILTER_IDS, text, err);
}

int armada_cancel(struct armada *a, uint64_t job, struct armada_error *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	Armada__CancelRequest q = ARMADA__CANCEL_REQUEST__INIT;
	const Armada__CancelReply *reply = NULL;
	struct err why = {0};
	struct filter f;
	int rc = job ? check_idle(a, &why) : err_set(&why, -EINVAL, "job 0");

	if (rc < 0)
		return return_error(err, &why, rc);
	rc = job_filter(&f, job, &why);
	q.filter = &f.message;
	do {
		if (rc == 0)
			rc = connection_ask(a->c, MSG_CANCEL, &q, MSG_CANCEL_REPLY, arena, 0,
					    &reply, &why);
		if (rc < 0)
			break;
		q.after_id = reply->next_after_id;
	} while (q.after_id);
	if (rc == 0 && reply->denied)
		rc = err_set(&why, -EPERM, "job %lu belongs to another user", (unsigned long)job);
	filter_done(&f);
	return return_error(err, &why, rc);
}

static void fill_info(const Armada__JobRow *r, struct armada_info *info)
{
	CLEANUP_BUF struct buf nodes = {0};

	info->job = r->job;
	info->count = r->count ? r->count : 1;
	info->element = r->n_elements ? r->elements[0]->first : 0;
	info->is_array = r->is_array;
	info->state = (int32_t)r->state;
	info->exit_code = r->exit_code;
	info->exit_signal = r->exit_signal;
	info->attempt = r->attempt;
	info->submit_us = r->submit_us;
	info->start_us = r->start_us;
	info->end_us = r->end_us;
	hostlist_compress((const char *const *)r->nodes, r->n_nodes, &nodes);
	snprintf(info->name, sizeof(info->name), "%s", r->name);
	snprintf(info->user, sizeof(info->user), "%s", r->user);
	snprintf(info->queue, sizeof(info->queue), "%s", r->queue);
	snprintf(info->reason, sizeof(info->reason), "%s", r->reason);
	snprintf(info->why, sizeof(info->why), "%s", r->reason_word);
	info->expected_us = r->expected_us;
	snprintf(info->nodes, sizeof(info->nodes), "%s", nodes.data ? (char *)nodes.data : "");
}

/*
 * Fetches one page of jobs: from the memory of the controller; after its last page, from the
 * history.
 */
static int ask_page(struct armada *a, const struct filter *f, const struct armada_cursor *at,
		    size_t count, struct arena *arena, const Armada__ListJobsReply **ret_reply,
		    struct err *err)
{
	Armada__ListJobsRequest live = ARMADA__LIST_JOBS_REQUEST__INIT;
	Armada__HistoryRequest old = ARMADA__HISTORY_REQUEST__INIT;
	bool history = at->flags & CURSOR_HISTORY;

	live.filter = old.filter = (Armada__JobFilter *)&f->message;
	live.after_id = old.after_id = at->job;
	live.after_element = old.after_element = at->element;
	live.has_after_element = old.has_after_element = (at->flags & CURSOR_ELEMENT) != 0;
	live.limit = old.limit = (uint32_t)count;
	return connection_ask(a->c, history ? MSG_HISTORY : MSG_LIST_JOBS,
			      history ? (void *)&old : (void *)&live, MSG_LIST_JOBS_REPLY, arena, 0,
			      ret_reply, err);
}

static void move_cursor(struct armada_cursor *at, uint64_t job, const Armada__ListJobsReply *reply)
{
	if (reply->more) {
		at->job = reply->next_after_id;
		at->element = reply->next_after_element;
		at->flags = (at->flags & CURSOR_HISTORY) |
			    (reply->next_has_element ? CURSOR_ELEMENT : 0);
	} else if (job && !(at->flags & CURSOR_HISTORY)) {
		*at = (struct armada_cursor){.flags = CURSOR_HISTORY};
	} else {
		at->done = 1;
	}
}

int armada_list(struct armada *a, uint64_t job, struct armada_cursor *cursor,
		struct armada_info *ret_list, size_t info_size, size_t count, size_t *ret_count,
		struct armada_error *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	const Armada__ListJobsReply *reply = NULL;
	struct armada_cursor at = *cursor;
	struct err why = {0};
	struct filter f;
	int rc = check_idle(a, &why);

	if (rc < 0)
		return return_error(err, &why, rc);
	rc = job_filter(&f, job, &why);
	do {
		if (rc == 0)
			rc = ask_page(a, &f, &at, count, arena, &reply, &why);
		if (rc == 0)
			move_cursor(&at, job, reply);
	} while (rc == 0 && !reply->n_rows && !at.done);
	filter_done(&f);
	if (rc == 0 && job && !reply->n_rows && !cursor->flags && !cursor->job)
		rc = err_set(&why, -ENOENT, "there is no job %lu", (unsigned long)job);
	if (rc < 0)
		return return_error(err, &why, rc);
	for (size_t i = 0; i < reply->n_rows && i < count; i++) {
		struct armada_info info = {0};
		size_t size = info_size < sizeof(info) ? info_size : sizeof(info);

		fill_info(reply->rows[i], &info);
		memcpy((char *)ret_list + i * info_size, &info, size);
	}
	*ret_count = reply->n_rows < count ? reply->n_rows : count;
	*cursor = at;
	return 0;
}

int armada_wait(struct armada *a, uint64_t job, int timeout_ms, int *ret_state, int *ret_exit_code,
		struct armada_error *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	Armada__WaitJobRequest q = ARMADA__WAIT_JOB_REQUEST__INIT;
	const Armada__WaitJobReply *w;
	struct err why = {0};
	int64_t end_ms = steady_ms() + timeout_ms;
	int rc = check_idle(a, &why);

	if (rc < 0)
		return return_error(err, &why, rc);
	q.job = job;
	rc = connection_ask(a->c, MSG_WAIT_JOB, &q, MSG_WAIT_JOB_REPLY, arena,
			    timeout_ms == 0 ? 1 : timeout_ms, &w, &why);
	if (rc == -EAGAIN && timeout_ms >= 0 && steady_ms() >= end_ms)
		rc = -ETIMEDOUT;
	if (rc < 0)
		return return_error(err, &why, rc);
	*ret_state = (int)w->state;
	*ret_exit_code = w->exit_signal && 128 + w->exit_signal > w->exit_code
				 ? 128 + w->exit_signal
				 : w->exit_code;
	return 0;
}
