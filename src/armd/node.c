/*
 * The configuration of this armd. Input: the command line, armada.conf, the machine. Output: struct
 * node, with the configurations of launcher and network process; or an error before anything is
 * started.
 *
 * The command line overrides armada.conf, which overrides what is detected. With a controller on
 * the command line no armada.conf is needed. A machine with less than armada.conf declares
 * registers its real amounts, and the controller drains it.
 */
#include "armd/node.h"

#include "armd/identity.h"
#include "armd/machine/counted.h"
#include "armd/node_containment.h"
#include "armd/node_discover.h"
#include "armd/node_network.h"
#include "armd/node_plugins.h"
#include "util/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * With a controller on the command line no file is needed. A missing installed file is not an
 * error.
 */
static int load_conf(struct node *n, const struct armd_options *o, struct err *err)
{
	const char *installed = ARMADA_SYSCONFDIR "/armada.conf";

	n->configured = o->config || getenv("ARMADA_CONF") || access(installed, F_OK) == 0;
	if (!n->configured)
		return conf_parse(&n->conf, "defaults (there is no armada.conf)", "", err);
	return conf_load(&n->conf, o->config, err);
}

static int find_users(struct node *n, struct err *err)
{
	const struct conf *c = n->conf;
	uid_t uid;
	gid_t gid;
	int rc = identity_find(c->controller_user, &uid, &gid, err);

	if (rc < 0)
		return err_prefix(err, rc, "%s: controller_user", c->file);
	n->launcher.controller_uid = n->network.controller_uid = uid;
	n->agent_uid = geteuid();
	n->agent_gid = getegid();
	if (geteuid() != 0)
		return 0;
	rc = identity_find(c->agent_user, &n->agent_uid, &n->agent_gid, err);
	return rc < 0 ? err_prefix(err, rc, "%s: agent_user", c->file) : 0;
}

static const struct conf_node *find_expected(const struct conf *c, const char *name)
{
	for (size_t i = 0; i < c->node_count; i++)
		if (strcmp(c->node_list[i].name, name) == 0)
			return &c->node_list[i];
	return NULL;
}

/* A new array: the values of armada.conf, then those of the command line. */
static const char **both(const char *const *conf, size_t conf_count, const char *const *line,
			 size_t line_count, size_t *ret_count)
{
	const char **list = xcalloc(conf_count + line_count + 1, sizeof(*list));

	for (size_t i = 0; i < conf_count; i++)
		list[i] = conf[i];
	for (size_t i = 0; i < line_count; i++)
		list[conf_count + i] = line[i];
	*ret_count = conf_count + line_count;
	return list;
}

static int64_t less(int64_t promised, int64_t found)
{
	return promised && promised < found ? promised : 0;
}

/*
 * The declared amount is offered if it exists. A node with less registers its real amount, and
 * the controller drains it with both figures.
 */
static int read_machine(struct node *n, const struct armd_options *o, const struct conf_node *x,
			struct err *err)
{
	struct machine_declared d = {
		.cpu_milli = o->node.cpu_milli,
		.memory_bytes = o->node.memory_bytes,
		.gpus = o->node.gpus >= 0 ? o->node.gpus
			: x->gpus > 0     ? x->gpus
					  : -1,
		.gpu_devices = x->gpu_devices,
		.gpu_device_count = x->gpu_device_count,
	};
	int rc = machine_read(&d, &n->machine, err);

	if (rc < 0)
		return rc;
	if (!d.cpu_milli)
		d.cpu_milli = less(x->cpu_milli, n->machine.cpu_milli);
	if (!d.memory_bytes)
		d.memory_bytes = less(x->memory_bytes, n->machine.memory_bytes);
	if (d.cpu_milli == o->node.cpu_milli && d.memory_bytes == o->node.memory_bytes)
		return 0;
	machine_free(&n->machine);
	return machine_read(&d, &n->machine, err);
}

