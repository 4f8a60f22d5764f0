/*
 * What the store says of controllers and copies (replica_view.h). Input: what the engine lists. Output: the
 * view, which others read under the lock, and a line of the log for each change.
 */
#define LOG_AREA LOG_AREA_STATE
#include "armctld/replica_view.h"

#include "armctld/replica_internal.h"
#include "armctld/replica_result.h"
#include "util/log.h"

#include <stdio.h>
#include <string.h>

static int add_peer(void *arg, const struct armada_replica_controller *c)
{
	struct replica_view *v = arg;
	struct replica_peer *p = &v->peers[v->peer_count];

	if (v->peer_count == REPLICA_CONTROLLERS)
		return 0;
	snprintf(p->name, sizeof(p->name), "%s", c->name);
	snprintf(p->address, sizeof(p->address), "%s", c->address);
	p->leads = c->leads;
	p->epoch = c->epoch;
	p->seq = c->seq;
	p->age_us = c->age_us;
	v->peer_count++;
	return 0;
}

struct looking {
	struct replica *replica;
	struct replica_view *view;
};

static int on_controller(void *arg, const struct armada_replica_controller *c)
{
	struct looking *l = arg;
	struct replica *r = l->replica;
	size_t before = l->view->peer_count;

	add_peer(l->view, c);
	if (l->view->peer_count > before && strcmp(c->name, r->self.name) != 0)
		r->ops->compare(r->arg, c, &l->view->peers[before].difference,
				l->view->peers[before].history);
	return 0;
}

/* Says once what a controller has different. */
static void note_difference(const struct replica_view *before, const struct replica_peer *p)
{
	for (size_t i = 0; i < before->peer_count; i++)
		if (strcmp(before->peers[i].name, p->name) == 0 &&
		    strcmp(before->peers[i].difference.text, p->difference.text) == 0)
			return;
	if (p->difference.text[0])
		log_warn("controller %s: %s", p->name, p->difference.text);
}

static void note_copy(const struct replica_view *before, const struct armada_replica_copy *now)
{
	const struct armada_replica_copies *c = &before->copies;

	for (size_t i = 0; i < c->count; i++) {
		if (strcmp(c->copies[i].name, now->name) != 0 ||
		    (c->copies[i].state == now->state && c->copies[i].member == now->member &&
		     c->copies[i].primary == now->primary))
			continue;
		log_notice("copy %s of the store: %s%s%s%s%s", now->name,
			   now->state == ARMADA_REPLICA_IN_SYNC    ? "in sync"
			   : now->state == ARMADA_REPLICA_CATCHING ? "catching up"
								   : "away",
			   now->member ? ", in the set" : ", not in the set",
			   now->primary ? ", primary" : "", now->why[0] ? ": " : "", now->why);
	}
}

void replica_view_read(struct replica *r)
{
	struct replica_view v = {.peer_count = 0}, before;
	struct looking l = {r, &v};
	struct armada_error err = {""};
	int rc = r->engine->controllers(r->handle, on_controller, &l, &err);

	if (rc == 0)
		rc = r->engine->copies(r->handle, &v.copies, &err);
	pthread_mutex_lock(&r->lock);
	before = r->view;
	if (rc == 0) {
		v.problem = before.problem;
		r->view = v;
		r->viewed_us = replica_now_us();
	}
	pthread_mutex_unlock(&r->lock);
	for (size_t i = 0; rc == 0 && i < v.peer_count; i++)
		note_difference(&before, &v.peers[i]);
	for (size_t i = 0; rc == 0 && i < v.copies.count; i++)
		note_copy(&before, &v.copies.copies[i]);
}

void replica_look(struct replica *r, struct replica_view *ret_view)
{
	int64_t older_us;

	pthread_mutex_lock(&r->lock);
	*ret_view = r->view;
	if (!ret_view->problem.text[0])
		ret_view->problem = r->full;
	older_us = r->viewed_us ? replica_now_us() - r->viewed_us : 0;
	pthread_mutex_unlock(&r->lock);
	for (size_t i = 0; i < ret_view->peer_count; i++)
		if (ret_view->peers[i].age_us >= 0)
			ret_view->peers[i].age_us += older_us;
}

bool replica_leader(struct replica *r, char ret_address[ARMADA_REPLICA_ADDRESS_MAX + 1])
{
	struct replica_view v;

	replica_look(r, &v);
	for (size_t i = 0; i < v.peer_count; i++) {
		const struct replica_peer *p = &v.peers[i];

		if (!p->leads || p->age_us < 0 || p->age_us > REPLICA_AWAY_US)
			continue;
		memcpy(ret_address, p->address, sizeof(p->address));
		return true;
	}
	ret_address[0] = '\0';
	return false;
}
