/*
 * The state machine of mpi/pmi1 without descriptors: every pair of state and command, keys, bounds, broken
 * lines, and a step of several ranks whose data the test carries as arun does.
 */
#include "mpi/pmi1/kvs.h"
#include "mpi/pmi1/machine.h"
#include "mpi/pmi1/mapping.h"

#include "tap/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KVS "kvsname=armada-1 "

static const char *const words[PMI1_COMMAND_COUNT] = {
#define X(NAME, word) [PMI1_##NAME] = word,
	PMI1_COMMANDS(X)
#undef X
};

static struct pmi1 *start(uint32_t rank, uint32_t size)
{
	static const struct armada_mpi_block two = {0, 2, 2};
	const struct armada_mpi_rank r = {rank, size, "armada-1", &two, 1};

	return pmi1_new(&r);
}

static enum pmi1_effect say(struct pmi1 *p, const char *text)
{
	pmi1_feed(p, text, strlen(text));
	return pmi1_step(p);
}

/* Takes what the client would read. */
static const char *hear(struct pmi1 *p)
{
	static char text[8192];
	size_t len;
	const char *out = pmi1_out(p, &len);

	if (len >= sizeof(text))
		bail("a reply of %zu bytes", len);
	if (len)
		memcpy(text, out, len);
	text[len] = '\0';
	pmi1_sent(p, len);
	return text;
}

static struct pmi1 *in_state(enum pmi1_state state)
{
	struct pmi1 *p = start(0, 4);

	if (state == PMI1_OVER)
		say(p, "cmd=abort exitcode=1\n");
	else if (state != PMI1_NEW)
		say(p, "cmd=init pmi_version=1 pmi_subversion=1\n");
	if (state == PMI1_FENCING)
		say(p, "cmd=barrier_in\n");
	if (state == PMI1_FINAL)
		say(p, "cmd=finalize\n");
	hear(p);
	if (pmi1_state(p) != state)
		bail("state %d was not reached", state);
	return p;
}

/* What the protocol allows, said apart from the table of the machine. */
static enum pmi1_state want(enum pmi1_state s, int c)
{
	if (c == PMI1_ABORT || s == PMI1_OVER || s == PMI1_FENCING)
		return PMI1_OVER;
	if (c == PMI1_INIT)
		return s == PMI1_READY ? PMI1_OVER : PMI1_READY;
	if (s != PMI1_READY)
		return PMI1_OVER;
	return c == PMI1_BARRIER ? PMI1_FENCING : c == PMI1_FINALIZE ? PMI1_FINAL : PMI1_READY;
}

static void test_pairs(void)
{
	for (int s = 0; s < PMI1_STATES; s++) {
		for (int c = 0; c < PMI1_COMMAND_COUNT; c++) {
			struct pmi1 *p = in_state((enum pmi1_state)s);
			bool spawn = c == PMI1_SPAWN;
			enum pmi1_effect effect, expected = PMI1_NONE;
			enum pmi1_state next = want((enum pmi1_state)s, c);
			char line[256];

			snprintf(
				line, sizeof(line), "%scmd=%s%s%s", spawn ? "m" : "", words[c],
				spawn ? "\n" : " " KVS "key=k value=v exitcode=1\n",
				spawn ? "nprocs=1\nexecname=a\ntotspawns=1\nspawnssofar=1\nendcmd\n"
				      : "");
			if (s != PMI1_OVER && next == PMI1_OVER)
				expected = PMI1_END;
			else if (next == PMI1_FENCING && s != PMI1_OVER)
				expected = PMI1_FENCE;
			effect = say(p, line);
			ok(pmi1_state(p) == next && effect == expected,
			   "state %d, %s: state %d, effect %d", s, words[c], next, expected);
			is_int(pmi1_after((enum pmi1_state)s, (enum pmi1_command)c), next,
			       "the table agrees");
			ok((*hear(p) != '\0') == (next != PMI1_OVER && next != PMI1_FENCING),
			   "there is a reply if the command is allowed and complete");
			ok(effect != PMI1_END || *pmi1_reason(p), "an abort has a reason");
			pmi1_free(p);
		}
	}
}

