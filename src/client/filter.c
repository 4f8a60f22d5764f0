/*
 * Makes a filter of jobs from ids, states, names and node lists.
 *
 * Texts are parsed and checked here, and become fields of the filter message; the controller
 * applies it. Everything is copied to the arena of the filter.
 */
#include "client/filter.h"

#include "client/jobstate.h"
#include "client/spec/spec.h"
#include "conf/syntax_checks.h"
#include "util/hostlist.h"
#include "util/indexlist.h"
#include "util/mem.h"
#include "util/nearest.h"
#include "util/units.h"

#include <errno.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { IDS_MAX = 10000, NODES_MAX = 65536, WORDS_MAX = 10000 };

static const char accepted[] = "write 12, 12-15, 12_3 or 12_[1-5,7]";

void filter_init(struct filter *f)
{
	*f = (struct filter){.arena = arena_new(0)};
	armada__job_filter__init(&f->message);
}

void filter_done(struct filter *f)
{
	free(f->message.ids);
	free(f->message.states);
	arena_free(f->arena);
	*f = (struct filter){0};
}

bool filter_is_empty(const struct filter *f)
{
	const Armada__JobFilter *m = &f->message;

	return !m->n_ids && !m->n_users && !m->n_queues && !m->n_job_sets && !m->n_states &&
	       !m->n_names && !m->n_nodes && !m->n_priority_classes && !m->n_accounts &&
	       !m->n_labels;
}

/* Parses a job id at *at, and moves *at to its end. */
static int take_id(const char **at, uint64_t *ret_id)
{
	uint64_t id = 0;
	const char *p = *at;

	if (*p < '0' || *p > '9')
		return -EINVAL;
	for (; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(id, 10, &id) ||
		    __builtin_add_overflow(id, (uint64_t)(*p - '0'), &id))
			return -ERANGE;
	}
	if (!id)
		return -ERANGE;
	*at = p;
	*ret_id = id;
	return 0;
}

static Armada__JobRange *add_range(struct filter *f, uint64_t first, uint64_t last)
{
	Armada__JobRange *r = arena_alloc(f->arena, sizeof(*r));

	armada__job_range__init(r);
	r->first = first;
	r->last = last;
	GROW(f->message.ids, f->id_cap, f->message.n_ids + 1);
	f->message.ids[f->message.n_ids++] = r;
	return r;
}

/* Adds elements, such as "3" or "1-5,7", without brackets. */
static int add_elements(struct filter *f, uint64_t job, const char *list, struct err *err)
{
	CLEANUP_FREE struct index_range *ranges = NULL;
	uint32_t throttle = 0;
	size_t count = 0;
	int rc = indexlist_parse(list, UINT32_MAX, &ranges, &count, &throttle, err);

	if (rc < 0)
		return rc;
	if (throttle)
		return err_set(err, -EINVAL, "%% is not allowed here");
	for (size_t i = 0; i < count; i++) {
		Armada__JobRange *r = add_range(f, job, job);

		r->has_elements = true;
		r->elements = arena_alloc(f->arena, sizeof(*r->elements));
		armada__index_range__init(r->elements);
		r->elements->first = ranges[i].first;
		r->elements->last = ranges[i].last;
		r->elements->step = ranges[i].step;
	}
	return 0;
}

/* Adds one id, range, or job with elements. */
static int add_id(struct filter *f, char *word, struct err *err)
{
	const char *at = word;
	uint64_t first, last;
	size_t n;
	int rc;

	if (f->message.n_ids >= IDS_MAX)
		return err_set(err, -EINVAL, "more than %d job ids", IDS_MAX);
	if (take_id(&at, &first) < 0)
		return err_set(err, -EINVAL, "'%.60s' is not a job id; %s", word, accepted);
	last = first;
	if (*at == '-') {
		at++;
		if (take_id(&at, &last) < 0 || *at || last < first)
			return err_set(err, -EINVAL, "'%.60s' is not a range of job ids; %s", word,
				       accepted);
	}
	if (!*at) {
		add_range(f, first, last);
		return 0;
	}
	n = strlen(at);
	if (*at != '_' || n < 2)
		return err_set(err, -EINVAL, "'%.60s' is not a job id; %s", word, accepted);
	at++;
	if (*at == '[') {
		if (word[strlen(word) - 1] != ']')
			return err_set(err, -EINVAL, "'%.60s': ] is missing", word);
		word[strlen(word) - 1] = '\0';
		at++;
	}
	rc = add_elements(f, first, at, err);
	return rc < 0 ? err_prefix(err, rc, "%.60s", word) : 0;
}

