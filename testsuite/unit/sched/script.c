/*
 * Runs the steps of a small world (script.h): each line is split into words, and the first word
 * selects the function. Lines with expected results are tests.
 */
#include "unit/sched/script.h"
#include "sched/queue_constraint.h"
#include "sched/explain.h"
#include "sched/round/round.h"
#include "tap/tap.h"
#include "unit/sched/rig.h"
#include "util/buf.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = 32, PARTS = 8 };

struct play {
	const char *name;
	struct rig rig;
	struct sched_result last;
	int line;
	int64_t now_us;
};

/* One line cut into words, in place. */
struct words {
	char *word[WORDS];
	int count, at;
};

static void cut(char *line, struct words *w)
{
	char *save = NULL;

	*w = (struct words){0};
	for (char *p = strtok_r(line, " \t", &save); p && w->count < WORDS;
	     p = strtok_r(NULL, " \t", &save))
		w->word[w->count++] = p;
}

/* The value of "key=value", or NULL. */
static char *value_of(char *word, const char *key)
{
	size_t n = strlen(key);

	return strncmp(word, key, n) == 0 && word[n] == '=' ? word + n + 1 : NULL;
}

static const char *part(char **at)
{
	char *p = *at ? strsep(at, ":") : NULL;

	return p ? p : "";
}

static bool amount(char *word, int64_t *v)
{
	char *p;

	if ((p = value_of(word, "cpu")))
		v[RIG_CPU] = (int64_t)(atof(p) * 1000);
	else if ((p = value_of(word, "mem")))
		v[RIG_MEMORY] = (int64_t)(atof(p) * (double)RIG_G);
	else if ((p = value_of(word, "gpu")))
		v[RIG_GPU] = atoll(p);
	return p;
}

static void do_node(struct play *p, struct words *w)
{
	struct sched_label labels[PARTS];
	struct sched_taint taints[PARTS];
	struct sched_node n = {.name = w->word[1], .labels = labels, .taints = taints};

	n.schedulable = true;
	for (int i = 2; i < w->count; i++) {
		char *v;

		if (amount(w->word[i], n.total))
			continue;
		if ((v = value_of(w->word[i], "label"))) {
			const char *key = part(&v);

			labels[n.label_count++] = (struct sched_label){key, part(&v)};
		} else if ((v = value_of(w->word[i], "taint"))) {
			const char *key = part(&v), *value = part(&v);

			taints[n.taint_count++] = (struct sched_taint){key, value, part(&v)};
		} else if (strcmp(w->word[i], "down") == 0) {
			n.schedulable = false;
		} else {
			bail("%s:%d: %s", p->name, p->line, w->word[i]);
		}
	}
	sched_node_set(p->rig.s, &n);
}

/* A job and the arrays that it points to. */
struct draft {
	struct sched_job job;
	struct sched_selector selectors[PARTS];
	struct sched_toleration tolerations[PARTS];
	const char *include[PARTS], *exclude[PARTS];
	const char *wait;
};

static bool placement(char *word, struct draft *d)
{
	struct sched_job *j = &d->job;
	const char *key, *op;
	char *v;
	bool known = true;

	if ((v = value_of(word, "sel")) || (v = value_of(word, "unsel")) ||
	    (v = value_of(word, "orsel"))) {
		key = part(&v);
		d->selectors[j->selector_count++] =
			(struct sched_selector){key, part(&v), *word == 'u', *word == 'o'};
	} else if ((v = value_of(word, "tol"))) {
		key = part(&v);
		op = part(&v);
		d->tolerations[j->toleration_count++] =
			(struct sched_toleration){key, op, part(&v)};
	} else if ((v = value_of(word, "include"))) {
		d->include[j->include_count++] = v;
	} else if ((v = value_of(word, "exclude"))) {
		d->exclude[j->exclude_count++] = v;
	} else if ((v = value_of(word, "uniform"))) {
		j->uniformity = v;
	} else {
		known = false;
	}
	return known;
}

