/*
 * Input: "METHOD PATH", a line feed, and the body of a request. The decoded path must not be longer, and
 * the parts that a route takes from it have no slash. A body of PATCH must be read, or refused with a
 * sentence.
 */
#include "armrestd/routes.h"
#include "armrestd/update.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_path(const char *method, char *path)
{
	char ids[EXCHANGE_IDS][ID_MAX];
	size_t len = strlen(path);
	const struct route *r;
	bool known;

	if (route_unescape(path) > len || strlen(path) > len)
		abort();
	memset(ids, 0, sizeof(ids));
	r = route_find(method, path, ids, &known);
	if (r && (!known || *path != '/' || strlen(ids[0]) + strlen(ids[1]) > strlen(path) ||
		  strchr(ids[0], '/') || strchr(ids[1], '/')))
		abort();
}

static void check_body(const char *body, size_t len)
{
	struct exchange x = {.body = {0}};
	struct err err = {""};
	struct changes u;
	json_t *root;
	int rc;

	buf_add(&x.body, body, len);
	changes_init(&u);
	rc = exchange_body(&x, &root, "the options of actl update", &err);
	if (rc == 0)
		rc = update_read(&u, root, &err);
	if ((rc == 0 && !u.mask) || (rc < 0 && !err.text[0]))
		abort();
	changes_done(&u);
	json_decref(root);
	buf_done(&x.body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool prepared;
	CLEANUP_BUF struct buf text = {0};
	const char *body;
	char *line, *path;

	if (!prepared)
		changes_prepare();
	prepared = true;
	buf_add(&text, data, size);
	buf_addstr(&text, "");
	line = (char *)text.data;
	body = memchr(line, '\n', size);
	check_body(body ? body + 1 : line, body ? size - (size_t)(body + 1 - line) : size);
	line[strcspn(line, "\n")] = '\0';
	path = strchr(line, ' ');
	if (path) {
		*path++ = '\0';
		check_path(line, path);
	}
	return 0;
}
