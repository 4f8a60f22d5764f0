#include "client/podspec.h"

#include "client/kubernetes_words.h"
#include "util/names.h"
#include "util/units.h"

#include <errno.h>
#include <string.h>

#define ANNOTATION "armadaproject.io/"

struct translator {
	const struct jobfile_source *source;
	struct arena *arena;
	struct jobtree *to; /* the map of our keys: of the job */
	bool images;
	struct err *err;
};

static int refuse(struct translator *t, const struct jobtree *at, const char *text)
{
	return jobfile_at(t->source, at, err_set(t->err, -EINVAL, "%s", text), t->err);
}

static int refuse_field(struct translator *t, const struct jobtree *at)
{
	const char *instead = kubernetes_instead(at->name);

	return refuse(t, at,
		      instead ? instead : "there is nothing like it here; see armada-job(5)");
}

/* A value under one of our keys. Errors show the path of the value that it comes from. */
static struct jobtree *put(struct translator *t, struct jobtree *map, const char *key,
			   const struct jobtree *from)
{
	struct jobtree *v = jobtree_add(map, key, from->line, t->arena);

	v->from = from;
	v->type = JOBTREE_TEXT;
	return v;
}

static void put_text(struct translator *t, struct jobtree *map, const char *key, const char *text,
		     const struct jobtree *from)
{
	put(t, map, key, from)->text = text;
}

/* A value of the whole job. Several pods must agree on it. */
static int put_shared(struct translator *t, const char *key, const char *text,
		      const struct jobtree *from)
{
	const struct jobtree *had = jobtree_get(t->to, key);

	if (!had) {
		put_text(t, t->to, key, text, from);
		return 0;
	}
	if (had->from && had->text && strcmp(had->text, text) == 0)
		return 0;
	return refuse(t, from, "it must be the same for all pods of a job, and be given once");
}

static bool is_scalar(const struct jobtree *v)
{
	return v->type == JOBTREE_TEXT || v->type == JOBTREE_INT || v->type == JOBTREE_FLOAT;
}

static int put_scalar(struct translator *t, const char *key, const struct jobtree *v)
{
	return is_scalar(v) ? put_shared(t, key, v->text, v) : refuse(t, v, "must be a text");
}

static int put_seconds(struct translator *t, const char *key, const struct jobtree *v)
{
	if (v->type != JOBTREE_INT)
		return refuse(t, v, "must be a whole number of seconds");
	return put_shared(t, key, arena_printf(t->arena, "%ss", v->text), v);
}

/* --- containers ---------------------------------------------------------------------------- */

static int add_words(struct translator *t, const struct jobtree *v, struct jobtree *list)
{
	if (!v)
		return 0;
	if (v->type != JOBTREE_LIST)
		return refuse(t, v, "must be a list of texts");
	for (size_t i = 0; i < v->count; i++) {
		struct jobtree *word = v->items[i];

		if (!is_scalar(word))
			return refuse(t, word, "must be a text");
		put_text(t, list, NULL, word->text, word);
	}
	return 0;
}

/* command and args together are the program; args alone are it, too. */
static int put_command(struct translator *t, const struct jobtree *c, struct jobtree *map)
{
	const struct jobtree *command = jobtree_get(c, "command"), *args = jobtree_get(c, "args");
	struct jobtree *list;
	int rc;

	if (!command && !args)
		return refuse(t, c,
			      "nothing to run: command or args is missing, and no image runs here");
	list = put(t, map, "command", command ? command : args);
	list->type = JOBTREE_LIST;
	rc = add_words(t, command, list);
	return rc < 0 ? rc : add_words(t, args, list);
}

static int put_env(struct translator *t, const struct jobtree *env, struct jobtree *map)
{
	struct jobtree *vars;

	if (env->type != JOBTREE_LIST)
		return refuse(t, env, "must be a list of maps with name and value");
	vars = put(t, map, "env", env);
	vars->type = JOBTREE_MAP;
	for (size_t i = 0; i < env->count; i++) {
		const struct jobtree *one = env->items[i], *name = jobtree_get(one, "name"),
				     *value = jobtree_get(one, "value");

		for (size_t k = 0; one->type == JOBTREE_MAP && k < one->count; k++)
			if (one->items[k] != name && one->items[k] != value)
				return refuse(
					t, one->items[k],
					"only name and value are accepted; use a file that only you can "
					"read for secrets");
		if (!name || name->type != JOBTREE_TEXT || (value && !is_scalar(value)))
			return refuse(t, one, "must be a map with name and value, both texts");
		put_text(t, vars, name->text, value ? value->text : "", one);
	}
	return 0;
}

/* Our option for a resource of Kubernetes; NULL: none. */
static const char *option_of(const char *resource)
{
	static const struct {
		const char *name, *option;
	} known[] = {
		{"cpu", "cpus"},         {"memory", "memory"}, {"nvidia.com/gpu", "gpus"},
		{"amd.com/gpu", "gpus"}, {"gpu", "gpus"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].name, resource) == 0)
			return known[i].option;
	return NULL;
}

