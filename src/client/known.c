/*
 * Checks the names of a filter (known.h). Input: a filter, and what the answer has. Output: 0, or the
 * first name that does not exist. The lists of names are fetched only for names that the answer does
 * not have, and the history is asked only for names that the controller does not have. Caveat: users
 * of a directory that cannot be listed (getpwent) are known, but never suggested.
 */
#include "client/known.h"

#include "util/mem.h"
#include "util/names.h"
#include "util/nearest.h"

#include <errno.h>
#include <pthread.h>
#include <pwd.h>
#include <stdlib.h>

enum { USERS_MAX = 10000, SEEN_MAX = 64, NAME_ROOM = 16384 };

struct check {
	struct connection *c;
	struct arena *arena;
	const char **words; /* the names that exist, for suggestions */
	size_t count;
	bool any; /* every name is known */
};

static void add_word(struct check *k, const char *word)
{
	k->words[k->count++] = word;
}

static int queue_words(struct check *k, struct err *err)
{
	Armada__ListQueuesRequest q = ARMADA__LIST_QUEUES_REQUEST__INIT;
	const Armada__ListQueuesReply *r;
	int rc = connection_ask(k->c, MSG_LIST_QUEUES, &q, MSG_LIST_QUEUES_REPLY, k->arena, 0, &r,
				err);

	if (rc < 0)
		return rc;
	k->words = arena_zalloc(k->arena, r->n_queues + 1, sizeof(*k->words));
	for (size_t i = 0; i < r->n_queues; i++)
		add_word(k, r->queues[i]->spec->name);
	return 0;
}

static int node_words(struct check *k, struct err *err)
{
	Armada__ListNodesRequest q = ARMADA__LIST_NODES_REQUEST__INIT;
	const Armada__ListNodesReply *r;
	int rc = connection_ask(k->c, MSG_LIST_NODES, &q, MSG_LIST_NODES_REPLY, k->arena, 0, &r,
				err);

	if (rc < 0)
		return rc;
	k->words = arena_zalloc(k->arena, r->n_nodes + 1, sizeof(*k->words));
	for (size_t i = 0; i < r->n_nodes; i++)
		add_word(k, r->nodes[i]->name);
	return 0;
}

static int class_words(struct check *k, struct err *err)
{
	Armada__ClassesRequest q = ARMADA__CLASSES_REQUEST__INIT;
	const Armada__ClassesReply *r;
	int rc = connection_ask(k->c, MSG_CLASSES, &q, MSG_CLASSES_REPLY, k->arena, 0, &r, err);

	if (rc < 0)
		return rc;
	k->words = arena_zalloc(k->arena, r->n_rows + 1, sizeof(*k->words));
	for (size_t i = 0; i < r->n_rows; i++)
		add_word(k, r->rows[i]->name);
	return 0;
}

/* Without accounts in armada.conf there are no words, and every name may be one. */
static int account_words(struct check *k, struct err *err)
{
	Armada__AccountsRequest q = ARMADA__ACCOUNTS_REQUEST__INIT;
	const Armada__AccountsReply *r;
	int rc = connection_ask(k->c, MSG_ACCOUNTS, &q, MSG_ACCOUNTS_REPLY, k->arena, 0, &r, err);

	if (rc < 0)
		return rc;
	k->any = !r->listed;
	k->words = arena_zalloc(k->arena, r->n_rows + 1, sizeof(*k->words));
	for (size_t i = 0; i < r->n_rows; i++)
		add_word(k, r->rows[i]->name);
	return 0;
}

/* armrestd asks in several threads; a user with a very large entry is one, too. */
static bool is_user(const char *name)
{
	char text[NAME_ROOM];
	struct passwd pw, *found = NULL;
	int rc = getpwnam_r(name, &pw, text, sizeof(text), &found);

	return found || rc == ERANGE;
}

static int user_words(struct check *k, struct err *err)
{
	static pthread_mutex_t mutex =
		PTHREAD_MUTEX_INITIALIZER; /* there is one list for all threads */
	const struct passwd *pw;

	(void)err;
	k->words = arena_zalloc(k->arena, USERS_MAX, sizeof(*k->words));
	pthread_mutex_lock(&mutex);
	setpwent();
	while (k->count < USERS_MAX && (pw = getpwent()))
		add_word(k, arena_strdup(k->arena, pw->pw_name));
	endpwent();
	pthread_mutex_unlock(&mutex);
	return 0;
}

static const struct kind {
	enum filter_by by;
	const char *noun;
	int (*fetch)(struct check *k, struct err *err);
	const char *where; /* how to see all of them */
} kinds[] = {
	{FILTER_USERS, "user", user_words, ""},
	{FILTER_QUEUES, "queue", queue_words, " (actl queue list shows the existing queues)"},
	{FILTER_CLASSES, "priority class", class_words,
	 " (actl show classes shows the existing classes)"},
	{FILTER_ACCOUNTS, "account", account_words,
	 " (actl show accounts shows the existing accounts)"},
	{FILTER_NODES, "node", node_words, " (anode lists the existing nodes)"},
};

