/*
 * arun outside a job: submits a job and stays attached to it.
 *
 * arun opens its ports first, because the payload of the job contains their addresses and the key.
 * Then it submits the job, starts the thread that watches it, and runs the relay until the tasks
 * have ended. If arun cannot continue, it cancels the job.
 */
#include "cmd/arun/job.h"

#include "client/spec/finish.h"
#include "cmd/arun/files.h"
#include "cmd/arun/mpi.h"
#include "cmd/arun/payload.h"
#include "cmd/common/login_env.h"
#include "cmd/common/retry.h"
#include "util/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <string.h>
#include <unistd.h>

struct own_job {
	struct arun *arun;
	struct connection *connection;
	uint64_t id;
	uint8_t key[HELLO_KEY];
	struct listeners listeners;
	struct spec spec;
	struct arun_files files;
};

/* How many tasks connect: with --launch=first only the first; the others stand by for steps. */
static uint32_t connecting_tasks(const struct own_job *j)
{
	return j->spec.job.launch == ARMADA__LAUNCH__LAUNCH_FIRST ? 1 : j->spec.group.replicas;
}

/* --mpi=none also disables the variables for mpirun, as in asubmit. */
static int choose_mpi(struct own_job *j, struct err *err)
{
	struct arun *a = j->arun;
	const char *dir = j->spec.job.chdir[0] ? j->spec.job.chdir : NULL;

	if (a->mpi && strcmp(a->mpi, "none") == 0)
		j->spec.job.mpi = ARMADA__MPI__MPI_NONE;
	return arun_mpi_choose(a, connection_conf(j->connection), a->line.operands[0], dir, err);
}

static int make_spec(struct own_job *j, struct err *err)
{
	const struct conf *conf = connection_conf(j->connection);
	const struct spec_defaults defaults = spec_defaults(conf);
	const struct deferred_options *line = &j->arun->line;
	CLEANUP_BUF struct buf payload = {0}, env = {0};
	struct payload_plan plan = {.listeners = &j->listeners,
				    .key = j->key,
				    .argv = line->operands,
				    .argc = line->operand_count,
				    .pty = j->arun->pty};
	int rc = deferred_options_apply(line, &j->spec, err);

	if (rc < 0)
		return rc;
	if (j->arun->pty || j->arun->holds)
		j->spec.job.launch = ARMADA__LAUNCH__LAUNCH_FIRST;
	rc = choose_mpi(j, err);
	if (rc < 0)
		return rc;
	plan.mpi = j->arun->mpi_plugin;
	plan.mpi_step = j->arun->mpi_step;
	plan.grace_ms = j->spec.job.grace_ms;
	plan.size = j->spec.job.launch == ARMADA__LAUNCH__LAUNCH_FIRST;
	arun_payload(&plan, &payload);
	spec_interactive(&j->spec, j->arun->holds ? j->arun->holds : line->operands[0],
			 payload.data, payload.len);
	sodium_memzero(payload.data, payload.len);
	rc = spec_finish(&j->spec, &defaults, err);
	if (rc == 0)
		rc = login_env_capture(&j->spec, environ, conf->limits.env_bytes, &env, err);
	if (rc == 0)
		spec_env(&j->spec, env.data, env.len);
	if (rc == 0)
		arun_mpi_warn(j->arun, line->operands[0], j->spec.job.chdir, connecting_tasks(j));
	return rc;
}

static int submit_job(struct own_job *j, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	const struct retry retry = {j->arun->self, j->arun->retry_ms, j->arun->quiet, NULL};
	const Armada__SubmitReply *reply;
	struct spec *spec = &j->spec;
	int rc = retry_submit(&retry, j->connection, &spec, 1, false, arena, &reply, err);

	if (rc == 0)
		j->id = reply->ids[0];
	return rc;
}

static void cancel(void *ctx, const char *why)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	Armada__CancelRequest request = ARMADA__CANCEL_REQUEST__INIT;
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange id = ARMADA__JOB_RANGE__INIT, *ids[] = {&id};
	struct own_job *j = ctx;
	struct err err = {{0}};
	void *reply;

	id.first = id.last = j->id;
	filter.ids = ids;
	filter.n_ids = 1;
	request.filter = &filter;
	request.reason = (char *)(uintptr_t)why;
	if (connection_ask(j->connection, MSG_CANCEL, &request, MSG_CANCEL_REPLY, arena, 10000,
			   &reply, &err) < 0)
		command_warn(j->arun->self,
			     "job %" PRIu64 " could not be cancelled: %s; acancel %" PRIu64
			     " does that later",
			     j->id, err.text, j->id);
}

static int run_attached(struct own_job *j, struct err *err)
{
	struct run_plan plan = arun_plan(j->arun, &j->files, &j->listeners, j->key);
	int rc = watch_start(&plan.watch, j->id, err);

	plan.tasks = connecting_tasks(j);
	plan.job = j->id;
	plan.cancel = cancel;
	plan.ctx = j;
	if (rc < 0) {
		cancel(j, "arun could not watch it");
		return rc;
	}
	if (j->arun->verbose)
		fprintf(stderr, "%s: job %" PRIu64 " submitted\n", plan.name, j->id);
	rc = arun_relay(&plan, err);
	watch_stop(plan.watch);
	return rc;
}

static void warn_about_step_options(const struct arun *a)
{
	const struct {
		bool said;
		const char *option;
	} rows[] = {
		{a->ranks, "ranks"}, {a->overcommit, "overcommit"}, {a->cyclic, "distribution"}};

	for (size_t i = 0; i < ARRAY_SIZE(rows) && !a->quiet; i++)
		if (rows[i].said)
			command_warn(a->self, "--%s has an effect only inside a job",
				     rows[i].option);
}

int arun_job(struct arun *a, struct connection *c, struct err *err)
{
	struct own_job j = {.arun = a, .connection = c};
	int rc;

	if (a->line.operand_count == 0)
		return err_set(err, -EINVAL, "nothing to run; give a command");
	warn_about_step_options(a);
	rc = arun_open_files(a, &j.files, err);
	if (rc == 0)
		rc = listeners_open(&j.listeners, connection_conf(c), err);
	if (rc < 0)
		return rc;
	randombytes_buf(j.key, sizeof(j.key));
	spec_init(&j.spec);
	rc = make_spec(&j, err);
	if (rc == 0)
		rc = arun_check_input(&j.files, connecting_tasks(&j), err);
	if (rc == 0)
		rc = submit_job(&j, err);
	if (rc == 0)
		rc = run_attached(&j, err);
	spec_done(&j.spec);
	listeners_close(&j.listeners);
	sodium_memzero(j.key, sizeof(j.key));
	return rc;
}
