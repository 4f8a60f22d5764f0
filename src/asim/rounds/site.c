/*
 * Takes classes, queues and limits of a scenario from armada.conf (site.h).
 *
 * Input: the scenario's configuration, and its resources. Output: the same structs that the document
 * fills. Caveats: the file has been checked when it was loaded. Only limits on running jobs are
 * taken, because a scenario has no submissions to refuse; nobody is refused a class for the same
 * reason, and the default times of queues and classes are not added to jobs.
 */
#include "asim/rounds/site.h"
#include "asim/rounds/limits.h"
#include "conf/quantity.h"
#include "conf/queue_field.h"
#include "conf/tables.h"
#include "util/mem.h"

#include <string.h>

int site_load(struct scenario *sc, const char *config, struct err *err)
{
	sc->sited = config != NULL;
	return config ? conf_load(&sc->conf, config, err)
		      : conf_parse(&sc->conf, "the defaults", "", err);
}

void site_check_keys(struct reader *r, const struct at *root)
{
	static const char *const keys[] = {"policy",           "limits",
					   "priority_classes", "default_priority_class",
					   "user_limits",      "users",
					   "accounts"};

	for (size_t i = 0; r->sc->sited && i < ARRAY_SIZE(keys); i++) {
		struct at at = doc_get(root, keys[i]);

		if (at.value)
			doc_fail(&r->doc, &at,
				 "with --config this comes from %s; the scenario may have nodes, "
				 "queues that are not declared there, running, rounds and "
				 "drop_queued",
				 r->sc->conf->file);
	}
}

/* Resources that no node of the scenario can have are left out. */
static void put_fraction(const struct scenario *sc, const char *resource, double part,
			 struct sched_fraction *f)
{
	for (size_t i = 0; i < sc->resource_count; i++)
		if (strcmp(sc->resources[i], resource) == 0) {
			f->limited |= UINT32_C(1) << i;
			f->of[i] = part;
		}
}

static struct sched_fraction fraction_of(const struct scenario *sc,
					 const struct armada_option_pair *pairs, size_t count)
{
	struct sched_fraction f = {0};

	for (size_t i = 0; i < count; i++)
		put_fraction(sc, pairs[i].name, pairs[i].value, &f);
	return f;
}

void site_classes(struct reader *r)
{
	const struct conf *conf = r->sc->conf;

	r->sc->classes = arena_zalloc(r->arena, conf->class_count + 1, sizeof(*r->sc->classes));
	for (size_t i = 0; i < conf->class_count; i++) {
		const struct conf_class *from = &conf->classes[i];

		r->sc->classes[i] = (struct scenario_class){
			.name = from->name,
			.priority = from->priority,
			.fair_share_preemptible = from->fair_share_preemptible,
			.urgency_preemptible = from->urgency_preemptible,
			.limit = fraction_of(r->sc, from->max_fraction_per_queue,
					     from->max_fraction_count),
		};
	}
	r->sc->class_count = conf->class_count;
}

double site_factor_default(void)
{
	const struct armada_option *row =
		&queue_field_conf(&queue_fields[QUEUE_OF_priority_factor])->opt;
	struct armada_option_value v;

	return option_parse(row, row->def, &v, NULL) < 0 ? 0 : v.d;
}

static void take_quota(const struct conf_queue *from, bool of_user, struct quota *to)
{
	const struct armada_option_value *amounts;

	for (size_t i = 0; i < RUNNING_LIMITS; i++) {
		const struct running_limit *m = &running_limits[i];
		const struct queue_field *f = queue_field_find(of_user ? m->user_name : m->name);
		int64_t value = from->values[f - queue_fields].i;

		if (value >= 0)
			quota_put(to, m->kind, value);
	}
	amounts = &from->values[of_user ? QUEUE_OF_user_max_resources : QUEUE_OF_max_resources];
	for (size_t i = 0; i < amounts->count; i++) {
		struct amount a;

		if (amount_parse(amounts->list[i], &a, NULL) == 0)
			quota_lower(to,
				    quota_of_resource(resource_name((size_t)a.resource),
						      (size_t)a.resource),
				    a.amount);
	}
}