/* The length of the first word of a list: up to a comma outside brackets. */
static size_t word_len(const char *text)
{
	size_t n = 0;
	int depth = 0;

	for (; text[n] && (text[n] != ',' || depth); n++)
		depth += text[n] == '[' ? 1 : text[n] == ']' ? -1 : 0;
	return n;
}

static int add_ids(struct filter *f, const char *text, struct err *err)
{
	while (*text) {
		size_t n = word_len(text);
		CLEANUP_FREE char *word = xstrndup(text, n);
		int rc = add_id(f, word, err);

		if (rc < 0)
			return -EINVAL;
		text += n + (text[n] == ',');
	}
	return 0;
}

static int add_state(struct filter *f, const char *name, struct err *err)
{
	const struct job_state *st = job_state_named(name);
	const char *words[32];
	const struct job_state *rows;
	const char *near;
	size_t count;

	if (!strcasecmp(name, "all")) {
		f->all_states = true;
		return 0;
	}
	if (!st) {
		rows = job_states(&count);
		for (size_t i = 0; i < count; i++)
			words[i] = rows[i].name;
		near = nearest_word(name, words, count);
		return err_set(err, -EINVAL, "'%.60s' is not a state%s%s%s", name,
			       near ? "; did you mean " : "", near ? near : "",
			       near ? "?" : ": PENDING, RUNNING, COMPLETED, FAILED ... or all");
	}
	GROW(f->message.states, f->state_cap, f->message.n_states + 1);
	f->message.states[f->message.n_states++] = st->state;
	return 0;
}

static int add_states(struct filter *f, const char *text, struct err *err)
{
	bool waiting = false;

	if (!*text)
		return err_set(err, -EINVAL, "is empty");
	while (*text) {
		size_t n = strcspn(text, ",");
		CLEANUP_FREE char *word = xstrndup(text, n);
		int rc = add_state(f, word, err);

		if (rc < 0)
			return rc;
		text += n + (text[n] == ',');
	}
	for (size_t i = 0; i < f->message.n_states; i++) {
		if (job_state(f->message.states[i])->ended)
			f->ended = true;
		else
			waiting = true;
	}
	if (f->all_states)
		f->message.n_states = 0;
	f->ended = f->ended || f->all_states;
	f->only_ended = f->ended && !waiting && !f->all_states;
	return 0;
}

static int add_words(struct filter *f, const char *text, char ***list, size_t *count,
		     struct err *err)
{
	int rc = spec_check_text(text, err);
	size_t words = 1;
	char **grown;

	if (rc < 0)
		return rc;
	for (const char *p = text; *p; p++)
		words += *p == ',';
	if (words + *count > WORDS_MAX)
		return err_set(err, -EINVAL, "more than %d words", WORDS_MAX);
	grown = arena_zalloc(f->arena, words + *count, sizeof(*grown));
	if (*count)
		memcpy(grown, *list, *count * sizeof(*grown));
	*list = grown;
	while (*text) {
		size_t n = strcspn(text, ",");

		if (n)
			grown[(*count)++] = arena_printf(f->arena, "%.*s", (int)n, text);
		text += n + (text[n] == ',');
	}
	return *count ? 0 : err_set(err, -EINVAL, "is empty");
}

/*
 * A number is the id of a user, unless a user has it as the name. The lookups have one buffer for all
 * threads, and armrestd makes filters in several.
 */
static void name_user(struct filter *f, char **user)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	const struct passwd *pw;
	unsigned long uid;
	char *end;

	uid = strtoul(*user, &end, 10);
	if (*end)
		return;
	pthread_mutex_lock(&mutex);
	pw = getpwnam(*user) ? NULL : getpwuid((uid_t)uid);
	if (pw)
		*user = arena_strdup(f->arena, pw->pw_name);
	pthread_mutex_unlock(&mutex);
}

static int add_users(struct filter *f, const char *text, struct err *err)
{
	Armada__JobFilter *m = &f->message;
	size_t known = m->n_users;
	int rc = add_words(f, text, &m->users, &m->n_users, err);

	for (size_t i = known; rc == 0 && i < m->n_users; i++)
		name_user(f, &m->users[i]);
	return rc;
}

static int add_nodes(struct filter *f, const char *text, struct err *err)
{
	char **names, **list;
	size_t count;
	int rc = hostlist_expand(text, NODES_MAX, &names, &count, err);

	if (rc < 0)
		return -EINVAL;
	list = arena_zalloc(f->arena, f->message.n_nodes + count, sizeof(*list));
	if (f->message.n_nodes)
		memcpy(list, f->message.nodes, f->message.n_nodes * sizeof(*list));
	for (size_t i = 0; i < count; i++)
		list[f->message.n_nodes++] = arena_strdup(f->arena, names[i]);
	f->message.nodes = list;
	hostlist_free(names, count);
	return 0;
}

