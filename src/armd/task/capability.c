#include "armd/task/capability.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* More than any kernel has; the first unknown number ends each loop. */
enum { CAP_NUMBERS = 64 };

int capability_clear_bounding_set(struct err *err)
{
	int bits = prctl(PR_GET_SECUREBITS);

	if (bits < 0 || (bits != SECUREBITS_DEFAULT && prctl(PR_SET_SECUREBITS, 0) < 0))
		return err_sys(err, -errno, "cannot set securebits");
	for (unsigned long cap = 0; cap < CAP_NUMBERS; cap++) {
		int has = prctl(PR_CAPBSET_READ, cap);

		if (has < 0)
			break;
		if (has && prctl(PR_CAPBSET_DROP, cap) < 0)
			return err_sys(err, -errno,
				       "cannot drop capability %lu from the bounding set", cap);
	}
	return 0;
}

int capability_bounding_set_is_empty(struct err *err)
{
	if (prctl(PR_GET_SECUREBITS) != SECUREBITS_DEFAULT)
		return err_set(err, -EPERM, "securebits are still set");
	for (unsigned long cap = 0; cap < CAP_NUMBERS; cap++)
		if (prctl(PR_CAPBSET_READ, cap) > 0)
			return err_set(err, -EPERM, "capability %lu is still in the bounding set",
				       cap);
	return 0;
}

int capability_drop(struct err *err)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 ||
	    syscall(SYS_capset, &head, none) < 0)
		return err_sys(err, -errno, "cannot drop capabilities");
	return 0;
}

int capability_is_dropped(struct err *err)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct has[_LINUX_CAPABILITY_U32S_3] = {{0}};
	uint32_t any = 0;

	if (syscall(SYS_capget, &head, has) < 0)
		return err_sys(err, -errno, "cannot read back capabilities");
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		any |= has[i].effective | has[i].permitted | has[i].inheritable;
	for (unsigned long cap = 0; cap < CAP_NUMBERS; cap++)
		any |= prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, cap, 0, 0) > 0;
	return any ? err_set(err, -EPERM, "capabilities were not dropped") : 0;
}
