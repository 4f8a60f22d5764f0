/* A request of actl that is answered with one sentence (actl.h). Output: the sentence, on stdout. */
#include "cmd/actl/actl.h"

#include <stdio.h>

int actl_ask_ok(struct actl *a, enum msg_type type, const void *request, const char *done,
		struct err *err)
{
	const Armada__OkReply *reply;
	int rc = connection_ask(a->c, type, request, MSG_OK, a->arena, 0, &reply, err);

	if (rc < 0)
		return rc;
	printf("%s\n", reply->text[0] ? reply->text : done);
	return 0;
}
