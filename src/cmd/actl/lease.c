/* actl lease extend: extends the leases of nodes before a long outage of the controller. */
#include "cmd/actl/lease.h"

#include "util/hostlist.h"
#include "util/units.h"

#include <errno.h>
#include <string.h>

enum { NODES_MAX = 65536 };

int actl_lease_extend(struct actl *a, struct err *err)
{
	Armada__ExtendLeaseRequest q = ARMADA__EXTEND_LEASE_REQUEST__INIT;
	CLEANUP_BUF struct buf reason = {0};
	int64_t us;
	int rc = parse_duration(a->args[1], &us, err);

	if (rc < 0)
		return err_prefix(err, -EINVAL, "lease extend");
	q.duration_s = us / 1000000;
	q.all = strcmp(a->args[0], "all") == 0;
	if (!q.all && hostlist_expand(a->args[0], NODES_MAX, &q.names, &q.n_names, err) < 0)
		return -EINVAL;
	for (size_t i = 2; i < a->count; i++)
		buf_addf(&reason, "%s%s", i > 2 ? " " : "", a->args[i]);
	q.reason = reason.len ? (char *)reason.data : (char *)"";
	rc = actl_ask_ok(a, MSG_EXTEND_LEASE, &q, "Extended", err);
	hostlist_free(q.names, q.n_names);
	return rc;
}