static bool same_amount(const char *resource, const char *a, const char *b)
{
	int64_t x, y;
	struct err err;

	if (strcmp(resource, "cpu") == 0 && parse_cpu(a, &x, &err) == 0 &&
	    parse_cpu(b, &y, &err) == 0)
		return x == y;
	if (parse_size(a, &x, &err) == 0 && parse_size(b, &y, &err) == 0)
		return x == y;
	return strcmp(a, b) == 0;
}

static int put_resource(struct translator *t, const struct jobtree *v, bool several,
			struct jobtree *map)
{
	const char *option = option_of(v->name), *name = v->name;

	if (!is_scalar(v))
		return refuse(t, v, "must be an amount");
	if (strcmp(name, "ephemeral-storage") == 0)
		return refuse(t, v, "use tmp, a resource of the nodes");
	if (option)
		put_text(t, map, several || strcmp(option, "gpus") != 0 ? option : "gpus-per-task",
			 v->text, v);
	else
		put_text(t, map, "resource", arena_printf(t->arena, "%s=%s", name, v->text), v);
	return 0;
}

/* An amount here is both request and limit, so two that differ are refused. */
static int put_resources(struct translator *t, const struct jobtree *r, bool several,
			 struct jobtree *map)
{
	const struct jobtree *lists[2] = {jobtree_get(r, "requests"), jobtree_get(r, "limits")};
	int rc = 0;

	for (size_t i = 0; r->type == JOBTREE_MAP && i < r->count; i++)
		if (r->items[i] != lists[0] && r->items[i] != lists[1])
			return refuse(t, r->items[i], "only requests and limits are accepted");
	for (int l = 0; rc == 0 && l < 2; l++) {
		const struct jobtree *other = lists[!l];

		for (size_t i = 0; lists[l] && rc == 0 && i < lists[l]->count; i++) {
			const struct jobtree *v = lists[l]->items[i],
					     *twin = other && v->name ? jobtree_get(other, v->name)
								      : NULL;

			if (!v->name)
				return refuse(t, lists[l], "must be a map of amounts");
			if (twin && is_scalar(v) && is_scalar(twin) &&
			    !same_amount(v->name, v->text, twin->text))
				return refuse(
					t, v,
					"request and limit differ; an amount is both here, so give one, or "
					"both alike");
			if (!twin || l == 0)
				rc = put_resource(t, v, several, map);
		}
	}
	return rc;
}

static int put_container(struct translator *t, const struct jobtree *c, bool several,
			 struct jobtree *map)
{
	static const char *const handled[] = {"name", "command", "args", NULL};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->count; i++) {
		const struct jobtree *v = c->items[i];

		if (!strcmp(v->name, "image") || !strcmp(v->name, "imagePullPolicy"))
			t->images = true;
		else if (!strcmp(v->name, "env"))
			rc = put_env(t, v, map);
		else if (!strcmp(v->name, "resources"))
			rc = put_resources(t, v, several, map);
		else if (!strcmp(v->name, "workingDir"))
			rc = put_scalar(t, "chdir", v);
		else if (!names_have(handled, 3, v->name))
			rc = refuse_field(t, v);
	}
	return rc < 0 ? rc : put_command(t, c, map);
}

/* --- pods ---------------------------------------------------------------------------------- */

static int put_node_selector(struct translator *t, const struct jobtree *v, bool several,
			     struct jobtree *map)
{
	struct jobtree *list;

	if (v->type != JOBTREE_MAP)
		return refuse(t, v, "must be a map of labels");
	if (!v->count)
		return 0;
	list = put(t, several ? map : t->to, "constraint", v);
	list->type = JOBTREE_LIST;
	for (size_t i = 0; i < v->count; i++) {
		if (!is_scalar(v->items[i]))
			return refuse(t, v->items[i], "must be a text");
		put_text(t, list, NULL,
			 arena_printf(t->arena, "%s=%s", v->items[i]->name, v->items[i]->text),
			 v->items[i]);
	}
	return 0;
}

static int put_restart(struct translator *t, const struct jobtree *v)
{
	if (v->type == JOBTREE_TEXT && strcmp(v->text, "Never") == 0)
		return 0;
	return refuse(t, v,
		      "only Never is accepted; requeue and on_task_failure say what runs again");
}

static int put_pod_field(struct translator *t, const struct jobtree *v, bool several,
			 struct jobtree *map)
{
	if (!strcmp(v->name, "terminationGracePeriodSeconds"))
		return put_seconds(t, "grace-period", v);
	if (!strcmp(v->name, "activeDeadlineSeconds"))
		return put_seconds(t, "time", v);
	if (!strcmp(v->name, "priorityClassName"))
		return put_scalar(t, "priority-class", v);
	if (!strcmp(v->name, "restartPolicy"))
		return put_restart(t, v);
	if (!strcmp(v->name, "nodeSelector"))
		return put_node_selector(t, v, several, map);
	return !strcmp(v->name, "containers") ? 0 : refuse_field(t, v);
}

static const char *pod_name(const struct jobtree *container)
{
	const struct jobtree *name = container ? jobtree_get(container, "name") : NULL;

	return name && name->type == JOBTREE_TEXT ? name->text : NULL;
}

