/* Routes of ashare: shares now and over time, the properties of the allocation, the last round. */
#include "armrestd/routes.h"
#include "client/spec/time_parse.h"
#include "cmd/ashare/properties.h"
#include "cmd/ashare/round.h"
#include "cmd/ashare/samples.h"
#include "cmd/listing/round_rows.h"
#include "util/clock.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static int last_round(struct exchange *x, const Armada__RoundReply **ret_reply, struct err *err)
{
	Armada__RoundRequest q = ARMADA__ROUND_REQUEST__INIT;
	const Armada__RoundReply *r;
	int rc = exchange_ask(x, MSG_ROUND, &q, MSG_ROUND_REPLY, &r, err);

	if (rc == 0 && !r->last)
		return err_set(err, -EAGAIN,
			       "there has been no scheduling round since the controller started");
	*ret_reply = r;
	return rc;
}

int show_shares(struct exchange *x, struct err *err)
{
	const Armada__RoundReply *r;
	int rc = last_round(x, &r, err);

	if (rc < 0)
		return rc;
	x->json = listing_json_new();
	json_object_set_new(x->json, "queues",
			    listing_json(&share_listing, (const void *const *)r->last->queues,
					 r->last->n_queues));
	return 0;
}

/* The members of the round itself are those of ashare --json; round, start and took are older names. */
int show_round(struct exchange *x, struct err *err)
{
	const Armada__RoundReply *r;
	int rc = last_round(x, &r, err);

	if (rc < 0)
		return rc;
	x->json = ashare_round_json(r->last);
	json_object_set_new(x->json, "round", json_integer((json_int_t)r->last->number));
	json_object_set_new(x->json, "start", json_integer(r->last->start_us));
	json_object_set_new(x->json, "reserved", ashare_reserved_json(r));
	json_object_set_new(x->json, "acted",
			    ashare_round_json(r->acted                                 ? r->acted
					      : r->last->started || r->last->preempted ? r->last
										       : NULL));
	return 0;
}

int show_properties(struct exchange *x, struct err *err)
{
	Armada__PropertiesRequest q = ARMADA__PROPERTIES_REQUEST__INIT;
	const Armada__PropertiesReply *r;
	int rc = exchange_ask(x, MSG_PROPERTIES, &q, MSG_PROPERTIES_REPLY, &r, err);

	if (rc == 0)
		x->json = properties_json(r);
	return rc;
}

int show_share_history(struct exchange *x, struct err *err)
{
	const char *queue = exchange_query(x, "queue"), *since = exchange_query(x, "since");
	int64_t now_us = clock_us(CLOCK_REALTIME), us;
	struct samples v;
	int rc = since ? time_parse_past(since, now_us, &us, err) : 0;

	if (rc < 0)
		return err_prefix(err, -EINVAL, "since");
	rc = samples_fetch(x->c, since, &queue, queue != NULL, now_us, x->arena, &v, err);
	if (rc == 0)
		rc = samples_check_names(&v, &queue, queue != NULL, err);
	if (rc == 0)
		x->json = samples_json(&v);
	return rc;
}