static bool plain(char *word, struct draft *d)
{
	struct sched_job *j = &d->job;
	char *v = word;

	if (strcmp(word, "distinct") == 0)
		j->distinct = true;
	else if (strcmp(word, "exclusive") == 0)
		j->exclusive = true;
	else if (strcmp(word, "keeps") == 0)
		j->exclusive_user = true;
	else if ((v = value_of(word, "class")))
		j->class_name = v;
	else if ((v = value_of(word, "prio")))
		j->priority = atoll(v);
	else if ((v = value_of(word, "at")))
		j->submit_us = atoll(v);
	else if ((v = value_of(word, "members")))
		j->members = j->min_members = (uint32_t)atoi(v);
	else if ((v = value_of(word, "each")))
		j->tasks_per_member = (uint32_t)atoi(v);
	else if ((v = value_of(word, "user")))
		j->user = v;
	else if ((v = value_of(word, "account")))
		j->account = v;
	else if ((v = value_of(word, "elements")))
		j->elements = (uint32_t)atoi(v);
	else if ((v = value_of(word, "throttle")))
		j->throttle = (uint32_t)atoi(v);
	else if ((v = value_of(word, "limit")))
		j->time_limit_us = atoll(v) * 1000000;
	else if ((v = value_of(word, "least")))
		j->time_min_us = atoll(v) * 1000000;
	else if ((v = value_of(word, "grace")))
		j->grace_us = atoll(v) * 1000000;
	else if ((v = value_of(word, "wait")))
		d->wait = v;
	return v;
}

static void read_job(struct play *p, struct words *w, struct draft *d)
{
	*d = (struct draft){.wait = "0-0"};
	d->job = (struct sched_job){.id = strtoull(w->word[1], NULL, 10),
				    .queue = w->word[2],
				    .class_name = "mid",
				    .members = 1,
				    .min_members = 1,
				    .request = {1000, RIG_G},
				    .selectors = d->selectors,
				    .tolerations = d->tolerations,
				    .include = d->include,
				    .exclude = d->exclude};
	d->job.submit_us = (int64_t)d->job.id;
	for (int i = 3; i < w->count; i++)
		if (!amount(w->word[i], d->job.request) && !placement(w->word[i], d) &&
		    !plain(w->word[i], d))
			bail("%s:%d: %s", p->name, p->line, w->word[i]);
}

static void read_range(const char *text, uint32_t *first, uint32_t *last, uint32_t *step)
{
	*step = 1;
	*last = UINT32_MAX;
	if (sscanf(text, "%u-%u:%u", first, last, step) < 2)
		*last = *first;
}

static void do_wait(struct play *p, uint64_t id, const char *range)
{
	uint32_t first = 0, last, step;

	read_range(range, &first, &last, &step);
	sched_wait(p->rig.s, id, first, last, step);
}

static void do_job(struct play *p, struct words *w)
{
	struct draft d;

	read_job(p, w, &d);
	sched_job_add(p->rig.s, &d.job);
	do_wait(p, d.job.id, d.wait);
}

static void do_reshape(struct play *p, struct words *w)
{
	struct draft d;

	read_job(p, w, &d);
	sched_job_change(p->rig.s, &d.job);
}

static void do_could(struct play *p, struct words *w, char *want)
{
	struct err err = {""};
	struct draft d;
	int rc;

	read_job(p, w, &d);
	rc = sched_check_feasible(p->rig.s, &d.job, &err);
	is_str(rc ? err.text : "yes", want ? want : "yes", "%s:%d", p->name, p->line);
}

static void do_round(struct play *p, bool accept)
{
	struct sched_round round = {.now_us = p->now_us, .seed = 1};

	sched_result_done(&p->last);
	sched_run_round(p->rig.s, &round, &p->last);
	for (size_t i = 0; accept && i < p->last.decision_count; i++) {
		const struct sched_decision *d = &p->last.decisions[i];

		sched_run(p->rig.s, d->job, d->element, (const char *const *)d->nodes, p->now_us);
		if (d->limit_us)
			sched_limit(p->rig.s, d->job, d->element, d->limit_us);
	}
}

