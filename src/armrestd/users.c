/*
 * Sessions of users (users.h). Input: a token or a uid. Output: a connection that acts for that user. A token
 * is kept as a digest; only the connection has its text. One mutex guards the table; the work with the
 * controller is done outside of it.
 */
#include "armrestd/users.h"

#include "armrestd/rest.h"
#include "util/clock.h"
#include "util/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sodium.h>
#include <string.h>
#include <uthash.h>

enum { KEY_SIZE = 32, SECOND_US = 1000000 };

struct rest_user {
	uint8_t key[KEY_SIZE]; /* digest of the token, or of the uid */
	struct connection *c;
	unsigned waiting; /* threads that use it, or wait for it */
	bool busy;
	pthread_cond_t given; /* wakes one of them: hundreds may wait */
	double tokens;        /* requests that it may make at once */
	int64_t at_us;        /* when tokens was right */
	int64_t used_us;
	unsigned streams;
	UT_hash_handle hh;
};

struct users {
	struct rest *rest;
	pthread_mutex_t mutex;
	struct rest_user *table;
	unsigned streams;
};

struct users *users_new(struct rest *rest)
{
	struct users *u = xcalloc(1, sizeof(*u));

	u->rest = rest;
	pthread_mutex_init(&u->mutex, NULL);
	return u;
}

static void drop(struct users *u, struct rest_user *user)
{
	HASH_DEL(u->table, user);
	connection_free(user->c);
	pthread_cond_destroy(&user->given);
	free(user);
}

void users_free(struct users *u)
{
	if (!u)
		return;
	while (u->table)
		drop(u, u->table);
	pthread_mutex_destroy(&u->mutex);
	free(u);
}

static void key_of(const struct rest_caller *who, uint8_t ret_key[KEY_SIZE])
{
	if (who->token)
		crypto_generichash(ret_key, KEY_SIZE, (const uint8_t *)who->token,
				   strlen(who->token), NULL, 0);
	else
		crypto_generichash(ret_key, KEY_SIZE, (const uint8_t *)&who->uid, sizeof(who->uid),
				   NULL, 0);
}

static struct connection *act(struct users *u, const struct rest_caller *who)
{
	struct connection *c = connection_like(u->rest->own);

	if (who->token)
		connection_use_token(c, who->token);
	else
		connection_vouch(c, who->uid);
	return c;
}

/* Closes the session that has not been used for the longest time. False: all are in use. */
static bool make_room(struct users *u)
{
	struct rest_user *x, *next, *oldest = NULL;

	HASH_ITER (hh, u->table, x, next)
		if (!x->waiting && !x->streams && (!oldest || x->used_us < oldest->used_us))
			oldest = x;
	if (oldest)
		drop(u, oldest);
	return oldest != NULL;
}

/* NULL: there are too many users at once. */
static struct rest_user *obtain(struct users *u, const struct rest_caller *who)
{
	uint8_t key[KEY_SIZE];
	struct rest_user *x;

	key_of(who, key);
	HASH_FIND(hh, u->table, key, KEY_SIZE, x);
	if (x)
		return x;
	if (HASH_COUNT(u->table) >= (unsigned)u->rest->conf->rest.sessions && !make_room(u))
		return NULL;
	x = xcalloc(1, sizeof(*x));
	memcpy(x->key, key, KEY_SIZE);
	x->c = act(u, who);
	pthread_cond_init(&x->given, NULL);
	x->tokens = (double)u->rest->conf->rest.burst;
	x->at_us = clock_us(CLOCK_MONOTONIC);
	HASH_ADD(hh, u->table, key, KEY_SIZE, x);
	return x;
}

/* True if the user may make one more request now. */
static bool spend(struct users *u, struct rest_user *x)
{
	double rate = (double)u->rest->conf->rest.rate, most = (double)u->rest->conf->rest.burst;
	int64_t now_us = clock_us(CLOCK_MONOTONIC);

	x->tokens += rate * (double)(now_us - x->at_us) / SECOND_US;
	x->tokens = x->tokens > most ? most : x->tokens;
	x->at_us = x->used_us = now_us;
	if (x->tokens < 1)
		return false;
	x->tokens -= 1;
	return true;
}

/* Waits until no other thread uses the session. */
static int reserve(struct users *u, const struct rest_caller *who, struct rest_user **ret_user,
		   unsigned *ret_wait_s, struct err *err)
{
	struct rest_user *x;
	int rc = 0;

	pthread_mutex_lock(&u->mutex);
	x = obtain(u, who);
	if (!x)
		rc = err_set(
			err, -EAGAIN,
			"the gateway serves as many users as it may (rest.sessions): try again");
	else if (!spend(u, x))
		rc = err_set(err, -EAGAIN,
			     "too many requests: at most %" PRId64 " a second (rest.rate)",
			     u->rest->conf->rest.rate);
	*ret_wait_s = rc < 0 && x ? 1 : 0;
	if (rc == 0) {
		x->waiting++;
		while (x->busy)
			pthread_cond_wait(&x->given, &u->mutex);
		x->busy = true;
	}
	pthread_mutex_unlock(&u->mutex);
	*ret_user = x;
	return rc;
}

/* refused: the controller does not accept the user, whose place is free for others then. */
static void give(struct users *u, struct rest_user *user, bool refused)
{
	pthread_mutex_lock(&u->mutex);
	user->busy = false;
	user->waiting--;
	pthread_cond_signal(&user->given);
	if (refused && !user->waiting && !user->streams)
		drop(u, user);
	pthread_mutex_unlock(&u->mutex);
}

int users_take(struct users *u, const struct rest_caller *who, struct rest_user **ret_user,
	       unsigned *ret_wait_s, struct err *err)
{
	int rc = reserve(u, who, ret_user, ret_wait_s, err);

	if (rc < 0)
		return rc;
	rc = connection_open((*ret_user)->c, err);
	if (rc == 0)
		return 0;
	give(u, *ret_user, rc == -EPERM);
	/* a token that is not valid; or a user for whom the gateway may not vouch */
	return rc == -EPERM && who->token ? -EACCES : rc;
}

void users_give(struct users *u, struct rest_user *user)
{
	give(u, user, false);
}

struct connection *users_connection(struct rest_user *user)
{
	return user->c;
}

int users_stream(struct users *u, const struct rest_caller *who, struct connection **ret_c,
		 struct err *err)
{
	const struct conf *conf = u->rest->conf;
	struct rest_user *x;
	bool room;

	pthread_mutex_lock(&u->mutex);
	x = obtain(u, who);
	room = x && u->streams < (unsigned)conf->rest.streams &&
	       x->streams < (unsigned)conf->rest.streams_per_user;
	if (room) {
		u->streams++;
		x->streams++;
	}
	pthread_mutex_unlock(&u->mutex);
	if (!room)
		return err_set(err, -EAGAIN,
			       "too many streams are open: at most %" PRId64 " for each user "
			       "(rest.streams_per_user), %" PRId64 " for all (rest.streams)",
			       conf->rest.streams_per_user, conf->rest.streams);
	*ret_c = act(u, who);
	return 0;
}

void users_stream_end(struct users *u, const struct rest_caller *who, struct connection *c)
{
	uint8_t key[KEY_SIZE];
	struct rest_user *x;

	key_of(who, key);
	connection_free(c);
	pthread_mutex_lock(&u->mutex);
	HASH_FIND(hh, u->table, key, KEY_SIZE, x);
	u->streams--;
	if (x)
		x->streams--;
	pthread_mutex_unlock(&u->mutex);
}
