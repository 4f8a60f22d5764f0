/*
 * The state machine of PMI-1 (machine.h).
 *
 * A request is a line "cmd=NAME key=value ...". The table `after` has the next state for each state and
 * command; a command that it allows has a function that writes the reply. MPI_Comm_spawn sends several
 * lines, from "mcmd=spawn" to "endcmd", for each of its programs; it gets one reply, a refusal.
 *
 * Caveat: a put is visible for the own rank at once, and for the others after their next fence. If
 * several ranks put one key, the highest rank wins.
 */
#include "machine.h"

#include "kvs.h"
#include "mapping.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 16 };

struct pmi1 {
	enum pmi1_state state;
	uint32_t size;
	char name[KVS_NAME_MAX];
	struct kvs kvs;
	struct text in, out, puts;
	size_t at;          /* in `in`: the next line */
	bool spawning;      /* inside of a request of several lines */
	long spawns, spawn; /* how many programs the request has, and which one this is */
	int code;
	char reason[160];
	struct field {
		const char *name, *value;
	} fields[FIELDS_MAX]; /* of the present line */
	size_t field_count;
};

/* clang-format off */
/* The state after a command. A command that has no entry ends the step: PMI1_OVER is 0. */
static const enum pmi1_state after[PMI1_STATES][PMI1_COMMAND_COUNT] = {
	[PMI1_NEW] = {[PMI1_INIT] = PMI1_READY},
	[PMI1_READY] = {
		[PMI1_MAXES]	 = PMI1_READY,
		[PMI1_APPNUM]	 = PMI1_READY,
		[PMI1_KVSNAME]	 = PMI1_READY,
		[PMI1_UNIVERSE]	 = PMI1_READY,
		[PMI1_PUT]	 = PMI1_READY,
		[PMI1_GET]	 = PMI1_READY,
		[PMI1_PUBLISH]	 = PMI1_READY,
		[PMI1_UNPUBLISH] = PMI1_READY,
		[PMI1_LOOKUP]	 = PMI1_READY,
		[PMI1_SPAWN]	 = PMI1_READY,
		[PMI1_BARRIER]	 = PMI1_FENCING,
		[PMI1_FINALIZE]	 = PMI1_FINAL,
	},
	/* a shell may run several MPI programs, one after the other */
	[PMI1_FINAL] = {[PMI1_INIT] = PMI1_READY},
};
/* clang-format on */

static const char *const states[PMI1_STATES] = {
	[PMI1_NEW] = " before init",          [PMI1_READY] = " after init",
	[PMI1_FENCING] = " during a barrier", [PMI1_FINAL] = " after finalize",
	[PMI1_OVER] = " after its end",
};

static const char *const words[PMI1_COMMAND_COUNT] = {
#define X(NAME, word) [PMI1_##NAME] = word,
	PMI1_COMMANDS(X)
#undef X
};

enum pmi1_state pmi1_after(enum pmi1_state state, enum pmi1_command command)
{
	return after[state][command];
}

struct pmi1 *pmi1_new(const struct armada_mpi_rank *rank)
{
	struct pmi1 *p = calloc(1, sizeof(*p));
	char mapping[KVS_VALUE_MAX];

	if (!p)
		abort();
	p->state = PMI1_NEW;
	p->size = rank->size;
	snprintf(p->name, sizeof(p->name), "%s", rank->step);
	if (mapping_text(rank->blocks, rank->block_count, mapping, sizeof(mapping)))
		kvs_put(&p->kvs, "PMI_process_mapping", mapping);
	return p;
}

void pmi1_free(struct pmi1 *p)
{
	if (!p)
		return;
	kvs_done(&p->kvs);
	text_done(&p->in);
	text_done(&p->out);
	text_done(&p->puts);
	free(p);
}

enum pmi1_state pmi1_state(const struct pmi1 *p)
{
	return p->state;
}

static const char *field(const struct pmi1 *p, const char *name)
{
	for (size_t i = 0; i < p->field_count; i++)
		if (strcmp(p->fields[i].name, name) == 0)
			return p->fields[i].value;
	return "";
}