static int put_pod(struct translator *t, const struct jobtree *pod, bool several,
		   struct jobtree *map)
{
	const struct jobtree *list = jobtree_get(pod, "containers");
	int rc = 0;

	if (pod->type != JOBTREE_MAP)
		return refuse(t, pod, "must be a map: a pod specification");
	if (!list || list->type != JOBTREE_LIST || !list->count ||
	    list->items[0]->type != JOBTREE_MAP)
		return refuse(t, list ? list : pod, "a pod needs containers, a list of one map");
	if (list->count > 1)
		return refuse(
			t, list,
			"a pod has one container here: a task is one program; give each program a pod in "
			"podSpecs, or start them all from one script");
	for (size_t i = 0; rc == 0 && i < pod->count; i++)
		rc = put_pod_field(t, pod->items[i], several, map);
	return rc < 0 ? rc : put_container(t, list->items[0], several, map);
}

/* Each pod of several is a group with a name of its own. */
static int put_pods(struct translator *t, const struct jobtree *pods)
{
	struct jobtree *groups;
	int rc = 0;

	if (pods->type != JOBTREE_LIST || !pods->count)
		return refuse(t, pods, "must be a list of pod specifications");
	if (pods->count == 1)
		return put_pod(t, pods->items[0], false, t->to);
	groups = put(t, t->to, "groups", pods);
	groups->type = JOBTREE_LIST;
	for (size_t i = 0; rc == 0 && i < pods->count; i++) {
		const struct jobtree *pod = pods->items[i], *list = jobtree_get(pod, "containers");
		const char *name = pod_name(list && list->count ? list->items[0] : NULL);
		struct jobtree *group = put(t, groups, NULL, pod);

		group->type = JOBTREE_MAP;
		put_text(t, group, "name", arena_printf(t->arena, "%s-%zu", name ? name : "pod", i),
			 pod);
		rc = put_pod(t, pod, true, group);
	}
	return rc;
}

/* Other annotations stay what they are. */
static int put_note(struct translator *t, const struct jobtree *v, struct jobtree **notes)
{
	if (!is_scalar(v))
		return refuse(t, v, "must be a text");
	if (!*notes) {
		*notes = put(t, t->to, "annotations", v->up);
		(*notes)->type = JOBTREE_MAP;
	}
	put_text(t, *notes, v->name, v->text, v);
	return 0;
}

static int put_annotations(struct translator *t, const struct jobtree *v)
{
	static const struct {
		const char *name, *option;
	} known[] = {
		{ANNOTATION "gangId", "gang-id"},
		{ANNOTATION "gangCardinality", "gang-cardinality"},
		{ANNOTATION "gangMinimumCardinality", "gang-min"},
		{ANNOTATION "gangNodeUniformityLabel", "uniformity"},
	};

	struct jobtree *notes = NULL;

	if (v->type != JOBTREE_MAP)
		return refuse(t, v, "must be a map");
	for (size_t i = 0; i < v->count; i++) {
		const char *option = NULL;
		int rc;

		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			if (strcmp(known[k].name, v->items[i]->name) == 0)
				option = known[k].option;
		if (option)
			rc = put_scalar(t, option, v->items[i]);
		else
			rc = put_note(t, v->items[i], &notes);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static bool is_ours(const char *name)
{
	static const char *const words[] = {"jobSetId", "podSpec", "podSpecs", "annotations"};

	return !names_have(words, 4, name);
}

int podspec_translate(const struct jobfile_source *source, struct jobtree *job, struct arena *arena,
		      struct jobtree **ret_map, bool *ret_images, struct err *err)
{
	struct translator t = {.source = source, .arena = arena, .err = err};
	size_t ours = 0;
	int rc = 0;

	for (size_t i = 0; i < job->count; i++)
		ours += is_ours(job->items[i]->name);
	*ret_map = job;
	if (ours == job->count)
		return 0;
	if (jobtree_get(job, "podSpec") && jobtree_get(job, "podSpecs"))
		return refuse(&t, jobtree_get(job, "podSpecs"),
			      "podSpec is given, too; give one of both");
	t.to = jobtree_add(NULL, NULL, job->line, arena);
	t.to->type = JOBTREE_MAP;
	t.to->from = job;
	for (size_t i = 0; rc == 0 && i < job->count; i++) {
		struct jobtree *v = job->items[i], *copy;

		if (!strcmp(v->name, "jobSetId")) {
			rc = put_scalar(&t, "job-set", v);
		} else if (!strcmp(v->name, "podSpec")) {
			rc = put_pod(&t, v, false, t.to);
		} else if (!strcmp(v->name, "podSpecs")) {
			rc = put_pods(&t, v);
		} else if (!strcmp(v->name, "annotations")) {
			rc = put_annotations(&t, v);
		} else {
			copy = put(&t, t.to, v->name, v);
			*copy = (struct jobtree){v->type,     v->line, v->name, t.to,
						 copy->index, v->text, v->flag, v->items,
						 v->count,    v->cap,  v};
		}
	}
	*ret_map = t.to;
	*ret_images |= t.images;
	return rc;
}
