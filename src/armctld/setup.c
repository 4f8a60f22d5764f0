/*
 * The modes of armctld that exit at once: --init, --check, --show-config. Input: armada.conf.
 * Output: a new state directory, or text on standard output; an exit code.
 */
#include "armctld/setup.h"
#include "conf/controllers.h"
#include "util/visible.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Print the error; return the exit code. */
static int fail(const struct err *err)
{
	visible_complain("armctld", err->text);
	return 1;
}

int setup_check_user(const struct conf *conf, const struct policy *policy, struct err *err)
{
	if (policy->controller_uid == geteuid())
		return 0;
	return err_set(
		err, -EPERM,
		"%s: controller_user is '%s' (uid %u), but armctld runs as uid %u, which "
		"commands and nodes would reject: start it as %s, for example with runuser -u %s",
		conf->file, conf->controller_user, (unsigned)policy->controller_uid,
		(unsigned)geteuid(), conf->controller_user, conf->controller_user);
}

int setup_take_name(struct conf *conf, const char *name, const char *host, struct err *err)
{
	int rc = conf_take_name(conf, name, host, err);

	/* A state of one controller needs no name. */
	if (rc == -ENOENT && !name &&
	    strcmp(conf->plugins[ARMADA_PLUGIN_STATE].name, "sqlite") == 0)
		rc = conf_take_name(conf, conf->controller_names[0], host, err);
	return rc;
}

static int make_state(const struct conf *conf, const struct plugins *plugins, struct err *err)
{
	const struct plugin *p = &plugins->kinds[ARMADA_PLUGIN_STATE];
	const struct armada_state_ops *state = p->ops;
	struct armada_error plugin_err = {""};
	uint8_t id[16];
	char text[33];
	int rc;

	randombytes_buf(id, sizeof(id));
	rc = state->init(conf->state_dir, id, p->values, &plugin_err);
	if (rc < 0)
		return err_set(err, rc, "%s", plugin_err.text);
	rc = order_key_create(conf->state_dir, id, err);
	if (rc < 0)
		return rc;
	sodium_bin2hex(text, sizeof(text), id, sizeof(id));
	printf("created the state of cluster %s in %s (cluster id %s)\n", conf->cluster,
	       conf->state_dir, text);
	return 0;
}

/* A configuration with its plugins, for as long as a mode needs them. */
struct setup {
	struct conf *conf;
	struct policy *policy;
	struct plugins plugins;
};

static void setup_done(struct setup *s)
{
	policy_free(s->policy);
	if (s->conf)
		conf_free(s->conf);
	plugins_done(&s->plugins); /* the conf borrows their option tables */
}

int setup_init(const char *conf_file, const char *name)
{
	struct setup s = {0};
	char host[256] = "localhost";
	struct err err;
	int rc = sodium_init() < 0 ? err_set(&err, -ENOSYS, "libsodium cannot be used here") : 0;

	if (rc == 0)
		rc = conf_load(&s.conf, conf_file, &err);
	gethostname(host, sizeof(host) - 1);
	if (rc == 0)
		rc = setup_take_name(s.conf, name, host, &err);
	if (rc == 0)
		rc = policy_new(&s.policy, s.conf, &err);
	if (rc == 0)
		rc = setup_check_user(s.conf, s.policy, &err);
	if (rc == 0)
		rc = plugins_load(&s.plugins, s.conf, &err);
	if (rc == 0)
		rc = make_state(s.conf, &s.plugins, &err);
	setup_done(&s);
	return rc < 0 ? fail(&err) : 0;
}

int setup_check(const char *conf_file)
{
	struct setup s = {0};
	struct err err;
	int rc = conf_load(&s.conf, conf_file, &err);

	if (rc == 0)
		rc = policy_new(&s.policy, s.conf, &err);
	if (rc == 0)
		rc = plugins_load_all(&s.plugins, s.conf, &err);
	if (rc == 0)
		printf("%s: valid\n", s.conf->file);
	setup_done(&s);
	return rc < 0 ? fail(&err) : 0;
}

int setup_show(const char *conf_file, bool changed)
{
	struct setup s = {0};
	struct buf text = {0};
	struct err err;
	int rc = conf_load(&s.conf, conf_file, &err);

	if (rc == 0)
		rc = plugins_load_all(&s.plugins, s.conf, &err);
	if (rc == 0) {
		conf_show(s.conf, changed, &text);
		fwrite(text.data, 1, text.len, stdout);
		if (fflush(stdout) != 0)
			rc = err_sys(&err, -errno, "standard output");
	}
	buf_done(&text);
	setup_done(&s);
	return rc < 0 ? fail(&err) : 0;
}
