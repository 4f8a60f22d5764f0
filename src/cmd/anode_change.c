/*
 * The verbs of anode that change nodes: drain, resume, reboot, confirm-dead, label, taint, refresh, delete.
 *
 * Each verb is one UpdateNodeRequest. The reply is one sentence, which is printed. confirm-dead
 * first sends its request as a dry run, prints what it would end, and asks for confirmation.
 */
#include "cmd/anode_change.h"

#include "cmd/listing/node_words.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define ACTION(name) ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_##name

static int send(const struct anode *a, const Armada__UpdateNodeRequest *q, struct err *err)
{
	void *message;
	int rc = connection_ask(a->c, MSG_UPDATE_NODE, q, MSG_OK, a->arena, 0, &message, err);

	if (rc == 0)
		printf("%s\n", ((const Armada__OkReply *)message)->text);
	return rc;
}

/* The first argument is a node list, the others are the reason. */
static int take_reason(const struct anode *a, Armada__UpdateNodeRequest *q, struct err *err)
{
	CLEANUP_BUF struct buf reason = {0};

	buf_addstr(&reason, "");
	for (size_t i = 1; i < a->count; i++)
		buf_addf(&reason, "%s%s", i > 1 ? " " : "", a->args[i]);
	q->reason = arena_strdup(a->arena, reason.len ? (char *)reason.data : "");
	return anode_expand(a, a->args, 1, &q->names, &q->n_names, err);
}

int anode_drain(struct anode *a, struct err *err)
{
	Armada__UpdateNodeRequest q = ARMADA__UPDATE_NODE_REQUEST__INIT;
	int rc;

	if (a->count < 2)
		return err_set(err, -EINVAL,
			       "drain: nodes and a reason are needed: anode drain cn[01-04] "
			       "new disks");
	q.action = ACTION(DRAIN);
	rc = take_reason(a, &q, err);
	return rc < 0 ? rc : send(a, &q, err);
}

int anode_resume(struct anode *a, struct err *err)
{
	Armada__UpdateNodeRequest q = ARMADA__UPDATE_NODE_REQUEST__INIT;
	int rc;

	if (!a->count)
		return err_set(err, -EINVAL, "resume: no nodes given: anode resume cn[01-04]");
	q.action = ACTION(RESUME);
	rc = anode_expand(a, a->args, a->count, &q.names, &q.n_names, err);
	return rc < 0 ? rc : send(a, &q, err);
}

int anode_refresh(struct anode *a, struct err *err)
{
	Armada__UpdateNodeRequest q = ARMADA__UPDATE_NODE_REQUEST__INIT;
	int rc;

	if (!a->count)
		return err_set(err, -EINVAL, "refresh: no nodes given: anode refresh cn[01-04]");
	q.action = ACTION(REFRESH);
	rc = anode_expand(a, a->args, a->count, &q.names, &q.n_names, err);
	return rc < 0 ? rc : send(a, &q, err);
}

static bool is_sure(void)
{
	char answer[16];

	fprintf(stderr,
		"Are these machines switched off, or is it certain that they run no tasks? [y/N] ");
	return fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

/*
 * A dry run first shows what would be ended, and the user must confirm: if a machine is not
 * switched off, its jobs run twice.
 */
int anode_confirm_dead(struct anode *a, struct err *err)
{
	Armada__UpdateNodeRequest q = ARMADA__UPDATE_NODE_REQUEST__INIT;
	int rc;

	if (!a->count)
		return err_set(err, -EINVAL,
			       "confirm-dead: no nodes given: anode confirm-dead cn07 [REASON...]");
	q.action = ACTION(CONFIRM_DEAD);
	rc = take_reason(a, &q, err);
	if (rc == 0 && !a->yes) {
		q.dry_run = true;
		rc = send(a, &q, err);
		if (rc == 0 && !isatty(STDIN_FILENO))
			rc = err_set(
				err, -ECANCELED,
				"nothing was changed; give --yes if these machines are switched off");
		else if (rc == 0 && !is_sure())
			rc = err_set(err, -ECANCELED, "nothing was changed");
		q.dry_run = false;
	}
	return rc < 0 ? rc : send(a, &q, err);
}

int anode_reboot(struct anode *a, struct err *err)
{
	Armada__UpdateNodeRequest q = ARMADA__UPDATE_NODE_REQUEST__INIT;
	int rc;

	if (!a->count)
		return err_set(err, -EINVAL,
			       "reboot: no nodes given: anode reboot cn[01-04] [REASON...]");
	q.action = ACTION(REBOOT);
	q.now = a->now;
	q.stay_drained = a->no_resume;
	rc = take_reason(a, &q, err);
	return rc < 0 ? rc : send(a, &q, err);
}

static int relabel(struct anode *a, bool taints, struct err *err)
{
	Armada__UpdateNodeRequest q = ARMADA__UPDATE_NODE_REQUEST__INIT;
	int rc;

	if (a->count < 2)
		return err_set(err, -EINVAL,
			       "%s: nodes and changes are needed: anode %s cn[01-04] %s",
			       taints ? "taint" : "label", taints ? "taint" : "label",
			       taints ? "maint=disk:NoSchedule" : "disk=nvme old-");
	q.action = taints ? ACTION(TAINT) : ACTION(LABEL);
	rc = anode_expand(a, a->args, 1, &q.names, &q.n_names, err);
	if (rc == 0)
		rc = node_words_read(a->args + 1, a->count - 1, taints, a->arena, &q, err);
	return rc < 0 ? rc : send(a, &q, err);
}

int anode_label(struct anode *a, struct err *err)
{
	return relabel(a, false, err);
}

int anode_taint(struct anode *a, struct err *err)
{
	return relabel(a, true, err);
}

int anode_delete(struct anode *a, struct err *err)
{
	Armada__UpdateNodeRequest q = ARMADA__UPDATE_NODE_REQUEST__INIT;
	int rc;

	if (!a->count)
		return err_set(err, -EINVAL, "delete: no nodes given: anode delete cn[01-04]");
	q.action = ACTION(DELETE);
	rc = anode_expand(a, a->args, a->count, &q.names, &q.n_names, err);
	return rc < 0 ? rc : send(a, &q, err);
}
