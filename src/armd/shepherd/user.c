/*
 * Checks that the task's user on this machine is the user that the controller signed. Input: user
 * name, uid, group and groups of the signed body; the account on this machine. Output: 0, with the
 * groups of the body reduced to those that both sides know; or an error with why and cause
 * set.
 *
 * The lookup may take up to 30 s; a kill order ends the wait. Recent lookups come from a cache of
 * the launcher, but only if they agree: a disagreement is looked up again.
 */
#include "armd/shepherd/user.h"

#include "armd/shepherd/cancel.h"
#include "armd/shepherd/control.h"
#include "armd/shepherd/log.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { PATIENCE_US = 30000000, LOGGED_GROUPS = 8 };

/* Wait for the lookup; the task may be killed meanwhile. */
static int wait_for(struct shepherd *s, struct account_lookup *lookup, struct account *ret)
{
	int64_t patience_us = s->task->account_us ? s->task->account_us : PATIENCE_US;
	int64_t until_us = clock_us(CLOCK_BOOTTIME) + patience_us;
	int rc;

	while ((rc = account_end(lookup, s->arena, ret)) == ACCOUNT_PENDING) {
		struct pollfd fds[] = {{.fd = lookup->fd, .events = POLLIN},
				       {.fd = s->task->control_fd, .events = POLLIN}};
		int64_t left_ms = (until_us - clock_us(CLOCK_BOOTTIME) + 999) / 1000;

		if (left_ms <= 0)
			rc = err_set(&s->why, -ETIMEDOUT,
				     "looking up user %s on %s took longer than %s", s->body->user,
				     s->task->node_name, duration_words(patience_us).text);
		else if (poll(fds, ARRAY_SIZE(fds), (int)left_ms) > 0 && fds[1].revents)
			rc = shepherd_cancelled(s, "while its user was looked up");
		if (left_ms <= 0 || rc < 0) {
			account_stop(lookup);
			return rc;
		}
	}
	return rc;
}

/* END_ACCOUNT: neither the job nor the node (for other users) is at fault. */
static int disagree(struct shepherd *s, int rc)
{
	s->cause = ARMADA__END_CAUSE__END_ACCOUNT;
	return rc;
}

static bool agrees(const struct shepherd *s, const struct account *a)
{
	return a->uid == s->body->uid &&
	       (s->task->groups_of_controller || account_has(a, s->body->gid));
}

static int compare(struct shepherd *s, const struct account *a)
{
	const Armada__TaskBody *b = s->body;
	const char *here = s->task->node_name;

	if (agrees(s, a))
		return 0;
	if (a->uid != b->uid)
		return disagree(s, err_set(&s->why, -EPERM,
					   "%s is uid %u on %s and %u for the controller", b->user,
					   a->uid, here, b->uid));
	return disagree(s, err_set(&s->why, -EPERM,
				   "the controller gives group %u to %s, who is not a member of "
				   "it on %s and has group %u there",
				   b->gid, b->user, here, a->gid));
}

static const char *list_of(struct shepherd *s, const uint32_t *gids, size_t count)
{
	CLEANUP_BUF struct buf text = {0};

	for (size_t i = 0; i < count && i < LOGGED_GROUPS; i++)
		buf_addf(&text, "%s%u", i ? ", " : "", gids[i]);
	if (count > LOGGED_GROUPS)
		buf_addf(&text, " and %zu more", count - LOGGED_GROUPS);
	return arena_strdup(s->arena, (char *)text.data);
}

static size_t missing(const uint32_t *gids, size_t count, const struct account *from, uint32_t *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (!account_has(from, gids[i]))
			ret[n++] = gids[i];
	return n;
}

/* Reduce the groups to those that both sides know, and log the groups that are left out. */
static void keep_common(struct shepherd *s, const struct account *here)
{
	Armada__TaskBody *b = s->body;
	const struct account there = {.gids = b->gids, .gid_count = b->n_gids};
	uint32_t *only = arena_alloc(s->arena, (b->n_gids + here->gid_count + 1) * sizeof(*only));
	size_t n = missing(b->gids, b->n_gids, here, only);

	if (n)
		shepherd_log(s,
			     "tasks of %s run without groups that only the controller knows: "
			     "%s",
			     b->user, list_of(s, only, n));
	n = missing(here->gids, here->gid_count, &there, only);
	if (n)
		shepherd_log(s,
			     "tasks of %s run without groups that only this node knows: "
			     "%s",
			     b->user, list_of(s, only, n));
	b->n_gids = account_keep(here, b->gids, b->n_gids);
}

/*
 * Use the result of a recent lookup by another shepherd. A result that would end the task is looked
 * up again.
 */
static bool is_cached(const struct shepherd *s, struct account *ret)
{
	const struct cached_user *k = s->task->cached_user;

	if (!k || strcmp(k->user, s->body->user) != 0)
		return false;
	*ret = (struct account){.uid = k->uid, .gid = k->gid, .gid_count = k->gid_count};
	ret->gids = arena_memdup(s->arena, k->gids, sizeof(k->gids));
	return agrees(s, ret);
}

/* Send the result to the launcher for later shepherds. */
static void cache_user(struct shepherd *s, const struct account *a, int64_t asked_us)
{
	struct cached_user u;

	if (a->gid_count > USER_CACHE_GROUPS || strlen(s->body->user) >= sizeof(u.user))
		return;
	memset(&u, 0, sizeof(u));
	u.at_us = asked_us;
	u.uid = a->uid;
	u.gid = a->gid;
	u.gid_count = (uint32_t)a->gid_count;
	if (a->gid_count > 0)
		memcpy(u.gids, a->gids, a->gid_count * sizeof(*a->gids));
	snprintf(u.user, sizeof(u.user), "%s", s->body->user);
	control_cache_user(s->task->spool, &s->task->order.key, &u);
}

static int look_up(struct shepherd *s, struct account *ret)
{
	int64_t asked_us = clock_us(CLOCK_BOOTTIME);
	struct account_lookup lookup;
	int rc;

	rc = account_begin(s->body->user, s->task->find, &lookup, &s->why);
	if (rc < 0)
		return rc;
	rc = wait_for(s, &lookup, ret);
	if (rc == -ENOENT)
		return disagree(s, err_set(&s->why, rc, "user %s is unknown on %s", s->body->user,
					   s->task->node_name));
	if (rc < 0)
		return s->why.text[0] ? rc
				      : err_sys(&s->why, rc, "user %s cannot be looked up on %s",
						s->body->user, s->task->node_name);
	rc = compare(s, ret);
	if (rc == 0)
		cache_user(s, ret, asked_us);
	return rc;
}

int shepherd_user(struct shepherd *s)
{
	struct account here;
	int rc;

	if (!shepherd_privileged())
		return 0; /* the task runs as the user of armd */
	rc = is_cached(s, &here) ? 0 : look_up(s, &here);
	if (rc == 0 && !s->task->groups_of_controller)
		keep_common(s, &here);
	return rc;
}