static int refuse(const struct check *k, const struct kind *kind, const char *name, struct err *err)
{
	const char *near = nearest_word(name, k->words, k->count);

	if (near)
		return err_set(err, -ENOENT, "%s '%.255s' does not exist; did you mean '%s'?",
			       kind->noun, name, near);
	return err_set(err, -ENOENT, "%s '%.255s' does not exist%s", kind->noun, name, kind->where);
}

/* The names of one kind in the filter. */
static size_t names_of(Armada__JobFilter *f, enum filter_by by, char ***ret_names)
{
	*ret_names = by == FILTER_USERS      ? f->users
		     : by == FILTER_QUEUES   ? f->queues
		     : by == FILTER_CLASSES  ? f->priority_classes
		     : by == FILTER_ACCOUNTS ? f->accounts
					     : f->nodes;
	return by == FILTER_USERS      ? f->n_users
	       : by == FILTER_QUEUES   ? f->n_queues
	       : by == FILTER_CLASSES  ? f->n_priority_classes
	       : by == FILTER_ACCOUNTS ? f->n_accounts
				       : f->n_nodes;
}

static void select_one(Armada__JobFilter *f, enum filter_by by, char **name)
{
	armada__job_filter__init(f);
	if (by == FILTER_USERS)
		f->users = name, f->n_users = 1;
	else if (by == FILTER_QUEUES)
		f->queues = name, f->n_queues = 1;
	else if (by == FILTER_CLASSES)
		f->priority_classes = name, f->n_priority_classes = 1;
	else if (by == FILTER_ACCOUNTS)
		f->accounts = name, f->n_accounts = 1;
	else
		f->nodes = name, f->n_nodes = 1;
}

/* 1: a job has this name; 0: none has. */
static int jobs_have(struct check *k, enum filter_by by, char *name, struct err *err)
{
	Armada__ListJobsRequest live = ARMADA__LIST_JOBS_REQUEST__INIT;
	Armada__HistoryRequest history = ARMADA__HISTORY_REQUEST__INIT;
	Armada__JobFilter f;
	const Armada__ListJobsReply *r;
	int rc;

	select_one(&f, by, &name);
	live.filter = history.filter = &f;
	live.limit = history.limit = 1;
	live.finished_too = true;
	do {
		rc = connection_ask(k->c, MSG_LIST_JOBS, &live, MSG_LIST_JOBS_REPLY, k->arena, 0,
				    &r, err);
		if (rc < 0 || r->n_rows)
			return rc < 0 ? rc : 1;
		live.after_id = r->next_after_id;
		live.after_element = r->next_after_element;
		live.has_after_element = r->next_has_element;
	} while (r->more);
	rc = connection_ask(k->c, MSG_HISTORY, &history, MSG_LIST_JOBS_REPLY, k->arena, 0, &r, err);
	return rc < 0 ? rc : r->n_rows > 0;
}

static int check_name(struct check *k, const struct kind *kind, char *name, struct err *err)
{
	int rc = 0;

	if (kind->by == FILTER_USERS && is_user(name))
		return 0;
	if (!k->words) {
		rc = kind->fetch(k, err);
		if (rc == 0 && k->count)
			qsort(k->words, k->count, sizeof(*k->words), names_compare);
	}
	if (rc < 0 || k->any ||
	    (k->count && bsearch(&name, k->words, k->count, sizeof(*k->words), names_compare)))
		return rc;
	rc = jobs_have(k, kind->by, name, err);
	return rc < 0 ? rc : rc ? 0 : refuse(k, kind, name, err);
}

int known_check(struct connection *c, const struct filter *f, known_seen *seen, const void *rows,
		struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	Armada__JobFilter message = f->message;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(kinds); i++) {
		struct check k = {.c = c, .arena = arena};
		char **names;
		size_t count = names_of(&message, kinds[i].by, &names);

		for (size_t n = 0; rc == 0 && n < count; n++)
			if (!seen || count > SEEN_MAX || !seen(rows, kinds[i].by, names[n]))
				rc = check_name(&k, &kinds[i], names[n], err);
	}
	return rc;
}

static int no_such(struct connection *c, enum filter_by by, const char *name, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct check k = {.c = c, .arena = arena};
	const struct kind *kind = kinds;
	int rc;

	while (kind->by != by)
		kind++;
	rc = kind->fetch(&k, err);
	return rc < 0 ? rc : refuse(&k, kind, name, err);
}

int known_no_queue(struct connection *c, const char *name, struct err *err)
{
	return no_such(c, FILTER_QUEUES, name, err);
}

int known_no_node(struct connection *c, const char *name, struct err *err)
{
	return no_such(c, FILTER_NODES, name, err);
}
