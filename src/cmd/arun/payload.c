/*
 * Makes the payload of the io stubs.
 */
#include "cmd/arun/payload.h"

#include "stub/hello.h"
#include "util/mem.h"

#include <string.h>

static ProtobufCBinaryData bytes_of(const void *data, size_t len)
{
	return (ProtobufCBinaryData){.data = (uint8_t *)(uintptr_t)data, .len = len};
}

void arun_payload(const struct payload_plan *plan, struct buf *out)
{
	CLEANUP_BUF struct buf argv = {0};
	Armada__StubPayload p = ARMADA__STUB_PAYLOAD__INIT;
	char *addresses[LISTENERS];
	CLEANUP_FREE Armada__StubTask **tasks = xcalloc(plan->task_count + 1, sizeof(*tasks));

	for (size_t i = 0; i < plan->listeners->count; i++)
		addresses[i] = (char *)(uintptr_t)plan->listeners->addresses[i];
	for (size_t i = 0; i < plan->argc; i++)
		buf_add(&argv, plan->argv[i], strlen(plan->argv[i]) + 1);
	for (size_t i = 0; i < plan->task_count; i++)
		tasks[i] = (Armada__StubTask *)(uintptr_t)&plan->tasks[i];
	p.addresses = addresses;
	p.n_addresses = plan->listeners->count;
	p.key = bytes_of(plan->key, HELLO_KEY);
	p.argv = bytes_of(argv.data, argv.len);
	if (plan->env)
		p.env = bytes_of(plan->env->data, plan->env->len);
	if (plan->chdir)
		p.chdir = bytes_of(plan->chdir, strlen(plan->chdir));
	p.pty = plan->pty;
	p.size = plan->size;
	p.tasks = tasks;
	p.n_tasks = plan->task_count;
	p.grace_ms = plan->grace_ms;
	p.step = plan->step;
	if (plan->mpi) {
		p.mpi = (char *)(uintptr_t)plan->mpi;
		p.mpi_step = (char *)(uintptr_t)plan->mpi_step;
	}
	msg_pack(&p, out);
}