/* "2.0 at 60 n0 n1*2", or "-". */
static void expect_reservation(struct play *p, const char *want)
{
	const struct sched_reservation *v = p->last.reservation;
	struct buf b = {0};

	if (v)
		buf_addf(&b, "%llu.%u at %g", (unsigned long long)v->job, v->element,
			 (double)v->start_us / 1e6);
	else
		buf_addstr(&b, "-");
	for (size_t i = 0; v && i < v->node_count; i++) {
		buf_addf(&b, " %s", v->nodes[i].name);
		if (v->nodes[i].members > 1)
			buf_addf(&b, "*%u", v->nodes[i].members);
	}
	is_str((char *)b.data, want, "%s:%d: reserved", p->name, p->line);
	buf_done(&b);
}

static void expect_reason(struct play *p, uint64_t id, const char *want)
{
	const char *got = "-";

	for (size_t i = 0; i < p->last.reason_count; i++)
		if (p->last.reasons[i].job == id)
			got = p->last.reasons[i].text;
	is_str(got, want, "%s:%d: why %llu waits", p->name, p->line, (unsigned long long)id);
}

/* "without label rack=r1 [--constraint=fast]", or "-". */
static void write_change(const struct sched_change *c, struct buf *b)
{
	buf_addstr(b, c->kind ? c->text : "-");
	if (c->option)
		buf_addf(b, " [%s]", c->option);
}

/* "1 of 3 fit; 2 busy cpu; nearest n0 lacks 1 cpu; 1 of 2 in line" */
static void write_nodes(const struct sched_explanation *e, struct buf *b)
{
	static const char *const by[] = {"",         "down",      "list", "label",
					 "taint",    "too small", "busy", "occupied",
					 "reserved", "avoided",   "kept"};

	buf_addf(b, "%u of %u fit", e->fitting, e->nodes);
	for (size_t i = 0; i < e->exclusion_count; i++) {
		const struct sched_exclusion *x = &e->exclusions[i];

		buf_addf(b, "; %u %s%s%s", x->nodes, by[x->by], x->what ? " " : "",
			 x->what ? x->what : "");
	}
	if (e->nearest)
		buf_addf(b, "; nearest %s lacks %s", e->nearest, e->nearest_lacks);
	buf_addf(b, "; %llu of %llu in line", (unsigned long long)e->place,
		 (unsigned long long)e->of);
}

static void expect_explained(struct play *p, char what, uint64_t id, const char *want)
{
	struct sched_round round = {.now_us = p->now_us, .seed = 1};
	struct sched_explanation e;
	struct buf b = {0};

	if (sched_explain(p->rig.s, id, &round, &e))
		bail("%s:%d: nothing to explain", p->name, p->line);
	if (what == '@')
		write_change(&e.change, &b);
	else
		write_nodes(&e, &b);
	is_str((char *)b.data, want, "%s:%d: %s %llu", p->name, p->line,
	       what == '@' ? "what would start" : "nodes for", (unsigned long long)id);
	buf_done(&b);
	sched_explanation_done(&e);
}

static void expect_decisions(struct play *p, const char *want)
{
	CLEANUP_FREE char *got = rig_decisions(&p->last);

	is_str(got, want, "%s:%d", p->name, p->line);
}

static bool take_quota(char *word, struct quota *m)
{
	char *v;

	if ((v = value_of(word, "running")))
		quota_put(m, QUOTA_RUNNING, atoll(v));
	else if ((v = value_of(word, "cpus")))
		quota_put(m, QUOTA_CPU, (int64_t)(atof(v) * 1000));
	else if ((v = value_of(word, "memory")))
		quota_put(m, QUOTA_MEMORY, (int64_t)(atof(v) * (double)RIG_G));
	else if ((v = value_of(word, "gpus")))
		quota_put(m, QUOTA_GPU, atoll(v));
	return v;
}

