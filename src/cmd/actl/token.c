/*
 * actl token: makes, lists and revokes tokens.
 *
 * The secret of a token is made here and is never printed by itself. The token is the last line of the
 * output of create; nothing else shows it again.
 */
#include "cmd/actl/token.h"

#include "cmd/common/command.h"
#include "util/mem.h"
#include "util/plural.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <string.h>

#define ROW(row) ((const Armada__TokenRow *)(row))

enum { VERBS_MAX = 32, SECRET = 32, REVOKED_MAX = 1000 };

struct token {
	struct listing_request listing; /* the first member, which listing_options sets */
	const char *verbs, *queue, *label;
	int64_t lifetime_s;
	bool all;
	const char *const *args; /* after create, list or revoke */
	size_t count;
	struct connection *c;
	struct arena *arena;
};

static const struct opt rows[] = {
	{"verbs", NULL, 0, "VERBS", OPT_WORD(struct token, verbs),
	 "What the token may do of that which you may: watch, script, submit, cancel, update, preempt, "
	 "step, queue, admin, separated by commas (default: all except admin)"},
	{"queue", "partition", 'q', "QUEUE", OPT_WORD(struct token, queue),
	 "Submit to this queue only, and change jobs of this queue only"},
	{"expires", NULL, 0, "TIME",
	 OPT_DURATION(struct token, lifetime_s, 1000000, 1000000, "must be at least a second"),
	 "How long the token is valid, at most 366 days (default: 30 days)"},
	{"label", NULL, 0, "TEXT", OPT_WORD(struct token, label),
	 "A text to recognize the token by"},
	{"all", NULL, 0, NULL, OPT_FLAG(struct token, all),
	 "List the tokens of all users, for administrators"},
};

const struct opt_table actl_token_options = {"token", rows, ARRAY_SIZE(rows)};

static const struct opt_table *const tables[] = {&actl_token_options, &listing_options,
						 &command_options, NULL};

static void verbs_text(const void *row, struct buf *out)
{
	for (size_t i = 0; i < ROW(row)->n_verbs; i++)
		buf_addf(out, "%s%s", i ? "," : "", ROW(row)->verbs[i]);
}

static json_t *verbs_json(const void *row)
{
	return column_strings_json((const char *const *)ROW(row)->verbs, ROW(row)->n_verbs);
}

static void queue_text(const void *row, struct buf *out)
{
	buf_addstr(out, ROW(row)->queue[0] ? ROW(row)->queue : "(all)");
}

static json_t *queue_json(const void *row)
{
	return ROW(row)->queue[0] ? json_string(ROW(row)->queue) : json_null();
}

/* clang-format off */
static const struct column columns[] = {
	{"number", "TOKEN", 0, true, false, CELL_INT(Armada__TokenRow, number), NULL, "Number, for token revoke"},
	{"user", "USER", 0, false, false, CELL_TEXT(Armada__TokenRow, user), NULL, "The user whom the token acts for"},
	{"verbs", "VERBS", 0, false, true, CELL(verbs_text, verbs_json), NULL, "What it may do of that which the user may"},
	{"queue", "QUEUE", 0, false, false, CELL(queue_text, queue_json), NULL, "The only queue; (all), null in JSON: all queues"},
	{"created", "CREATED", 0, false, false, CELL_QUANTITY(Armada__TokenRow, created_us, format_time), NULL, "When it was made"},
	{"expires", "EXPIRES", 0, false, false, CELL_QUANTITY(Armada__TokenRow, expires_us, format_time), NULL, "Until when it is valid"},
	{"label", "LABEL", 0, false, true, CELL_TEXT(Armada__TokenRow, label), NULL, "The text of --label"},
};
/* clang-format on */

const struct listing token_listing =
	LISTING("tokens", "number,user,verbs,queue,created,expires,label?", columns);

/* "watch,submit" as words in the arena. */
static size_t split(struct token *t, char **ret_words)
{
	char *text = t->verbs ? arena_strdup(t->arena, t->verbs) : NULL, *rest = NULL, *word;
	size_t n = 0;

	for (word = text ? strtok_r(text, ",", &rest) : NULL; word && n < VERBS_MAX;
	     word = strtok_r(NULL, ",", &rest))
		ret_words[n++] = word;
	return n;
}

static void print_token(const struct token *t, const Armada__CreateTokenReply *r)
{
	CLEANUP_BUF struct buf text = {0};
	char until[32];
	json_t *root;

	if (t->listing.json) {
		root = listing_json_new();
		json_object_set_new(root, "tokens",
				    listing_json(&token_listing, (const void *const *)&r->row, 1));
		json_object_set_new(root, "token", json_string(r->token));
		listing_json_print(root, stdout);
		return;
	}
	verbs_text(r->row, &text);
	format_time(r->row->expires_us, until, sizeof(until));
	printf("Token %" PRIu64 " of %s may %s in %s%s until %s. It is not shown again:\n%s\n",
	       r->row->number, r->row->user, (char *)text.data,
	       r->row->queue[0] ? "queue " : "all queues", r->row->queue, until, r->token);
}

