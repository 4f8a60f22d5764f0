#include "client/submit.h"

#include "util/units.h"

#include <assert.h>
#include <errno.h>
#include <sodium.h>
#include <string.h>

/* The blobs of one request. */
struct blobs {
	ProtobufCBinaryData *list;
	size_t count;
};

struct submit_key submit_key_make(const char *name)
{
	struct submit_key key = {.name = name ? name : ""};

	if (name)
		crypto_generichash(key.bytes, sizeof(key.bytes), (const uint8_t *)name,
				   strlen(name), NULL, 0);
	else
		randombytes_buf(key.bytes, sizeof(key.bytes));
	return key;
}

/* Adds a blob unless an equal one exists. Returns 1 + its index, as in JobSpec; 0 for none. */
static uint64_t add_blob(struct blobs *b, const uint8_t *data, size_t len)
{
	if (!data)
		return 0;
	for (size_t i = b->count; i-- > 0;) {
		if (b->list[i].len == len && !memcmp(b->list[i].data, data, len))
			return i + 1;
	}
	b->list[b->count++] = (ProtobufCBinaryData){.len = len, .data = (uint8_t *)data};
	return b->count;
}

static int check_size(const Armada__SubmitRequest *r, struct err *err)
{
	const struct msg_info *info = msg_find(MSG_SUBMIT);
	size_t len = armada__submit_request__get_packed_size(r);
	char is[32], may[32];

	if (len <= info->body_max)
		return 0;
	format_size((int64_t)len, is, sizeof(is));
	format_size((int64_t)info->body_max, may, sizeof(may));
	return err_set(err, -E2BIG,
		       "scripts, environment and arguments have %s; one request may have %s", is,
		       may);
}

/* The highest possible number of blobs. */
static size_t count_blobs(struct spec *const *specs, size_t count)
{
	size_t n = 1;

	for (size_t i = 0; i < count; i++)
		n += 2 + specs[i]->part_count;
	return n;
}

/* Puts the finished specs into a request, which borrows them. What it adds is in scratch. */
static int make_request(struct spec *const *specs, size_t count, const struct submit_key *key,
			struct arena *scratch, Armada__SubmitRequest *request, struct err *err)
{
	struct blobs blobs = {
		.list = arena_zalloc(scratch, count_blobs(specs, count), sizeof(*blobs.list))};

	request->jobs = arena_zalloc(scratch, count, sizeof(*request->jobs));
	for (size_t i = 0; i < count; i++) {
		assert(specs[i]->finished);
		specs[i]->job.script_blob =
			add_blob(&blobs, specs[i]->script, specs[i]->script_len);
		for (size_t k = 0; k < specs[i]->part_count; k++)
			specs[i]->parts[k]->group.script_blob = add_blob(
				&blobs, specs[i]->parts[k]->script, specs[i]->parts[k]->script_len);
		specs[i]->job.env_blob = add_blob(&blobs, specs[i]->env, specs[i]->env_len);
		request->jobs[i] = &specs[i]->job;
	}
	request->n_jobs = count;
	request->blobs = blobs.list;
	request->n_blobs = blobs.count;
	request->key.data = (uint8_t *)key->bytes;
	request->key.len = sizeof(key->bytes);
	request->key_name = (char *)key->name;
	return check_size(request, err);
}

int submit(struct connection *c, struct spec *const *specs, size_t count,
	   const struct submit_key *key, bool test_only, struct arena *arena,
	   const Armada__SubmitReply **ret_reply, struct err *err)
{
	CLEANUP_ARENA struct arena *scratch = arena_new(0);
	Armada__SubmitRequest request = ARMADA__SUBMIT_REQUEST__INIT;
	int rc;

	request.test_only = test_only;
	rc = make_request(specs, count, key, scratch, &request, err);
	if (rc < 0)
		return rc;
	return connection_ask(c, MSG_SUBMIT, &request, MSG_SUBMIT_REPLY, arena, 0, ret_reply, err);
}

int submit_send(struct connection *c, uint32_t number, struct spec *const *specs, size_t count,
		const struct submit_key *key, struct err *err)
{
	CLEANUP_ARENA struct arena *scratch = arena_new(0);
	Armada__SubmitRequest request = ARMADA__SUBMIT_REQUEST__INIT;
	int rc = make_request(specs, count, key, scratch, &request, err);

	return rc < 0 ? rc : connection_send(c, MSG_SUBMIT, number, &request, err);
}