/* select QUEUE [KEY:VALUE ...]: each alone is a condition */
static void do_select(struct play *p, struct words *w)
{
	struct sched_selector list[PARTS];
	size_t count = 0;

	for (int i = 2; i < w->count; i++) {
		char *v = w->word[i];
		const char *key = part(&v);

		list[count++] = (struct sched_selector){.key = key, .value = part(&v)};
	}
	sched_queue_constraint(p->rig.s, w->word[1], list, count);
}

static void do_quota(struct play *p, struct words *w)
{
	struct sched_user users[PARTS] = {0};
	struct sched_config config = {.users = users};
	struct quota quota = {0}, *at = &quota;
	bool all = strcmp(w->word[0], "users") == 0;

	for (int i = all ? 1 : 2; i < w->count; i++) {
		if (take_quota(w->word[i], at))
			continue;
		if (!all)
			bail("%s:%d: %s", p->name, p->line, w->word[i]);
		users[config.user_count].name = w->word[i];
		at = &users[config.user_count++].quota;
	}
	config.user_quota = quota;
	if (all)
		users_set_limits(&p->rig.s->model, &config);
	else if (*w->word[0] == 'q')
		sched_queue_quota(p->rig.s, w->word[1], &quota);
	else
		sched_queue_user_quota(p->rig.s, w->word[1], &quota);
}

/* The limits of the accounts replace all earlier ones; those of users must be none. */
static void do_accounts(struct play *p, struct words *w)
{
	struct sched_account accounts[PARTS] = {0};
	struct sched_config config = {.accounts = accounts};
	struct quota *at = NULL;

	for (int i = 1; i < w->count; i++) {
		if (at && take_quota(w->word[i], at))
			continue;
		if (at && strcmp(w->word[i], "each") == 0) {
			at = &accounts[config.account_count - 1].user_quota;
			continue;
		}
		accounts[config.account_count].name = w->word[i];
		at = &accounts[config.account_count++].quota;
	}
	accounts_set_limits(&p->rig.s->model, &config);
	users_set_limits(&p->rig.s->model, &config);
}

/* Steps for one member of a running job, or for all of it. */
static bool do_member(struct play *p, struct words *w)
{
	struct sched *s = p->rig.s;
	uint64_t id = w->count > 2 ? strtoull(w->word[1], NULL, 10) : 0;
	uint32_t element = w->count > 2 ? (uint32_t)atoi(w->word[2]) : 0;
	uint32_t member = w->count > 3 ? (uint32_t)atoi(w->word[3]) : 0;

	if (strcmp(w->word[0], "ended") == 0)
		sched_member_end(s, id, element, member);
	else if (strcmp(w->word[0], "back") == 0)
		sched_member_run(s, id, element, member, w->word[4]);
	else if (strcmp(w->word[0], "yield") == 0)
		sched_member_yield(s, id, element, member);
	else if (strcmp(w->word[0], "left") == 0)
		sched_elements_left(s, id, element, member);
	else if (strcmp(w->word[0], "preempted") == 0) {
		sched_end(s, id, element);
		sched_wait(s, id, element, element, 1);
	} else
		return false;
	return true;
}

/* Steps for one job. */
static bool do_change(struct play *p, struct words *w)
{
	struct sched *s = p->rig.s;
	uint64_t id = w->count > 1 ? strtoull(w->word[1], NULL, 10) : 0;
	uint32_t first = 0, last, step;

	if (strcmp(w->word[0], "hold") == 0)
		sched_job_hold(s, id, true);
	else if (strcmp(w->word[0], "release") == 0)
		sched_job_hold(s, id, false);
	else if (strcmp(w->word[0], "remove") == 0)
		sched_job_remove(s, id);
	else if (strcmp(w->word[0], "end") == 0)
		sched_end(s, id, (uint32_t)atoi(w->word[2]));
	else if (strcmp(w->word[0], "wait") == 0)
		do_wait(p, id, w->word[2]);
	else if (strcmp(w->word[0], "unwait") == 0) {
		read_range(w->word[2], &first, &last, &step);
		sched_unwait(s, id, first, last);
	} else
		return false;
	return true;
}

