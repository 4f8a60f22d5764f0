/*
 * GET /openapi.json: the OpenAPI 3.1 document, made from the table of routes and the tables of the listings.
 */
#include "armrestd/routes.h"

#include "config.h"

#include "cmd/actl/queue.h"
#include "cmd/listing/job_rows.h"
#include "cmd/listing/node_rows.h"
#include "cmd/listing/round_rows.h"
#include "util/mem.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { USERS = 4 };

/* The listings, and the handlers whose answers have rows of them. */
static const struct {
	const char *name;
	const struct listing *listing;
	route_handler *users[USERS];
} schemas[] = {
	{"Job", &job_listing, {jobs_list, jobs_starts, job_show, job_attempts}},
	{"Queue", &queue_listing, {list_queues, show_queue}},
	{"Node", &node_listing, {list_nodes, show_node}},
	{"Share", &share_listing, {show_shares}},
};

/* Any JSON value: a member is described by its column, whose type may be a number, a text or null. */
static json_t *listing_schema(const struct listing *l)
{
	json_t *members = json_object();

	for (size_t i = 0; i < l->count; i++)
		json_object_set_new(members, l->columns[i].name,
				    json_pack("{s:s}", "description", l->columns[i].help));
	return json_pack("{s:s, s:o}", "type", "object", "properties", members);
}

static json_t *problem_schema(void)
{
	return json_pack("{s:s, s:s, s:{s:{s:s}, s:{s:s}, s:{s:s}, s:{s:s}}}", "type", "object",
			 "description",
			 "RFC 9457; detail is the sentence that the command would print",
			 "properties", "type", "type", "string", "title", "type", "string",
			 "status", "type", "integer", "detail", "type", "string");
}

static json_t *path_params(const struct route *r)
{
	json_t *list = json_array();
	const char *at = r->path;

	while ((at = strchr(at, '{'))) {
		size_t len = strcspn(++at, "}");

		json_array_append_new(list,
				      json_pack("{s:s%, s:s, s:b, s:{s:s}}", "name", at, len, "in",
						"path", "required", 1, "schema", "type", "string"));
	}
	return list;
}

static json_t *parameters(const struct route *r)
{
	json_t *list = path_params(r);

	for (const struct route_param *p = r->params; p && p->name; p++)
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:s, s:{s:s}}", "name", p->name, "in",
						"query", "description", p->help, "schema", "type",
						p->number ? "integer" : "string"));
	return list;
}

/* An object with a list of rows; NULL: the answer of the route has none that a listing describes. */
static json_t *rows_schema(const struct route *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(schemas); i++)
		for (size_t k = 0; k < USERS; k++)
			if (schemas[i].users[k] == r->handle)
				return json_pack("{s:{s:{s:s, s:{s:{s:s, s:{s:s+}}}}}}",
						 "application/json", "schema", "type", "object",
						 "properties", schemas[i].listing->key, "type",
						 "array", "items", "$ref", "#/components/schemas/",
						 schemas[i].name);
	return NULL;
}

static json_t *problem_response(void)
{
	return json_pack("{s:s, s:{s:{s:{s:s}}}}", "description", "A problem", "content",
			 "application/problem+json", "schema", "$ref",
			 "#/components/schemas/Problem");
}

static json_t *responses(const struct route *r)
{
	bool post = strcmp(r->path, "/v1/jobs") == 0 && strcmp(r->method, "POST") == 0;
	json_t *done = json_pack("{s:s}", "description", r->answer), *rows = rows_schema(r);

	if (rows)
		json_object_set_new(done, "content", rows);
	return json_pack("{s:o, s:o, s:o}", post ? "201" : "200", done, "4XX", problem_response(),
			 "default", problem_response());
}

/* "GET /v1/jobs/{id}/hold" becomes get_v1_jobs_id_hold. */
static void operation_id(const struct route *r, char *out, size_t size)
{
	size_t n = (size_t)snprintf(out, size, "%s%s", r->method, r->path), to = 0;

	for (size_t i = 0; i < n && i + 1 < size; i++) {
		if (out[i] == '{' || out[i] == '}')
			continue;
		out[to++] =
			isalnum((unsigned char)out[i]) ? (char)tolower((unsigned char)out[i]) : '_';
	}
	out[to] = '\0';
}

static json_t *operation(const struct route *r)
{
	char id[128];
	json_t *o;

	operation_id(r, id, sizeof(id));
	o = json_pack("{s:s, s:s, s:o, s:o}", "operationId", id, "summary", r->summary,
		      "parameters", parameters(r), "responses", responses(r));
	if (r->body)
		json_object_set_new(o, "requestBody",
				    json_pack("{s:s, s:b, s:{s:{s:{s:s}}}}", "description", r->body,
					      "required", 1, "content", "application/json",
					      "schema", "type", "object"));
	if (r->open)
		json_object_set_new(o, "security", json_array());
	return o;
}

static json_t *paths(void)
{
	json_t *all = json_object();

	for (size_t i = 0; i < route_count; i++) {
		json_t *path = json_object_get(all, routes[i].path);
		char method[8];
		size_t n = strlen(routes[i].method);

		for (size_t k = 0; k <= n && k < sizeof(method); k++)
			method[k] = (char)tolower((unsigned char)routes[i].method[k]);
		if (!path) {
			path = json_object();
			json_object_set_new(all, routes[i].path, path);
		}
		json_object_set_new(path, method, operation(&routes[i]));
	}
	return all;
}

int openapi(struct exchange *x, struct err *err)
{
	json_t *list = json_object();

	(void)err;
	for (size_t i = 0; i < ARRAY_SIZE(schemas); i++)
		json_object_set_new(list, schemas[i].name, listing_schema(schemas[i].listing));
	json_object_set_new(list, "Problem", problem_schema());
	x->json = json_pack("{s:s, s:{s:s, s:s, s:{s:s, s:s}}, s:[{s:s}], s:o}", "openapi", "3.1.0",
			    "info", "title", "Armada", "version", PACKAGE_VERSION, "license",
			    "name", "Apache-2.0", "identifier", "Apache-2.0", "servers", "url", "/",
			    "paths", paths());
	json_object_set_new(x->json, "components",
			    json_pack("{s:o, s:{s:{s:s, s:s}}}", "schemas", list, "securitySchemes",
				      "token", "type", "http", "scheme", "bearer"));
	json_object_set_new(x->json, "security", json_pack("[{s:[]}]", "token"));
	return 0;
}