static void take_class_limits(struct reader *r, const struct armada_option_value *from,
			      struct scenario_queue *q)
{
	q->class_limits = arena_zalloc(r->arena, from->count + 1, sizeof(*q->class_limits));
	for (size_t i = 0; i < from->count; i++) {
		struct sched_class_limit *l = &q->class_limits[q->class_limit_count++];
		struct share share;

		if (share_parse(from->list[i], &share, NULL) < 0)
			continue;
		l->class_name = reader_keep(r, share.class_name);
		for (size_t k = 0; k < resource_count(); k++)
			if (share.limited >> k & 1)
				put_fraction(r->sc, resource_name(k), share.of[k], &l->limit);
	}
}

void site_queues(struct reader *r)
{
	const struct conf *conf = r->sc->conf;

	for (size_t i = 0; i < conf->queue_count; i++) {
		const struct conf_queue *from = &conf->queues[i];
		const struct armada_option_value *limits = &from->values[QUEUE_OF_limits];
		struct scenario_queue *q = &r->sc->queues[r->sc->queue_count];

		q->name = from->name;
		q->factor = from->values[QUEUE_OF_priority_factor].d;
		q->cordoned = from->values[QUEUE_OF_cordoned].i != 0;
		q->limit = fraction_of(r->sc, limits->pairs, limits->count);
		take_class_limits(r, &from->values[QUEUE_OF_class_limits], q);
		take_quota(from, false, &q->quota);
		take_quota(from, true, &q->user_quota);
		map_add(&r->queues, hash_text(q->name), (uint32_t)r->sc->queue_count++);
	}
}

bool site_has_queue(const struct reader *r, const char *name)
{
	const struct conf *conf = r->sc->conf;

	for (size_t i = 0; i < conf->queue_count; i++)
		if (strcmp(conf->queues[i].name, name) == 0)
			return true;
	return false;
}

void site_limits(struct reader *r)
{
	const struct conf *conf = r->sc->conf;

	r->sc->limits = (struct sched_limits){
		.jobs_per_round = (uint64_t)conf->scheduler.max_jobs_per_round,
		.per_round = fraction_of(r->sc, conf->scheduler.max_fraction_per_round,
					 conf->scheduler.max_fraction_count),
		.rate = {conf->scheduler.rate, (double)conf->scheduler.burst},
		.queue_rate = {conf->scheduler.queue_rate, (double)conf->scheduler.queue_burst},
		.queue_lookback = (uint64_t)conf->scheduler.queue_lookback,
		.kept = r->sc->limits.kept,
		.kept_count = r->sc->limits.kept_count,
	};
}

void site_users(struct reader *r)
{
	const struct conf *conf = r->sc->conf;

	conf_quota_take(&conf->user_limits, &r->sc->user_quota);
	r->sc->users = arena_zalloc(r->arena, conf->user_count + 1, sizeof(*r->sc->users));
	for (size_t i = 0; i < conf->user_count; i++) {
		r->sc->users[i].name = conf->users[i].name;
		conf_quota_take(&conf->users[i].quota, &r->sc->users[i].quota);
	}
	r->sc->user_count = conf->user_count;
}

void site_accounts(struct reader *r)
{
	const struct conf *conf = r->sc->conf;

	r->sc->accounts = arena_zalloc(r->arena, conf->account_count + 1, sizeof(*r->sc->accounts));
	for (size_t i = 0; i < conf->account_count; i++) {
		struct sched_account *to = &r->sc->accounts[r->sc->account_count++];

		to->name = conf->accounts[i].name;
		conf_quota_take(&conf->accounts[i].quota, &to->quota);
		conf_quota_take(&conf->accounts[i].user_quota, &to->user_quota);
	}
}
