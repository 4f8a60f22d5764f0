#include "cmd/common/retry.h"
#include "util/plural.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>

/* What lasts less than three pauses, as the start of a job or of a controller may, gets no warning. */
enum { PAUSE_FIRST_MS = 100, PAUSE_WARNED_MS = 800, PAUSE_MAX_MS = 3000 };

struct attempts {
	const struct retry *retry;
	int64_t until_ms; /* of steady_ms() */
	int64_t pause_ms;
	bool warned, tried;
};

static int64_t min_ms(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static struct attempts begin(const struct retry *r)
{
	return (struct attempts){
		.retry = r,
		.until_ms = r->for_ms == INT64_MAX ? INT64_MAX : steady_ms() + r->for_ms,
		.pause_ms = PAUSE_FIRST_MS,
	};
}

/* Pauses and returns true if the request is to be sent again. One of the first retries prints a warning. */
static bool retry_after_pause(struct attempts *a, const struct err *why)
{
	bool warns = !a->warned && !a->retry->quiet && a->pause_ms >= PAUSE_WARNED_MS;
	int64_t left_ms = a->until_ms - steady_ms();

	if (left_ms <= 0)
		return false;
	a->tried = true;
	if (warns && a->until_ms == INT64_MAX)
		command_warn(a->retry->command, "%s; trying again", why->text);
	else if (warns)
		command_warn(a->retry->command, "%s; trying again for %s", why->text,
			     duration_words(left_ms * 1000).text);
	a->warned |= warns;
	sleep_ms(min_ms(a->pause_ms, left_ms));
	a->pause_ms = min_ms(a->pause_ms * 2, PAUSE_MAX_MS);
	return true;
}

int retry_ask(const struct retry *r, struct connection *c, enum msg_type type, const void *request,
	      enum msg_type want, struct arena *arena, int timeout_ms, void *ret_message,
	      struct err *err)
{
	struct attempts a = begin(r);
	int rc;

	do {
		rc = connection_ask(c, type, request, want, arena, timeout_ms, ret_message, err);
	} while (rc == -EAGAIN && retry_after_pause(&a, err));
	return rc;
}

int retry_submit(const struct retry *r, struct connection *c, struct spec *const *specs,
		 size_t count, bool test_only, struct arena *arena,
		 const Armada__SubmitReply **ret_reply, struct err *err)
{
	struct attempts a = begin(r);
	const struct submit_key key = submit_key_make(r->submit_key);
	int rc;

	do {
		rc = submit(c, specs, count, &key, test_only, arena, ret_reply, err);
	} while (rc == -EAGAIN && retry_after_pause(&a, err));
	if (rc == -EAGAIN && a.tried)
		return err_prefix(err, rc, "gave up after %s",
				  duration_words(r->for_ms * 1000).text);
	if (rc == 0 && !test_only && (*ret_reply)->n_ids != count)
		return err_set(err, -EBADE, "the controller answered with %zu ids for %zu %s",
			       (*ret_reply)->n_ids, count, plural(count, "job", "jobs"));
	return rc;
}
