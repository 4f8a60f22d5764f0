#include "client/joblist.h"

#include "client/podspec.h"
#include "client/script.h"
#include "util/mem.h"
#include "util/nearest.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum { JOBS_MAX = 1000000, NEAR_MAX = 1000 };

static const char *const not_of_a_job[] = {"defaults", "jobs", NULL};

void joblist_init(struct joblist *l)
{
	*l = (struct joblist){.arena = arena_new(0)};
}

void joblist_done(struct joblist *l)
{
	for (size_t i = 0; i < l->count; i++)
		spec_done(&l->jobs[i].spec);
	free(l->jobs);
	arena_free(l->arena);
	*l = (struct joblist){0};
}

int joblist_at(const struct joblist *l, size_t job, int rc, struct err *err)
{
	const struct joblist_job *j = &l->jobs[job];

	if (!l->several)
		return rc;
	err_prefix(err, rc, "jobs[%zu]%s%s%s", job, j->name ? " (" : "", j->name ? j->name : "",
		   j->name ? ")" : "");
	return *l->file ? err_prefix(err, rc, "%s: line %u", l->file, j->line) : rc;
}

/* --- reading ------------------------------------------------------------------------------- */

/* Applies one map, with the words of Armada on Kubernetes. */
static int apply(struct joblist *l, struct spec *s, const struct jobfile_source *source,
		 struct jobtree *map, const char *const *except, struct err *err)
{
	struct jobtree *ours;
	int rc;

	rc = podspec_translate(source, map, l->arena, &ours, &l->images, err);
	return rc < 0 ? rc : jobfile_settings(s, source, ours, except, err);
}

/* The other keys at the top, the defaults, and then the job itself. */
static int read_job(struct joblist *l, struct joblist_job *j, const struct jobfile_source *source,
		    struct jobtree *root, struct jobtree *map, struct err *err)
{
	struct jobtree *defaults = (struct jobtree *)jobtree_get(root, "defaults");
	const struct jobtree *name;
	int rc;

	j->line = map->line;
	j->spec.in_list = true;
	j->spec.source = SPEC_DEFAULT;
	rc = apply(l, &j->spec, source, root, not_of_a_job, err);
	j->spec.program_is_default = true;
	if (rc == 0 && defaults)
		rc = apply(l, &j->spec, source, defaults, NULL, err);
	j->spec.program_is_default = true;
	j->spec.source = SPEC_DIRECTIVE;
	if (rc == 0)
		rc = apply(l, &j->spec, source, map, NULL, err);
	name = jobtree_get(map, "name");
	if (rc == 0 && name && name->text)
		j->name = arena_strdup(l->arena, name->text);
	if (rc == 0)
		jobfile_settings_end(&j->spec);
	return rc;
}

static int check_lists(const struct jobfile_source *source, const struct jobtree *root,
		       struct err *err)
{
	const struct jobtree *jobs = jobtree_get(root, "jobs"),
			     *defaults = jobtree_get(root, "defaults");

	if (jobs->type != JOBTREE_LIST || !jobs->count)
		return jobfile_at(source, jobs,
				  err_set(err, -EINVAL, "must be a list of jobs, at least one"),
				  err);
	if (jobs->count > JOBS_MAX)
		return jobfile_at(source, jobs,
				  err_set(err, -EINVAL, "more than %d jobs", JOBS_MAX), err);
	if (defaults && defaults->type != JOBTREE_MAP)
		return jobfile_at(source, defaults, err_set(err, -EINVAL, "must be a map of keys"),
				  err);
	for (size_t i = 0; i < jobs->count; i++)
		if (jobs->items[i]->type != JOBTREE_MAP)
			return jobfile_at(source, jobs->items[i],
					  err_set(err, -EINVAL, "must be a job: a map of keys"),
					  err);
	return 0;
}

static void add_jobs(struct joblist *l, size_t count)
{
	l->jobs = xcalloc(count, sizeof(*l->jobs));
	for (; l->count < count; l->count++)
		spec_init(&l->jobs[l->count].spec);
}

struct spec *joblist_add(struct joblist *l)
{
	add_jobs(l, 1);
	return &l->jobs[0].spec;
}

int joblist_parse(struct joblist *l, const char *name, const char *text, struct err *err)
{
	struct jobfile_source source = {name, false};
	const struct jobtree *jobs;
	struct jobtree *root;
	int rc = jobtree_parse(*name ? name : "job", text, l->arena, &root, err);

	if (rc < 0)
		return rc;
	l->file = arena_strdup(l->arena, name);
	jobs = jobtree_get(root, "jobs");
	if (!jobs) {
		add_jobs(l, 1);
		l->jobs[0].line = 1;
		l->jobs[0].spec.source = SPEC_DIRECTIVE;
		rc = apply(l, &l->jobs[0].spec, &source, root, NULL, err);
		if (rc == 0)
			jobfile_settings_end(&l->jobs[0].spec);
		return rc;
	}
	l->several = true;
	source.paths = true;
	rc = check_lists(&source, root, err);
	if (rc < 0)
		return rc;
	add_jobs(l, jobs->count);
	for (size_t i = 0; rc == 0 && i < l->count; i++)
		rc = read_job(l, &l->jobs[i], &source, root, jobs->items[i], err);
	return rc;
}