static void name_node(struct node *n, const struct armd_options *o)
{
	if (gethostname(n->host, sizeof(n->host) - 1) < 0)
		snprintf(n->host, sizeof(n->host), "localhost");
	n->host[strcspn(n->host, ".")] = '\0';
	n->network.declared.node.name = o->node.name ? o->node.name : n->host;
}

#define DETECTED(name)
#define DECLARED(name)                  d->name = o->node.name ? o->node.name : x->name;
#define CHOOSE(member, registered, ...) registered

/* The command line overrides armada.conf, which overrides what is detected. */
static int declare(struct node *n, const struct armd_options *o, struct err *err)
{
	static const struct conf_node nothing;
	struct inventory_declared *declared = &n->network.declared;
	struct conf_node *d = &declared->node;
	const struct conf_node *x = find_expected(n->conf, d->name);
	int rc;

	x = x ? x : &nothing;
	NODE_TABLE(CHOOSE)
	n->labels = d->labels = both(x->labels, x->label_count, o->node.labels, o->node.label_count,
				     &d->label_count);
	n->taints = d->taints = both(x->taints, x->taint_count, o->node.taints, o->node.taint_count,
				     &d->taint_count);
	n->expected = x;
	n->line_resources =
		both(NULL, 0, o->node.resources, o->node.resource_count, &n->line_resource_count);
	node_join_resources(n);
	rc = node_discover(n, err);
	if (rc == 0)
		rc = read_machine(n, o, x, err);
	if (rc == 0)
		rc = machine_find_counted(&n->machine, d->resources, d->resource_count, err);
	d->cpu_milli = n->machine.cpu_milli;
	d->memory_bytes = n->machine.memory_bytes;
	d->gpus = (int64_t)n->machine.gpu_count;
	n->launcher.cpus =
		cpus_use_of(x->cpu_containment && *x->cpu_containment ? x->cpu_containment
								      : n->conf->cpu_containment);
	machine_gpu_type(&n->machine, n->gpu_type);
	declared->gpu_type = n->gpu_type;
	return rc;
}

static int read_hooks(struct node *n, struct err *err)
{
	const struct conf *c = n->conf;
	const struct hooks h = {
		.health_check = {"health check", c->hooks.health_check, c->hooks.health_check_count,
				 c->hooks.health_timeout_us},
		.prolog = {"prolog", c->hooks.prolog, c->hooks.prolog_count, c->hooks.timeout_us},
		.epilog = {"epilog", c->hooks.epilog, c->hooks.epilog_count, c->hooks.timeout_us},
		.task_prolog = {"task_prolog", c->hooks.task_prolog, c->hooks.task_prolog_count,
				c->hooks.task_timeout_us},
		.task_epilog = {"task_epilog", c->hooks.task_epilog, c->hooks.task_epilog_count,
				c->hooks.task_timeout_us},
		.health_interval_us = c->hooks.health_interval_us,
		.prolog_drains = c->hooks.prolog_drains,
		.epilog_drains = c->hooks.epilog_drains,
	};
	const char *const reboot[] = {c->nodes.reboot_program};
	const struct hook by_order = {"agents.reboot_program", reboot, reboot[0][0] ? 1 : 0, 0};
	const struct hook *all[] = {&h.health_check, &h.prolog,      &h.epilog,
				    &h.task_prolog,  &h.task_epilog, &by_order};

	n->hooks = h;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		int rc = hook_check(all[i], err);

		if (rc < 0)
			return err_prefix(err, rc, all[i] == &by_order ? "%s" : "%s: hooks",
					  c->file);
	}
	return 0;
}

/* Each node has its own spool, because several nodes may share a machine. */
static int find_spool(struct node *n, const struct armd_options *o, struct err *err)
{
	if (o->spool) {
		n->spool = xstrdup(o->spool);
		return 0;
	}
	if (mkdir(n->conf->spool_dir, 0755) < 0 && errno != EEXIST)
		return err_sys(err, -errno, "cannot create the spool directory %s",
			       n->conf->spool_dir);
	n->spool = xasprintf("%s/%s", n->conf->spool_dir, n->network.declared.node.name);
	return 0;
}