/* Another policy: the world starts anew. */
static void do_order(struct play *p, struct words *w)
{
	static const struct sched_class classes[] = {{"low", 0, true, true, {0}, false},
						     {"mid", 1000, true, true, {0}, false},
						     {"high", 2000, false, false, {0}, false}};
	struct rig_policy policy = {
		.order = w->word[1], .classes = classes, .class_count = ARRAY_SIZE(classes)};

	for (int i = 2; i < w->count; i++) {
		char *at = w->word[i], *name = strsep(&at, "=");

		policy.options[policy.option_count++] =
			(struct rig_option){name, atof(at), NULL, 0};
	}
	rig_done(&p->rig);
	rig_init_policy(&p->rig, &policy);
}

static void do_step(struct play *p, char *line)
{
	char *rest = line + 1 + strspn(line + 1, " "), *bang = strchr(line, '!');
	struct words w;
	uint64_t id;

	if (*line == '>') {
		expect_decisions(p, rest);
		return;
	}
	if (*line == '?') {
		id = strtoull(rest, &rest, 10);
		expect_reason(p, id, rest + strspn(rest, " "));
		return;
	}
	if (*line == '@' || *line == '%') {
		id = strtoull(rest, &rest, 10);
		expect_explained(p, *line, id, rest + strspn(rest, " "));
		return;
	}
	if (*line == '=') {
		expect_reservation(p, rest);
		return;
	}
	if (bang)
		*bang++ = 0;
	cut(line, &w);
	if (strcmp(w.word[0], "time") == 0)
		p->now_us = atoll(w.word[1]) * 1000000;
	else if (strcmp(w.word[0], "order") == 0)
		do_order(p, &w);
	else if (strcmp(w.word[0], "node") == 0)
		do_node(p, &w);
	else if (strcmp(w.word[0], "gone") == 0)
		sched_node_remove(p->rig.s, w.word[1]);
	else if (strcmp(w.word[0], "queue") == 0)
		sched_queue_set(p->rig.s, w.word[1], atof(w.word[2]), w.count > 3);
	else if (strcmp(w.word[0], "select") == 0)
		do_select(p, &w);
	else if (strcmp(w.word[0], "job") == 0)
		do_job(p, &w);
	else if (strcmp(w.word[0], "change") == 0)
		do_reshape(p, &w);
	else if (strcmp(w.word[0], "could") == 0 || strcmp(w.word[0], "never") == 0)
		do_could(p, &w, bang ? bang + strspn(bang, " ") : NULL);
	else if (strcmp(w.word[0], "round") == 0 || strcmp(w.word[0], "peek") == 0)
		do_round(p, *w.word[0] == 'r');
	else if (strcmp(w.word[0], "quota") == 0 || strcmp(w.word[0], "each") == 0 ||
		 strcmp(w.word[0], "users") == 0)
		do_quota(p, &w);
	else if (strcmp(w.word[0], "accounts") == 0)
		do_accounts(p, &w);
	else if (!do_change(p, &w) && !do_member(p, &w))
		bail("%s:%d: %s", p->name, p->line, w.word[0]);
}

void script_play(const char *name, const char *text)
{
	struct play p = {.name = name, .now_us = 1};
	CLEANUP_FREE char *copy = xstrdup(text);
	char *rest = copy, *line;

	rig_init(&p.rig);
	while ((line = strsep(&rest, "\n"))) {
		p.line++;
		line += strspn(line, " \t");
		if (*line && *line != '#')
			do_step(&p, line);
	}
	sched_result_done(&p.last);
	rig_done(&p.rig);
}
