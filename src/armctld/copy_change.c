/*
 * Changes the set of copies (copy_change.h). Input: a name, and whether it is to be a member. Output: the set
 * as the engine has it afterwards, or a sentence why not. The engine checks what it must never allow; this
 * file refuses what an administrator cannot mean.
 */
#include "armctld/copy_change.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int refuse(struct copy_change *x, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(struct copy_change *x, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(x->err.text, sizeof(x->err.text), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static const struct armada_replica_copy *find(const struct copy_change *x)
{
	for (size_t i = 0; i < x->copies.count; i++)
		if (strcmp(x->copies.copies[i].name, x->name) == 0)
			return &x->copies.copies[i];
	return NULL;
}

static int refuse_unknown(struct copy_change *x)
{
	char all[512] = "";
	size_t len = 0;

	for (size_t i = 0; i < x->copies.count && len < sizeof(all); i++)
		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s", i ? ", " : "",
					x->copies.copies[i].name);
	return refuse(x, "there is no copy '%s': expected %s", x->name, all);
}

static int check(struct copy_change *x)
{
	const struct armada_replica_copy *copy = find(x);
	size_t others = 0;

	if (!copy)
		return refuse_unknown(x);
	for (size_t i = 0; i < x->copies.count; i++)
		others += x->copies.copies[i].member && &x->copies.copies[i] != copy;
	if (x->member && copy->member)
		return refuse(x, "copy %s is in the set already", x->name);
	if (x->member && copy->state != ARMADA_REPLICA_IN_SYNC)
		return refuse(x, "copy %s cannot come back yet: it does not hold all records%s%s",
			      x->name, copy->why[0] ? ": " : "", copy->why);
	if (x->member)
		return 0;
	if (copy->removed)
		return refuse(x, "copy %s is out of the set already", x->name);
	if (copy->primary)
		return refuse(x,
			      "copy %s takes the writes: let another one take them first, as with "
			      "SENTINEL FAILOVER of Redis",
			      x->name);
	if (others < 2)
		return refuse(x, "copy %s cannot be taken out: records have to be on two copies",
			      x->name);
	return 0;
}

void copy_change_make(const struct armada_replica_ops *engine, void *handle, struct copy_change *x)
{
	const char *in[ARMADA_REPLICA_COPIES_MAX], *out[ARMADA_REPLICA_COPIES_MAX];
	struct armada_replica_copies before;
	size_t count = 0, out_count = 0;

	x->rc = engine->copies(handle, &x->copies, &x->err);
	if (x->rc == 0)
		x->rc = check(x);
	if (x->rc < 0)
		return;
	before = x->copies;
	for (size_t i = 0; i < before.count; i++) {
		const struct armada_replica_copy *copy = &before.copies[i];
		bool asked = strcmp(copy->name, x->name) == 0;

		if (asked ? x->member : copy->member)
			in[count++] = copy->name;
		if (asked ? !x->member : copy->removed)
			out[out_count++] = copy->name;
	}
	x->rc = engine->set_copies(handle, in, count, out, out_count, &x->err);
	if (x->rc == 0)
		x->rc = engine->copies(handle, &x->copies, &x->err);
}