/* armd --show-config: neither users nor a controller nor a spool are needed. */
static int init_shown(struct node *n, const struct armd_options *o, struct err *err)
{
	int rc = node_load_contain(n, err);

	if (rc == 0)
		rc = declare(n, o, err);
	return rc < 0 ? rc : node_check_containment(n, err);
}

int node_init(struct node *n, const struct armd_options *o, struct err *err)
{
	const struct conf *c;
	int rc;

	*n = (struct node){0};
	rc = load_conf(n, o, err);
	name_node(n, o);
	/*
	 * armd --shutdown needs only the spool; it must not fail for other parts of the
	 * configuration.
	 */
	if (rc < 0 || o->mode == ARMD_SHUTDOWN)
		return rc < 0 ? rc : find_spool(n, o, err);
	if (o->mode == ARMD_SHOW)
		return init_shown(n, o, err);
	rc = find_users(n, err);
	if (rc == 0)
		rc = node_load_plugins(n, err);
	if (rc < 0)
		return rc;
	c = n->conf;
	rc = declare(n, o, err);
	n->machine.confined = n->machine.devices_known && node_filters_devices(n);
	if (rc == 0)
		rc = node_check_containment(n, err);
	if (rc == 0)
		rc = read_hooks(n, err);
	if (rc == 0)
		rc = find_spool(n, o, err);
	if (rc < 0)
		return rc;
	n->network.cluster = n->configured ? c->cluster : NULL;
	n->network.controllers = o->controller_count ? o->controllers : c->controllers;
	n->network.controller_count =
		o->controller_count ? o->controller_count : c->controller_count;
	n->network.auth = &n->auth;
	n->network.reconnect_max_us = c->nodes.reconnect_max_us;
	n->stub = xasprintf("%s/arun-io", o->libexec ? o->libexec : ARMADA_LIBEXECDIR);
	n->launcher.spool_dir = n->spool;
	n->launcher.reboot_program = c->nodes.reboot_program[0] ? c->nodes.reboot_program : NULL;
	n->network.declared.can_reboot = n->launcher.reboot_program != NULL;
	n->launcher.stub = n->stub;
	n->launcher.plugin_dir = c->plugin_dir;
	n->launcher.node_name = n->network.declared.node.name;
	n->launcher.min_uid = (uint32_t)c->security.min_uid;
	n->launcher.allow_root_jobs = c->security.allow_root_jobs;
	n->launcher.groups_of_controller = strcmp(c->security.groups, "controller") == 0;
	n->launcher.agent_uid = n->agent_uid;
	n->launcher.auth = &n->auth;
	n->launcher.auth_handle = n->auth_handle;
	n->launcher.contain = &n->contain;
	n->launcher.machine = &n->machine;
	n->launcher.cpu_lock = c->cpu_lock;
	n->launcher.hooks = &n->hooks;
	n->launcher.start_network = node_start_network;
	n->launcher.start_arg = n;
	n->launcher.respawn_max_us = c->nodes.reconnect_max_us;
	if (!n->network.controller_count)
		return err_set(err, -EINVAL,
			       "%s: controllers: no controller is given; set it here or "
			       "with --controller",
			       c->file);
	return 0;
}

void node_done(struct node *n)
{
	const struct armada_auth_ops *auth = n->auth.desc ? n->auth.ops : NULL;

	if (n->auth_handle)
		auth->close(n->auth_handle);
	if (n->auth.desc)
		plugin_free(&n->auth);
	if (n->contain.desc)
		plugin_free(&n->contain);
	candidates_free(&n->contain_others);
	conf_free(n->conf);
	free(n->spool);
	free(n->stub);
	free(n->labels);
	free(n->taints);
	node_discover_done(n);
	machine_free(&n->machine);
	free(n->contain_why);
	free(n->not_limited);
	*n = (struct node){0};
}
