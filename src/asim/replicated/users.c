/* Users (users.h). A user has one submission at a time; its key is the same in each repetition. */
#include "asim/replicated/users.h"
#include "asim/replicated/controller.h"

enum { USERS = 6, RETRY_US = SECOND, ACT_US = 200 * MS, ASK_ONE_IN = 3 };

struct users {
	struct user {
		uint64_t key; /* without an answer; 0: none */
		int guess;    /* the controller that it asks */
		int64_t sent_us;
	} list[USERS];
	uint64_t next_key;
};

static void receive(struct world *w, void *arg, uint64_t number)
{
	controller_receive(w, arg, number / 2, number % 2);
}

static void send(struct world *w, int to, uint64_t key, bool submits)
{
	world_plan(w, world_latency_us(w), receive, &w->controllers[to], key * 2 + submits);
}

static void ask(struct world *w, const struct user *u)
{
	uint64_t key = 1 + world_random(w, w->users->next_key);
	int to = world_random(w, 2) ? u->guess : (int)world_random(w, CONTROLLERS);

	if (w->truth->answered[key])
		send(w, to, key, false);
}

static void act(struct world *w, void *arg, uint64_t number)
{
	struct user *u = &w->users->list[number];

	if (!u->key && w->faults && w->users->next_key + 1 < KEYS_MAX) {
		u->key = ++w->users->next_key;
		u->sent_us = w->now_us;
		send(w, u->guess, u->key, true);
	} else if (u->key && w->now_us - u->sent_us > RETRY_US) {
		u->guess = (int)world_random(w, CONTROLLERS);
		u->sent_us = w->now_us;
		send(w, u->guess, u->key, true);
	}
	if (world_random(w, ASK_ONE_IN) == 0 && w->users->next_key)
		ask(w, u);
	world_plan(w, (int64_t)world_random(w, 2 * ACT_US), act, arg, number);
}

void users_answer(struct world *w, uint64_t key, uint64_t seq, bool submits)
{
	struct truth *t = w->truth;

	if (!seq) {
		world_violate(w,
			      "a controller does not know submission %" PRIu64
			      ", which was acknowledged",
			      key);
		return;
	}
	if (t->keys[seq] != key)
		world_violate(w,
			      "submission %" PRIu64 " is answered with record %" PRIu64
			      " of another",
			      key, seq);
	t->answered[key] = t->answered[key] || submits;
	for (int i = 0; submits && i < USERS; i++)
		if (w->users->list[i].key == key)
			w->users->list[i].key = 0;
}

bool users_done(const struct world *w)
{
	for (int i = 0; i < USERS; i++)
		if (w->users->list[i].key)
			return false;
	return true;
}

void users_init(struct world *w)
{
	w->users = arena_zalloc(w->run, 1, sizeof(*w->users));
	for (uint64_t i = 0; i < USERS; i++)
		world_plan(w, (int64_t)world_random(w, SECOND), act, NULL, i);
}
