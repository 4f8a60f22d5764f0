/*
 * POST /v1/jobs: a body with the keys of armada-job(5), as JSON.
 *
 * The gateway reads no file for a user, so script is the text of a script here. Nothing of the gateway's own
 * process goes to a job: no environment, no limits, no directory. A job runs in the home directory of its
 * user unless it names another.
 */
#include "armrestd/routes.h"

#include "armrestd/rest.h"
#include "client/environ.h"
#include "client/joblist.h"
#include "client/spec/finish.h"
#include "client/submit.h"
#include "cmd/listing/listing.h"
#include "util/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

enum { KEY_LONGEST = 255, JOBS_SOME = 64, NAME_ROOM = 1 << 14 };

/* The user's home, name and shell. */
struct home {
	char room[NAME_ROOM];
	struct passwd pw;
	bool known;
};

static void find_home(struct home *h, uint32_t uid)
{
	struct passwd *found = NULL;

	h->known = getpwuid_r(uid, &h->pw, h->room, sizeof(h->room), &found) == 0 && found;
}

/* Takes the scripts out of the body; the rest is a job file. Returns an array of texts or nulls. */
static int take_scripts(json_t *root, json_t **ret_scripts, struct err *err)
{
	json_t *jobs = json_object_get(root, "jobs"), *scripts = json_array();
	size_t count = json_is_array(jobs) ? json_array_size(jobs) : 1;
	int rc = 0;

	for (size_t i = 0; i < count; i++) {
		json_t *job = json_is_array(jobs) ? json_array_get(jobs, i) : root;
		json_t *script = json_object_get(job, "script");

		if (script && !json_is_string(script))
			rc = err_set(err, -EINVAL, "script: expected the text of a script");
		json_array_append(scripts, script ? script : json_null());
		json_object_del(job, "script");
	}
	*ret_scripts = scripts;
	return rc;
}

static char **environment(const struct home *h, struct arena *a)
{
	char **env = arena_zalloc(a, 8, sizeof(*env));
	size_t n = 0;

	env[n++] = (char *)"PATH=/usr/local/bin:/usr/bin:/bin";
	if (!h->known)
		return env;
	env[n++] = arena_printf(a, "HOME=%s", h->pw.pw_dir);
	env[n++] = arena_printf(a, "USER=%s", h->pw.pw_name);
	env[n++] = arena_printf(a, "LOGNAME=%s", h->pw.pw_name);
	env[n++] = arena_printf(a, "SHELL=%s", h->pw.pw_shell);
	return env;
}

static int set_program(struct spec *s, const char *script, struct err *err)
{
	if (s->script_path)
		return err_set(err, -EINVAL,
			       "the gateway reads no files: give the text of the script");
	return script ? spec_script(s, NULL, script, strlen(script), 0, NULL, err) : 0;
}

static int finish(struct exchange *x, struct spec *s, const struct home *h, const char *script,
		  struct err *err)
{
	const struct spec_defaults defaults = spec_defaults(x->rest->conf);
	CLEANUP_BUF struct buf env = {0};
	int rc = set_program(s, script, err);

	if (rc < 0)
		return rc;
	if (s->login_env)
		return err_set(err, -EINVAL, "get_user_env: the gateway has no login of the user");
	if (!s->job.chdir || !s->job.chdir[0])
		s->job.chdir = arena_strdup(s->arena, h->known ? h->pw.pw_dir : "/");
	if (!s->propagate_set) {
		s->propagate = 0;
		s->propagate_set = true;
	}
	rc = spec_finish(s, &defaults, err);
	if (rc == 0)
		rc = environ_capture(environment(h, s->arena), s->export,
				     x->rest->conf->limits.env_bytes, &env, err);
	if (rc == 0)
		spec_env(s, env.data, env.len);
	return rc;
}

static int finish_all(struct exchange *x, struct joblist *l, json_t *scripts, struct err *err)
{
	CLEANUP_FREE struct home *h = xcalloc(1, sizeof(*h));
	int rc = 0;

	find_home(h, connection_uid(x->c));
	for (size_t i = 0; rc == 0 && i < l->count; i++) {
		rc = finish(x, &l->jobs[i].spec, h, json_string_value(json_array_get(scripts, i)),
			    err);
		if (rc < 0)
			joblist_at(l, i, rc, err);
	}
	return rc == 0 ? joblist_order(l, err) : rc;
}

static int send_jobs(struct exchange *x, struct joblist *l, struct err *err)
{
	const char *name = exchange_header(x, "Idempotency-Key");
	struct spec **specs = arena_zalloc(x->arena, l->count, sizeof(*specs));
	struct submit_key key;
	const Armada__SubmitReply *r;
	json_t *ids = json_array();
	int rc;

	if (name && (!*name || strlen(name) > KEY_LONGEST || spec_check_text(name, err) < 0)) {
		json_decref(ids);
		return err_set(err, -EINVAL, "Idempotency-Key: must have 1 to %d bytes of text",
			       KEY_LONGEST);
	}
	key = submit_key_make(name);
	for (size_t i = 0; i < l->count; i++)
		specs[i] = &l->jobs[l->order[i]].spec;
	rc = submit(x->c, specs, l->count, &key, false, x->arena, &r, err);
	if (rc < 0) {
		json_decref(ids);
		return rc == -EPERM && connection_fd(x->c) < 0 ? -EACCES : rc;
	}
	/* the ids in the order of the body */
	for (size_t i = 0; i < l->count; i++)
		for (size_t k = 0; k < l->count && k < r->n_ids; k++)
			if (l->order[k] == i)
				json_array_append_new(ids, json_integer((json_int_t)r->ids[k]));
	x->json = listing_json_new();
	json_object_set_new(x->json, "ids", ids);
	json_object_set_new(x->json, "duplicate", json_boolean(r->duplicate));
	x->status = r->duplicate ? MHD_HTTP_OK : MHD_HTTP_CREATED;
	if (r->n_ids == 1)
		snprintf(x->location, sizeof(x->location), "/v1/jobs/%" PRIu64, r->ids[0]);
	return 0;
}

/* The body as a job file, and its scripts apart. */
static int parse(struct exchange *x, struct joblist *l, json_t **ret_scripts, struct err *err)
{
	CLEANUP_FREE char *text = NULL;
	json_t *root;
	int rc = exchange_body(x, &root, "the keys of a job", err);

	if (rc < 0)
		return rc;
	rc = take_scripts(root, ret_scripts, err);
	text = json_dumps(root, JSON_INDENT(1));
	json_decref(root);
	if (rc == 0)
		rc = joblist_parse(l, "", text, err);
	return rc < 0 && rc != -EAGAIN ? -EINVAL : rc;
}

int jobs_submit(struct exchange *x, struct err *err)
{
	json_t *scripts = NULL;
	struct joblist list;
	int rc;

	joblist_init(&list);
	rc = parse(x, &list, &scripts, err);
	if (rc == 0) {
		rc = finish_all(x, &list, scripts, err);
		if (rc < 0)
			rc = -EINVAL;
	}
	if (rc == 0)
		rc = send_jobs(x, &list, err);
	joblist_done(&list);
	json_decref(scripts);
	return rc;
}