static int add_label(struct filter *f, char *word, struct err *err)
{
	Armada__JobFilter *m = &f->message;
	Armada__Selector **list = arena_zalloc(f->arena, m->n_labels + 1, sizeof(*list)), *s;
	bool negate = *word == '!';
	char *equals;
	int rc;

	word += negate;
	equals = strchr(word, '=');
	if (equals)
		*equals = '\0';
	rc = check_label_key(word, err);
	if (rc == 0)
		rc = check_label_value(equals ? equals + 1 : "", err);
	if (rc < 0)
		return rc;
	s = arena_alloc(f->arena, sizeof(*s));
	armada__selector__init(s);
	s->key = arena_strdup(f->arena, word);
	s->value = arena_strdup(f->arena, equals ? equals + 1 : "");
	s->negate = negate;
	if (m->n_labels)
		memcpy(list, m->labels, m->n_labels * sizeof(*list));
	list[m->n_labels++] = s;
	m->labels = list;
	return 0;
}

static int add_labels(struct filter *f, const char *text, struct err *err)
{
	CLEANUP_FREE char *copy = xstrdup(text);
	char *rest = copy, *word;
	int rc = 0;

	while (rc == 0 && (word = strsep(&rest, ",")))
		rc = add_label(f, word, err);
	return rc;
}

static int add_me(struct filter *f, struct err *err)
{
	const struct passwd *pw = getpwuid(geteuid());
	char number[16];

	snprintf(number, sizeof(number), "%u", (unsigned)geteuid());
	return filter_add(f, FILTER_USERS, pw ? pw->pw_name : number, err);
}

int filter_add(struct filter *f, enum filter_by by, const char *text, struct err *err)
{
	Armada__JobFilter *m = &f->message;

	switch (by) {
	case FILTER_IDS:
		return add_ids(f, text, err);
	case FILTER_STATES:
		return add_states(f, text, err);
	case FILTER_NODES:
		return add_nodes(f, text, err);
	case FILTER_ME:
		return add_me(f, err);
	case FILTER_USERS:
		return add_users(f, text, err);
	case FILTER_QUEUES:
		return add_words(f, text, &m->queues, &m->n_queues, err);
	case FILTER_JOB_SETS:
		return add_words(f, text, &m->job_sets, &m->n_job_sets, err);
	case FILTER_NAMES:
		return add_words(f, text, &m->names, &m->n_names, err);
	case FILTER_CLASSES:
		return add_words(f, text, &m->priority_classes, &m->n_priority_classes, err);
	case FILTER_ACCOUNTS:
		return add_words(f, text, &m->accounts, &m->n_accounts, err);
	case FILTER_LABELS:
		return add_labels(f, text, err);
	}
	abort();
}

int filter_read(void *filter, const void *by, const char *text, struct err *err)
{
	return filter_add(filter, (enum filter_by)(uintptr_t)by, text, err);
}

bool step_id_is(const char *text)
{
	return strchr(text, '.') != NULL;
}

int step_id_parse(const char *text, struct step_id *ret_id, struct err *err)
{
	const char *point = strrchr(text, '.');
	struct step_id id = {0};
	char job[64];
	int64_t step;

	if (!point || (size_t)(point - text) >= sizeof(job) || point[1] < '0' || point[1] > '9' ||
	    parse_int(point + 1, 0, UINT32_MAX - 1, &step, NULL) < 0)
		return err_set(err, -EINVAL,
			       "'%.60s' is not the id of a step; write 12.0 or 12_3.0", text);
	memcpy(job, text, (size_t)(point - text));
	job[point - text] = '\0';
	if (job_id_parse(job, &id.job, &id.has_element, &id.element, NULL) < 0)
		return err_set(err, -EINVAL,
			       "'%.60s' is not the id of a step; write 12.0 or 12_3.0", text);
	id.step = (uint32_t)step;
	*ret_id = id;
	return 0;
}

int job_id_parse(const char *text, uint64_t *ret_job, bool *ret_has_element, uint32_t *ret_element,
		 struct err *err)
{
	const char *at = text;
	uint64_t job, element = 0;
	bool has_element = false;
	int rc = take_id(&at, &job);

	if (rc == 0 && *at == '_') {
		char *end;

		has_element = true;
		errno = 0;
		element = strtoul(at + 1, &end, 10);
		rc = at[1] < '0' || at[1] > '9' || *end || errno || element > UINT32_MAX ? -EINVAL
											 : 0;
	} else if (rc == 0 && *at) {
		rc = -EINVAL;
	}
	if (rc < 0)
		return err_set(err, -EINVAL, "'%.60s' is not a job id; write 812 or 812_7", text);
	*ret_job = job;
	*ret_has_element = has_element;
	*ret_element = (uint32_t)element;
	return 0;
}