static int create(struct token *t, struct err *err)
{
	Armada__CreateTokenRequest q = ARMADA__CREATE_TOKEN_REQUEST__INIT;
	const Armada__CreateTokenReply *r;
	char *words[VERBS_MAX];
	uint8_t secret[SECRET];
	int rc;

	if (t->count)
		return err_set(err, -EINVAL, "usage: actl token create [option...]");
	q.verbs = words;
	q.n_verbs = split(t, words);
	if (t->verbs && !q.n_verbs)
		return err_set(err, -EINVAL, "--verbs: must name at least one verb");
	q.queue = (char *)(uintptr_t)(t->queue ? t->queue : "");
	q.label = (char *)(uintptr_t)(t->label ? t->label : "");
	q.lifetime_s = t->lifetime_s;
	randombytes_buf(secret, sizeof(secret));
	q.secret = (ProtobufCBinaryData){sizeof(secret), secret};
	rc = connection_ask(t->c, MSG_CREATE_TOKEN, &q, MSG_CREATE_TOKEN_REPLY, t->arena, 0, &r,
			    err);
	sodium_memzero(secret, sizeof(secret));
	if (rc == 0)
		print_token(t, r);
	return rc;
}

static int list(struct token *t, struct err *err)
{
	Armada__ListTokensRequest q = ARMADA__LIST_TOKENS_REQUEST__INIT;
	const Armada__ListTokensReply *r;
	int rc;

	if (t->count)
		return err_set(err, -EINVAL, "usage: actl token list [--all]");
	q.all = t->all;
	rc = connection_ask(t->c, MSG_LIST_TOKENS, &q, MSG_LIST_TOKENS_REPLY, t->arena, 0, &r, err);
	if (rc < 0)
		return rc;
	return listing_print(&token_listing, &t->listing, (const void *const *)r->rows, r->n_rows,
			     stdout, err);
}

static int revoke(struct token *t, struct err *err)
{
	Armada__RevokeTokensRequest q = ARMADA__REVOKE_TOKENS_REQUEST__INIT;
	const Armada__OkReply *r;
	int64_t number;
	int rc = 0;

	if (!t->count || t->count > REVOKED_MAX)
		return err_set(err, -EINVAL, "usage: actl token revoke NUMBER...");
	q.numbers = arena_alloc(t->arena, t->count * sizeof(*q.numbers));
	for (size_t i = 0; rc == 0 && i < t->count; i++) {
		rc = parse_int(t->args[i], 1, INT64_MAX, &number, err);
		if (rc < 0)
			return err_prefix(err, -EINVAL, "%s: the number of a token", t->args[i]);
		q.numbers[q.n_numbers++] = (uint64_t)number;
	}
	rc = connection_ask(t->c, MSG_REVOKE_TOKENS, &q, MSG_OK, t->arena, 0, &r, err);
	if (rc == 0)
		printf("%s\n", r->text);
	return rc;
}

static const struct {
	const char *word;
	int (*run)(struct token *t, struct err *err);
	bool makes, lists;
} verbs[] = {
	{"create", create, true, false},
	{"list", list, false, true},
	{"revoke", revoke, false, false},
};

int actl_token(int argc, char **argv, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	CLEANUP_FREE const char **operands = NULL;
	struct token t = {.arena = arena};
	size_t count = 0, i = 0;
	int rc = opt_parse(tables, argc, argv, &t, &operands, &count, err);

	if (rc != 0)
		return rc;
	while (i < ARRAY_SIZE(verbs) && (!count || strcmp(operands[0], verbs[i].word) != 0))
		i++;
	if (i == ARRAY_SIZE(verbs))
		return err_set(err, -EINVAL, "usage: actl token create|list|revoke");
	if (!verbs[i].makes && (t.verbs || t.queue || t.lifetime_s || t.label))
		return err_set(
			err, -EINVAL,
			"--verbs, --queue, --expires and --label are for: actl token create");
	if (!verbs[i].lists && (t.all || t.listing.noheader || t.listing.format))
		return err_set(err, -EINVAL,
			       "--all, --noheader and --format are for: actl token list");
	t.args = operands + 1;
	t.count = count - 1;
	rc = listing_check(&token_listing, &t.listing, err);
	if (rc == 0)
		rc = connection_new(&t.c, NULL, err);
	if (rc == 0)
		rc = verbs[i].run(&t, err);
	connection_free(t.c);
	return rc;
}