/* The end of the protocol. The reason may quote the client, so it is cut and made printable. */
static enum pmi1_effect end(struct pmi1 *p, int code, const char *what, const char *quoted,
			    const char *rest)
{
	int n = snprintf(p->reason, sizeof(p->reason), "%s%.40s%s", what, quoted, rest);

	(void)n;
	for (char *c = p->reason; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	p->code = code;
	p->state = PMI1_OVER;
	return PMI1_END;
}

static void reply_init(struct pmi1 *p)
{
	/* the version is the server's; a client that speaks another one ends with its own message */
	text_addf(&p->out, "cmd=response_to_init pmi_version=%d pmi_subversion=%d rc=0\n",
		  PMI1_VERSION, PMI1_SUBVERSION);
}

static void reply_maxes(struct pmi1 *p)
{
	text_addf(&p->out, "cmd=maxes kvsname_max=%d keylen_max=%d vallen_max=%d\n", KVS_NAME_MAX,
		  KVS_KEY_MAX, KVS_VALUE_MAX);
}

static void reply_appnum(struct pmi1 *p)
{
	text_addf(&p->out, "cmd=appnum appnum=0\n");
}

static void reply_kvsname(struct pmi1 *p)
{
	text_addf(&p->out, "cmd=my_kvsname kvsname=%s\n", p->name);
}

static void reply_universe(struct pmi1 *p)
{
	text_addf(&p->out, "cmd=universe_size size=%" PRIu32 "\n", p->size);
}

static void reply_put(struct pmi1 *p)
{
	const char *key = field(p, "key"), *value = field(p, "value"), *error = NULL;
	size_t len = strlen(key) + strlen(value) + 2;

	if (strcmp(field(p, "kvsname"), p->name) != 0)
		error = "unknown_kvsname";
	else if (len > ARMADA_MPI_FENCE_MAX - p->puts.len || !kvs_put(&p->kvs, key, value))
		error = "key_or_value_too_long";
	if (error) {
		text_addf(&p->out, "cmd=put_result rc=-1 msg=%s\n", error);
		return;
	}
	text_add(&p->puts, key, strlen(key) + 1);
	text_add(&p->puts, value, strlen(value) + 1);
	text_addf(&p->out, "cmd=put_result rc=0 msg=success\n");
}

static void reply_get(struct pmi1 *p)
{
	const char *key = field(p, "key"), *value = NULL;

	if (strcmp(field(p, "kvsname"), p->name) == 0)
		value = kvs_get(&p->kvs, key);
	if (value)
		text_addf(&p->out, "cmd=get_result rc=0 msg=success value=%s\n", value);
	else
		text_addf(&p->out, "cmd=get_result rc=-1 msg=key_%.*s_not_found value=unknown\n",
			  KVS_KEY_MAX, key);
}

static void reply_publish(struct pmi1 *p)
{
	text_addf(&p->out, "cmd=publish_result rc=-1 info=not_supported msg=not_supported\n");
}

static void reply_unpublish(struct pmi1 *p)
{
	text_addf(&p->out, "cmd=unpublish_result rc=-1 info=not_supported msg=not_supported\n");
}

static void reply_lookup(struct pmi1 *p)
{
	text_addf(&p->out, "cmd=lookup_result rc=-1 info=not_supported msg=not_supported\n");
}

static void reply_finalize(struct pmi1 *p)
{
	text_addf(&p->out, "cmd=finalize_ack rc=0\n");
}

/* NULL: the reply comes later, or never. */
static void (*const replies[PMI1_COMMAND_COUNT])(struct pmi1 *) = {
	[PMI1_INIT] = reply_init,
	[PMI1_MAXES] = reply_maxes,
	[PMI1_APPNUM] = reply_appnum,
	[PMI1_KVSNAME] = reply_kvsname,
	[PMI1_UNIVERSE] = reply_universe,
	[PMI1_PUT] = reply_put,
	[PMI1_GET] = reply_get,
	[PMI1_PUBLISH] = reply_publish,
	[PMI1_UNPUBLISH] = reply_unpublish,
	[PMI1_LOOKUP] = reply_lookup,
	[PMI1_FINALIZE] = reply_finalize,
};

static enum pmi1_effect aborted(struct pmi1 *p)
{
	long code = strtol(field(p, "exitcode"), NULL, 10);
	char text[32];

	code &= 0xff;
	snprintf(text, sizeof(text), "%ld", code);
	return end(p, code ? (int)code : 1, "called MPI_Abort with code ", text, "");
}

static enum pmi1_effect command(struct pmi1 *p, enum pmi1_command c)
{
	enum pmi1_state next = pmi1_after(p->state, c);

	if (c == PMI1_ABORT)
		return aborted(p);
	if (next == PMI1_OVER)
		return end(p, 1, "broke the protocol PMI-1: request ", words[c], states[p->state]);
	if (replies[c])
		replies[c](p);
	p->state = next;
	p->spawning = c == PMI1_SPAWN;
	p->spawns = p->spawn = 1;
	return c == PMI1_BARRIER ? PMI1_FENCE : PMI1_NONE;
}

/* Splits a line into its fields; false if a word is not NAME=value or there are too many. */
static bool split(struct pmi1 *p, char *line)
{
	char *save = NULL;

	p->field_count = 0;
	for (char *w = strtok_r(line, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(w, '=');

		if (!equals || p->field_count == FIELDS_MAX)
			return false;
		*equals = '\0';
		p->fields[p->field_count++] = (struct field){w, equals + 1};
	}
	return p->field_count > 0;
}

/* A line inside of a request to spawn; the last one of the last program gets the reply. */
static enum pmi1_effect spawn_line(struct pmi1 *p, const char *line)
{
	if (strncmp(line, "totspawns=", 10) == 0)
		p->spawns = strtol(line + 10, NULL, 10);
	else if (strncmp(line, "spawnssofar=", 12) == 0)
		p->spawn = strtol(line + 12, NULL, 10);
	if (strcmp(line, "endcmd") != 0)
		return PMI1_NONE;
	p->spawning = false;
	if (p->spawn >= p->spawns)
		text_addf(&p->out, "cmd=spawn_result rc=-1 msg=arun_starts_no_more_ranks\n");
	return PMI1_NONE;
}

static enum pmi1_effect handle_line(struct pmi1 *p, char *line)
{
	bool several = strncmp(line, "mcmd=", 5) == 0;
	const char *name;

	if (p->spawning)
		return spawn_line(p, line);
	if (!split(p, line))
		return end(p, 1, "broke the protocol PMI-1: its line '", line, "' is no request");
	name = field(p, several ? "mcmd" : "cmd");
	for (int c = 0; c < PMI1_COMMAND_COUNT; c++)
		if (strcmp(words[c], name) == 0 && several == (c == PMI1_SPAWN))
			return command(p, (enum pmi1_command)c);
	return end(p, 1, "broke the protocol PMI-1: its request '", name, "' is unknown");
}

void pmi1_feed(struct pmi1 *p, const char *data, size_t len)
{
	text_drop(&p->in, p->at);
	p->at = 0;
	if (p->state != PMI1_OVER)
		text_add(&p->in, data, len);
}

bool pmi1_wants(const struct pmi1 *p)
{
	return p->out.len < PMI1_OUT_MAX;
}

enum pmi1_effect pmi1_step(struct pmi1 *p)
{
	enum pmi1_effect effect = PMI1_NONE;

	while (effect == PMI1_NONE && p->state != PMI1_OVER && pmi1_wants(p)) {
		char *line = p->in.data + p->at, *newline;
		size_t left = p->in.len - p->at;

		newline = left ? memchr(line, '\n', left) : NULL;
		if (!newline && left < PMI1_LINE_MAX)
			return PMI1_NONE;
		if (!newline || newline - line >= PMI1_LINE_MAX)
			return end(p, 1, "broke the protocol PMI-1: a line is too long", "", "");
		*newline = '\0';
		p->at += (size_t)(newline - line) + 1;
		effect = strlen(line) == (size_t)(newline - line)
				 ? handle_line(p, line)
				 : end(p, 1, "broke the protocol PMI-1: a line has a NUL", "", "");
	}
	return effect;
}

/* Takes one text with its NUL, shorter than max; NULL if there is none. */
static const char *take(const char **data, size_t *len, size_t max)
{
	const char *text = *data, *nul = *len ? memchr(text, '\0', *len) : NULL;

	if (!nul || (size_t)(nul - text) >= max)
		return NULL;
	*len -= (size_t)(nul - text) + 1;
	*data = nul + 1;
	return text;
}

enum pmi1_effect pmi1_fenced(struct pmi1 *p, const char *data, size_t len)
{
	if (p->state != PMI1_FENCING)
		return PMI1_NONE;
	p->puts.len = 0;
	while (len) {
		const char *key = take(&data, &len, KVS_KEY_MAX);
		const char *value = key ? take(&data, &len, KVS_VALUE_MAX) : NULL;

		if (!value || !kvs_put(&p->kvs, key, value))
			return end(p, 1, "got keys from the other ranks that it cannot keep", "",
				   "");
	}
	p->state = PMI1_READY;
	text_addf(&p->out, "cmd=barrier_out rc=0\n");
	return PMI1_NONE;
}

const char *pmi1_out(const struct pmi1 *p, size_t *ret_len)
{
	*ret_len = p->out.len;
	return p->out.data;
}

void pmi1_sent(struct pmi1 *p, size_t n)
{
	text_drop(&p->out, n);
}

const char *pmi1_fence_data(const struct pmi1 *p, size_t *ret_len)
{
	*ret_len = p->puts.len;
	return p->puts.data;
}

int pmi1_code(const struct pmi1 *p)
{
	return p->code;
}

const char *pmi1_reason(const struct pmi1 *p)
{
	return p->reason;
}