static void test_replies(void)
{
	struct pmi1 *p = in_state(PMI1_NEW);

	say(p, "cmd=init pmi_version=1 pmi_subversion=1\n");
	is_str(hear(p), "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n", "init");
	say(p, "cmd=get_maxes\n");
	is_str(hear(p), "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n", "maxes");
	say(p, "cmd=get_appnum\ncmd=get_my_kvsname\ncmd=get_universe_size\n");
	is_str(hear(p),
	       "cmd=appnum appnum=0\ncmd=my_kvsname kvsname=armada-1\ncmd=universe_size size=4\n",
	       "three requests at once");
	say(p, "cmd=get " KVS "key=PMI_process_mapping\n");
	is_str(hear(p), "cmd=get_result rc=0 msg=success value=(vector,(0,2,2))\n", "the mapping");
	say(p, "cmd=put " KVS "key=a value=b=c\n");
	is_str(hear(p), "cmd=put_result rc=0 msg=success\n", "put");
	say(p, "cmd=get " KVS "key=a\n");
	is_str(hear(p), "cmd=get_result rc=0 msg=success value=b=c\n",
	       "the own key, before a fence");
	say(p, "cmd=get " KVS "key=x\n");
	is_str(hear(p), "cmd=get_result rc=-1 msg=key_x_not_found value=unknown\n", "no such key");
	say(p, "cmd=get kvsname=other key=a\n");
	has_str(hear(p), "rc=-1", "no such space");
	say(p, "cmd=put kvsname=other key=a value=b\n");
	has_str(hear(p), "rc=-1 msg=unknown_kvsname", "a put into another space");
	say(p, "mcmd=spawn\nnprocs=1\ntotspawns=2\nspawnssofar=1\nendcmd\n");
	is_str(hear(p), "", "the first of two programs to spawn");
	say(p, "mcmd=spawn\nnprocs=1\ntotspawns=2\nspawnssofar=2\narg1=cmd=finalize\nendcmd\n");
	has_str(hear(p), "cmd=spawn_result rc=-1", "spawn is refused, once");
	say(p, "cmd=lookup_name service=a\n");
	has_str(hear(p), "cmd=lookup_result rc=-1 info=not_supported", "names are refused");
	say(p, "cmd=finalize\n");
	has_str(hear(p), "cmd=finalize_ack", "finalize");
	pmi1_free(p);
}

static void test_bounds(void)
{
	struct pmi1 *p = in_state(PMI1_READY);
	char line[PMI1_LINE_MAX], key[KVS_KEY_MAX + 1], value[KVS_VALUE_MAX + 1];
	size_t total = 0, one = 5 + 1000;

	memset(key, 'k', sizeof(key));
	memset(value, 'v', sizeof(value));
	for (int over = 0; over < 2; over++) {
		snprintf(line, sizeof(line), "cmd=put " KVS "key=%.*s value=v\n",
			 KVS_KEY_MAX - 1 + over, key);
		say(p, line);
		has_str(hear(p), over ? "rc=-1" : "rc=0", "a key of %d", KVS_KEY_MAX - 1 + over);
		snprintf(line, sizeof(line), "cmd=put " KVS "key=k value=%.*s\n",
			 KVS_VALUE_MAX - 1 + over, value);
		say(p, line);
		has_str(hear(p), over ? "rc=-1" : "rc=0", "a value of %d",
			KVS_VALUE_MAX - 1 + over);
	}
	say(p, "cmd=put " KVS "key= value=v\n");
	has_str(hear(p), "rc=-1", "an empty key");
	pmi1_free(p);
	p = in_state(PMI1_READY);
	for (int i = 0; i < 2000; i++) {
		snprintf(line, sizeof(line), "cmd=put " KVS "key=%04d value=%.*s\n", i, 999, value);
		say(p, line);
		if (strstr(hear(p), "rc=0"))
			total += one;
	}
	ok(total <= ARMADA_MPI_FENCE_MAX && total + one > ARMADA_MPI_FENCE_MAX,
	   "a rank puts as much as a fence can carry, and no more");
	is_int(say(p, "cmd=barrier_in\n"), PMI1_FENCE, "and the fence begins");
	pmi1_fence_data(p, &total);
	ok(total <= ARMADA_MPI_FENCE_MAX, "with at most that much");
	pmi1_free(p);
}

static void test_unread(void)
{
	struct pmi1 *p = in_state(PMI1_READY);
	size_t len, replies = 0;

	while (pmi1_wants(p))
		say(p, "cmd=get_maxes\n");
	say(p, "cmd=get_maxes\ncmd=get_maxes\n");
	pmi1_out(p, &len);
	ok(len < PMI1_OUT_MAX + 256, "a client that does not read gets no more replies");
	pmi1_sent(p, len);
	pmi1_step(p);
	for (const char *at = hear(p); (at = strstr(at, "cmd=maxes")); at++)
		replies++;
	is_int((long long)replies, 2, "it gets them when it has read");
	pmi1_free(p);
}

static void test_broken(void)
{
	static const char *const lines[] = {
		"\n",
		"hello\n",
		"cmd\n",
		"cmd=\n",
		"cmd=no_such_thing\n",
		"key=a cmd\n",
		"mcmd=init\n",
		"cmd=spawn\n",
		"cmd=a b=c d=e f=g h=i j=k l=m n=o p=q r=s t=u v=w x=y z=a b=c d=e f=g\n",
		"cmd=init cmd\n",
	};
	char longer[PMI1_LINE_MAX + 1];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct pmi1 *p = in_state(PMI1_READY);

		is_int(say(p, lines[i]), PMI1_END, "broken line %zu ends the step", i);
		has_str(pmi1_reason(p), "broke the protocol PMI-1", "with the reason");
		is_int(pmi1_code(p), 1, "and code 1");
		is_int(say(p, "cmd=get_maxes\n"), PMI1_NONE, "once");
		is_str(hear(p), "", "and nothing is answered any more");
		pmi1_free(p);
	}
	for (int with_nul = 0; with_nul < 2; with_nul++) {
		struct pmi1 *p = in_state(PMI1_READY);

		memset(longer, with_nul ? '\0' : 'x', sizeof(longer));
		if (with_nul)
			longer[3] = '\n';
		pmi1_feed(p, longer, with_nul ? 4 : sizeof(longer));
		is_int(pmi1_step(p), PMI1_END, with_nul ? "a NUL in a line" : "an endless line");
		pmi1_free(p);
	}
}

