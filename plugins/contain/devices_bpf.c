/*
 * The device filter of cgroup v2: a small BPF program. It is assembled here, because five kinds of
 * instruction do not justify a library. In: the rules of devices.h. Out: a program attached to a group.
 *
 *	type, access, major, minor -> r2, r3, r4, r5
 *	if the access is only mknod: return 1 (file permissions and capabilities restrict mknod)
 *	for each rule:	if type, major or minor differ from the rule, skip it; else return 1
 *	return 0
 */
#include "devices.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HEAD = 8, PER_RULE = 5, TAIL = 2 };

struct program {
	struct bpf_insn *list;
	size_t count;
};

static void emit(struct program *p, uint8_t code, uint8_t dst, uint8_t src, int16_t off,
		 int32_t imm)
{
	p->list[p->count++] = (struct bpf_insn){
		.code = code, .dst_reg = dst & 15, .src_reg = src & 15, .off = off, .imm = imm};
}

static void load(struct program *p, uint8_t reg, int16_t offset)
{
	emit(p, BPF_LDX | BPF_MEM | BPF_W, reg, BPF_REG_1, offset, 0);
}

/* Skip the next `skip` instructions unless the register holds the value. */
static void skip_unless(struct program *p, uint8_t reg, int32_t value, int16_t skip)
{
	emit(p, BPF_JMP32 | BPF_JNE | BPF_K, reg, 0, skip, value);
}

static void finish(struct program *p, int32_t verdict)
{
	emit(p, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, verdict);
	emit(p, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static void begin(struct program *p)
{
	load(p, BPF_REG_2, offsetof(struct bpf_cgroup_dev_ctx, access_type));
	emit(p, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_3, BPF_REG_2, 0, 0);
	emit(p, BPF_ALU64 | BPF_AND | BPF_K, BPF_REG_2, 0, 0, 0xffff);
	emit(p, BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_3, 0, 0, 16);
	load(p, BPF_REG_4, offsetof(struct bpf_cgroup_dev_ctx, major));
	load(p, BPF_REG_5, offsetof(struct bpf_cgroup_dev_ctx, minor));
	skip_unless(p, BPF_REG_3, BPF_DEVCG_ACC_MKNOD, 2);
	finish(p, 1);
}

static void add_rule(struct program *p, const struct device_rule *r)
{
	bool any = r->minor == DEVICES_ANY_MINOR;

	skip_unless(p, BPF_REG_2, r->block ? BPF_DEVCG_DEV_BLOCK : BPF_DEVCG_DEV_CHAR, any ? 3 : 4);
	skip_unless(p, BPF_REG_4, (int32_t)r->major, any ? 2 : 3);
	if (!any)
		skip_unless(p, BPF_REG_5, (int32_t)r->minor, 2);
	finish(p, 1);
}

static int call(int command, union bpf_attr *attr)
{
	long rc = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return rc < 0 ? -errno : (int)rc;
}

int devices_load(const struct device_rules *rules)
{
	struct program p = {
		.list = calloc(HEAD + 1 + PER_RULE * rules->count + TAIL, sizeof(*p.list))};
	union bpf_attr attr;
	int rc;

	if (!p.list)
		return -ENOMEM;
	begin(&p);
	for (size_t i = 0; i < rules->count; i++)
		add_rule(&p, &rules->list[i]);
	finish(&p, 0);
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
	attr.insns = (uint64_t)(uintptr_t)p.list;
	attr.insn_cnt = (uint32_t)p.count;
	attr.license = (uint64_t)(uintptr_t) "GPL";
	memcpy(attr.prog_name, "armada_devices", sizeof("armada_devices"));
	rc = call(BPF_PROG_LOAD, &attr);
	free(p.list);
	return rc;
}

/* Programs that systemd or others attached to groups above still apply: an access must pass all of them. */
int devices_attach(int program, int dir)
{
	union bpf_attr attr;
	int rc;

	memset(&attr, 0, sizeof(attr));
	attr.target_fd = (uint32_t)dir;
	attr.attach_bpf_fd = (uint32_t)program;
	attr.attach_type = BPF_CGROUP_DEVICE;
	attr.attach_flags = BPF_F_ALLOW_MULTI;
	rc = call(BPF_PROG_ATTACH, &attr);
	return rc < 0 ? rc : 0;
}

int devices_detach(int program, int dir)
{
	union bpf_attr attr;
	int rc;

	memset(&attr, 0, sizeof(attr));
	attr.target_fd = (uint32_t)dir;
	attr.attach_bpf_fd = (uint32_t)program;
	attr.attach_type = BPF_CGROUP_DEVICE;
	rc = call(BPF_PROG_DETACH, &attr);
	return rc < 0 ? rc : 0;
}