/* --- files --------------------------------------------------------------------------------- */

static int read_script(struct spec *s, const char *file, int64_t max_bytes, struct err *err)
{
	const char *slash = strrchr(file, '/'), *path = s->script_path;
	CLEANUP_BUF struct buf text = {0};
	int rc;

	if (!path)
		return 0;
	if (path[0] != '/' && slash)
		path = arena_printf(s->arena, "%.*s%s", (int)(slash + 1 - file), file, path);
	rc = script_read(path, max_bytes, &text, err);
	if (rc == 0)
		rc = script_check(path, (char *)text.data, text.len, err);
	if (rc == 0)
		rc = spec_script(s, path, text.data, text.len, s->job.n_args,
				 (const char *const *)s->job.args, err);
	s->script_path = NULL;
	return rc;
}

static int read_scripts(struct joblist *l, const char *path, int64_t max_bytes, struct err *err)
{
	for (size_t i = 0; i < l->count; i++) {
		struct spec *s = &l->jobs[i].spec;
		int rc = read_script(s, path, max_bytes, err);

		for (size_t k = 0; rc == 0 && k < s->part_count; k++)
			rc = read_script(s->parts[k], path, max_bytes, err);
		if (rc < 0)
			return l->several ? joblist_at(l, i, rc, err)
					  : err_prefix(err, rc, "%s", path);
	}
	return 0;
}

int joblist_read(struct joblist *l, const char *path, int64_t max_script_bytes, struct err *err)
{
	bool from_stdin = strcmp(path, "-") == 0;
	const char *name = from_stdin ? "standard input" : path;
	CLEANUP_BUF struct buf text = {0};
	int rc = script_read(from_stdin ? NULL : path, JOBFILE_MAX, &text, err);

	if (rc == -EFBIG)
		return err_set(err, rc, "%s: is larger than the %d MiB that a job file may have",
			       name, JOBFILE_MAX >> 20);
	if (rc < 0)
		return rc;
	buf_addstr(&text, "");
	if (strlen((char *)text.data) < text.len)
		return err_set(err, -EINVAL, "%s: contains a zero byte and is not a text", name);
	rc = joblist_parse(l, name, (char *)text.data, err);
	return rc < 0 ? rc : read_scripts(l, from_stdin ? "" : path, max_script_bytes, err);
}

/* Moves the only job to s, and ends the list. */
static int take_one(struct joblist *l, int rc, struct spec *s, struct err *err)
{
	if (rc == 0 && l->several)
		rc = err_set(err, -EINVAL, "%s: has a list of jobs; expected one job", l->file);
	if (rc == 0) {
		spec_done(s);
		spec_move(&l->jobs[0].spec, s);
		spec_init(&l->jobs[0].spec);
	}
	joblist_done(l);
	return rc;
}

int joblist_parse_one(struct spec *s, const char *name, const char *text, struct err *err)
{
	struct joblist l;

	joblist_init(&l);
	return take_one(&l, joblist_parse(&l, name, text, err), s, err);
}

int joblist_read_one(struct spec *s, const char *path, int64_t max_script_bytes, struct err *err)
{
	struct joblist l;

	joblist_init(&l);
	return take_one(&l, joblist_read(&l, path, max_script_bytes, err), s, err);
}

/* --- dependencies by name ------------------------------------------------------------------ */

struct named {
	const char *name;
	size_t place;
	UT_hash_handle hh;
};

struct orderer {
	struct joblist *l;
	struct named *names;
	size_t *rank;  /* of each job: 1 + its place in the order; 0: none yet */
	bool *on_path; /* it is being placed */
	size_t placed;
	struct err *err;
};

static int note_names(struct orderer *o)
{
	struct joblist *l = o->l;
	struct named *list = arena_zalloc(l->arena, l->count, sizeof(*list));

	for (size_t i = 0; i < l->count; i++) {
		struct named *had;

		if (!l->jobs[i].name)
			continue;
		HASH_FIND_STR(o->names, l->jobs[i].name, had);
		if (had)
			return joblist_at(l, i,
					  err_set(o->err, -EINVAL,
						  "name: jobs[%zu] has the same name", had->place),
					  o->err);
		list[i] = (struct named){.name = l->jobs[i].name, .place = i};
		HASH_ADD_KEYPTR(hh, o->names, list[i].name, strlen(list[i].name), &list[i]);
	}
	return 0;
}