static void test_abort(void)
{
	static const struct {
		const char *line;
		int code;
	} rows[] = {{"cmd=abort exitcode=7\n", 7},
		    {"cmd=abort exitcode=0\n", 1},
		    {"cmd=abort\n", 1},
		    {"cmd=abort exitcode=-1\n", 255}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmi1 *p = in_state(PMI1_NEW);

		is_int(say(p, rows[i].line), PMI1_END, "abort before init");
		is_int(pmi1_code(p), rows[i].code, "the code of abort %zu", i);
		pmi1_free(p);
	}
}

static void test_fenced(void)
{
	static const struct {
		const char *data;
		size_t len;
		bool good;
	} rows[] = {{"a\0b", 4, true}, {"", 0, true},     {"a\0", 2, false},
		    {"a", 1, false},   {"\0b", 3, false}, {"a\0b\0c", 5, false}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmi1 *p = in_state(PMI1_FENCING);
		bool good = pmi1_fenced(p, rows[i].data, rows[i].len) == PMI1_NONE;

		ok(good == rows[i].good, "data of a fence, row %zu", i);
		ok((strstr(hear(p), "cmd=barrier_out") != NULL) == good, "the barrier opens");
		pmi1_free(p);
	}
}

static void test_mapping(void)
{
	static const struct armada_mpi_block cyclic[] = {{0, 2, 1}, {0, 2, 1}, {0, 2, 1}},
					     uneven[] = {{0, 1, 3}, {1, 2, 1}};
	struct armada_mpi_block many[400];
	char text[KVS_VALUE_MAX];

	ok(mapping_text(cyclic, 3, text, sizeof(text)), "ranks in turn");
	is_str(text, "(vector,(0,2,1))", "are said once");
	ok(mapping_text(uneven, 2, text, sizeof(text)), "uneven nodes");
	is_str(text, "(vector,(0,1,3),(1,2,1))", "are said one by one");
	ok(!mapping_text(uneven, 0, text, sizeof(text)), "unknown nodes give no text");
	for (uint32_t i = 0; i < 400; i++)
		many[i] = (struct armada_mpi_block){i, 1, i % 3 + 1};
	ok(!mapping_text(many, 400, text, sizeof(text)), "a text that is too long is none");
}

/* Ranks put keys and read those of all others after each fence; the test is arun. */
static void test_step(void)
{
	enum { RANKS = 5, ROUNDS = 3 };
	struct pmi1 *ranks[RANKS];
	char line[256], merged[4096];
	bool all = true;

	for (int r = 0; r < RANKS; r++) {
		ranks[r] = start((uint32_t)r, RANKS);
		say(ranks[r], "cmd=init pmi_version=1 pmi_subversion=1\n");
		hear(ranks[r]);
	}
	for (int round = 0; round < ROUNDS; round++) {
		const char *data;
		size_t len = 0, n;

		for (int r = 0; r < RANKS; r++) {
			snprintf(line, sizeof(line),
				 "cmd=put " KVS "key=r%d value=%d.%d\ncmd=put " KVS
				 "key=same value=%d\ncmd=barrier_in\n",
				 r, r, round, r);
			all &= say(ranks[r], line) == PMI1_FENCE;
			data = pmi1_fence_data(ranks[r], &n);
			memcpy(merged + len, data, n);
			len += n;
			hear(ranks[r]);
		}
		for (int r = 0; r < RANKS; r++) {
			all &= pmi1_fenced(ranks[r], merged, len) == PMI1_NONE;
			all &= strcmp(hear(ranks[r]), "cmd=barrier_out rc=0\n") == 0;
		}
		for (int r = 0; r < RANKS * RANKS; r++) {
			snprintf(line, sizeof(line), "cmd=get " KVS "key=r%d\n", r / RANKS);
			say(ranks[r % RANKS], line);
			snprintf(line, sizeof(line), " value=%d.%d\n", r / RANKS, round);
			all &= strstr(hear(ranks[r % RANKS]), line) != NULL;
		}
		ok(all, "every rank reads the keys of every other in round %d", round);
	}
	say(ranks[0], "cmd=get " KVS "key=same\n");
	has_str(hear(ranks[0]), " value=4\n", "of one key, the value of the highest rank counts");
	for (int r = 0; r < RANKS; r++)
		pmi1_free(ranks[r]);
}

int main(void)
{
	test_pairs();
	test_replies();
	test_bounds();
	test_unread();
	test_broken();
	test_abort();
	test_fenced();
	test_mapping();
	test_step();
	return done();
}
