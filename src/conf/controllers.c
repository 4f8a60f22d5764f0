/*
 * The list `controllers` of armada.conf (controllers.h). Input: texts "[NAME=]ADDRESS". Output: names and
 * addresses, and the place of one name in the list.
 */
#include "conf/controllers.h"

#include "conf/private.h"
#include "conf/syntax_checks.h"

#include <errno.h>
#include <string.h>

/* The length of the name before "="; 0: none. */
static size_t named(const char *text)
{
	const char *equals = strchr(text, '=');

	return equals && text[0] != '/' ? (size_t)(equals - text) : 0;
}

int check_controller(const char *text, struct err *err)
{
	size_t len = named(text);
	char name[CONTROLLER_NAME + 1];

	if (!len)
		return check_address(text, err);
	if (len > CONTROLLER_NAME)
		return err_set(err, -EINVAL,
			       "'%.64s': the name of a controller has at most %d characters", text,
			       CONTROLLER_NAME);
	memcpy(name, text, len);
	name[len] = '\0';
	return check_name(name, err) < 0 ? -EINVAL : check_address(text + len + 1, err);
}

/* The host of an address, or the file name of a socket without its suffix. */
static const char *default_name(const char *address, struct arena *a)
{
	const char *slash = strrchr(address, '/'), *end;

	if (slash) {
		end = strrchr(slash, '.');
		return arena_printf(a, "%.*s", end ? (int)(end - slash - 1) : CONTROLLER_NAME,
				    slash + 1);
	}
	end = strrchr(address, ':');
	return arena_printf(a, "%.*s", (int)(end - address), address);
}

int conf_fill_controllers(struct conf *c, struct err *err)
{
	struct arena *a = conf_priv(c)->arena;
	size_t n = c->controller_count;
	const char **names = arena_alloc(a, (n + 1) * sizeof(*names));
	const char **addresses = arena_alloc(a, (n + 1) * sizeof(*addresses));

	if (n > CONF_CONTROLLERS_MAX)
		return err_set(err, -EINVAL, "%s: controllers: at most %d are allowed", c->file,
			       CONF_CONTROLLERS_MAX);
	for (size_t i = 0; i < n; i++) {
		size_t len = named(c->controller_list[i]);

		addresses[i] = c->controller_list[i] + (len ? len + 1 : 0);
		names[i] = len ? arena_printf(a, "%.*s", (int)len, c->controller_list[i])
			       : default_name(addresses[i], a);
		for (size_t j = 0; len && j < i; j++)
			if (strcmp(names[i], names[j]) == 0)
				return err_set(err, -EINVAL,
					       "%s: controllers: the name '%s' is there twice",
					       c->file, names[i]);
	}
	c->controllers = addresses;
	c->controller_names = names;
	return 0;
}

/*
 * Is the host that the controller is on (or its name) this machine? Short and full names are the same
 * host.
 */
static bool on_host(const struct conf *c, size_t i, const char *host)
{
	const char *address = c->controllers[i], *colon = strrchr(address, ':');
	size_t len = colon && *address != '/' ? (size_t)(colon - address) : 0;
	size_t part = strcspn(host, "."), host_len = strlen(host);
	const char *name = c->controller_names[i];

	return (len == host_len && strncmp(address, host, len) == 0) ||
	       (len && strcspn(address, ".:") == part && strncmp(address, host, part) == 0) ||
	       (strlen(name) == part && strncmp(name, host, part) == 0) || strcmp(name, host) == 0;
}

/* The place of this controller in the list; controller_count: none. */
static size_t find_self(const struct conf *c, const char *name, const char *host)
{
	size_t i;

	if (!name && c->controller_count == 1)
		return 0;
	for (i = 0; i < c->controller_count; i++)
		if (name ? strcmp(c->controller_names[i], name) == 0 : on_host(c, i, host))
			break;
	return i;
}

static const char *with_name(struct conf *c, const char *text, const char *name)
{
	const char *at = strstr(text, "%n");

	return at ? arena_printf(conf_priv(c)->arena, "%.*s%s%s", (int)(at - text), text, name,
				 at + 2)
		  : text;
}

int conf_take_name(struct conf *c, const char *name, const char *host, struct err *err)
{
	CLEANUP_BUF struct buf names = {0};
	size_t i = find_self(c, name, host);

	if (i == c->controller_count) {
		for (size_t k = 0; k < i; k++)
			buf_addf(&names, "%s%s", k ? ", " : "", c->controller_names[k]);
		return err_set(err, -ENOENT,
			       name ? "%s: controllers: there is no controller '%s': expected %s"
				    : "%s: controllers: none is on host %s: name it with --name; "
				      "the names are %s",
			       c->file, name ? name : host, (char *)names.data);
	}
	c->self = i;
	c->name = c->controller_names[i];
	c->state_dir = with_name(c, c->state_dir, c->name);
	c->run_dir = with_name(c, c->run_dir, c->name);
	c->listen = with_name(c, c->listen, c->name);
	return 0;
}