/* "prepare" or, for one element of an array, "prepare_3". NULL: there is no such job. */
static const struct named *find(const struct orderer *o, const char *text, Armada__Dependency *d)
{
	const char *tail = strrchr(text, '_');
	struct named *n;
	unsigned long element;
	char *end;

	HASH_FIND_STR(o->names, text, n);
	if (n || !tail || !isdigit((unsigned char)tail[1]))
		return n;
	element = strtoul(tail + 1, &end, 10);
	if (*end || element >= UINT32_MAX)
		return NULL;
	HASH_FIND(hh, o->names, text, (size_t)(tail - text), n);
	if (n) {
		d->has_element = true;
		d->element = (uint32_t)element;
	}
	return n;
}

static int no_such_job(const struct orderer *o, size_t job, const char *name)
{
	const char **words = arena_alloc(o->l->arena, NEAR_MAX * sizeof(*words)), *near;
	size_t count = 0;

	for (const struct named *n = o->names; n && count < NEAR_MAX; n = n->hh.next)
		words[count++] = n->name;
	near = nearest_word(name, words, count);
	return joblist_at(
		o->l, job,
		near ? err_set(o->err, -EINVAL,
			       "dependency: no job of this file has the name '%s'; did you mean '%s'?",
			       name, near)
		     : err_set(o->err, -EINVAL, "dependency: no job of this file has the name '%s'",
			       name),
		o->err);
}

/* The place of the job that a dependency names, or SIZE_MAX for one with a number. */
static int target_of(const struct orderer *o, size_t job, size_t k, size_t *ret)
{
	struct spec *s = &o->l->jobs[job].spec;
	const char *name = s->depends_on ? s->depends_on[k] : NULL;
	const struct named *n;

	*ret = SIZE_MAX;
	if (!name)
		return 0;
	n = find(o, name, s->job.dependencies[k]);
	if (!n)
		return no_such_job(o, job, name);
	*ret = n->place;
	return 0;
}

/* An entry of the path from a job along its dependencies. */
struct step {
	size_t job, next; /* next: the dependency to look at */
};

static int refuse_circle(const struct orderer *o, const struct step *path, size_t depth, size_t job)
{
	CLEANUP_BUF struct buf text = {0};
	size_t from = depth;

	while (path[from - 1].job != job)
		from--;
	for (size_t i = from - 1; i < depth && text.len < 150; i++)
		buf_addf(&text, "%s waits for ", o->l->jobs[path[i].job].name);
	buf_addstr(&text, o->l->jobs[job].name);
	return joblist_at(o->l, job,
			  err_set(o->err, -EINVAL,
				  "dependency: the jobs would wait for one another: %s",
				  (char *)text.data),
			  o->err);
}

/* Places a job after those that it depends on. The path is a stack, because chains may be long. */
static int place(struct orderer *o, struct step *path, size_t job)
{
	size_t depth = 0;

	if (o->rank[job])
		return 0;
	path[depth++] = (struct step){job, 0};
	o->on_path[job] = true;
	while (depth) {
		struct step *at = &path[depth - 1];
		struct spec *s = &o->l->jobs[at->job].spec;
		size_t target;
		int rc;

		if (at->next == s->job.n_dependencies) {
			o->l->order[o->placed++] = at->job;
			o->rank[at->job] = o->placed;
			o->on_path[at->job] = false;
			depth--;
			continue;
		}
		rc = target_of(o, at->job, at->next++, &target);
		if (rc < 0)
			return rc;
		if (target == SIZE_MAX || o->rank[target])
			continue;
		if (o->on_path[target])
			return refuse_circle(o, path, depth, target);
		path[depth++] = (struct step){target, 0};
		o->on_path[target] = true;
	}
	return 0;
}

/* The request names a job by its place there. */
static void bind(struct orderer *o)
{
	for (size_t i = 0; i < o->l->count; i++) {
		struct spec *s = &o->l->jobs[i].spec;

		for (size_t k = 0; k < s->job.n_dependencies; k++) {
			size_t target;

			if (target_of(o, i, k, &target) == 0 && target != SIZE_MAX)
				s->job.dependencies[k]->request_job = (uint32_t)o->rank[target];
		}
	}
}

int joblist_order(struct joblist *l, struct err *err)
{
	struct orderer o = {.l = l, .err = err};
	struct step *path = arena_alloc(l->arena, l->count * sizeof(*path));
	int rc;

	o.rank = arena_zalloc(l->arena, l->count, sizeof(*o.rank));
	o.on_path = arena_zalloc(l->arena, l->count, sizeof(*o.on_path));
	l->order = arena_zalloc(l->arena, l->count, sizeof(*l->order));
	rc = note_names(&o);
	for (size_t i = 0; rc == 0 && i < l->count; i++)
		rc = place(&o, path, i);
	if (rc == 0)
		bind(&o);
	HASH_CLEAR(hh, o.names);
	return rc;
}
