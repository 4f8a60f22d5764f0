/*
 * Finds the gpus of the machine: the declared devices, or else those that can compute according to
 * the kernel. Input: the declaration of the node. Output: m->gpus with path, bus address and
 * device numbers.
 *
 * Nvidia: each gpu has a /dev/nvidiaN. AMD: the nodes of kfd that have compute units; their device is
 * /dev/dri/renderN. Intel: only gpus in a slot, because integrated gpus are for displays. Other
 * render nodes (the display of a virtual machine) are ignored. If more gpus are declared than found,
 * no device is known.
 */
#include "armd/machine/gpus.h"
#include "armd/machine/nvml.h"

#include "util/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct found {
	int number; /* of the device; gpus are sorted by it */
	struct machine_gpu gpu;
};

struct finder {
	const char *root;
	struct found list[PLACE_GPUS];
	size_t count;
};

static void device_of(struct armada_device *d, const char *path)
{
	struct stat st;

	*d = (struct armada_device){.path = path};
	if (stat(path, &st) < 0)
		return;
	d->major = major(st.st_rdev);
	d->minor = minor(st.st_rdev);
	d->block = S_ISBLK(st.st_mode);
}

static void add(struct finder *f, int number, const char *path, const char *bus)
{
	struct found *x;

	if (f->count == PLACE_GPUS)
		return;
	x = &f->list[f->count++];
	*x = (struct found){.number = number};
	snprintf(x->gpu.path, sizeof(x->gpu.path), "%s", path);
	snprintf(x->gpu.bus, sizeof(x->gpu.bus), "%s", bus);
}

/* Call found for each name in a directory that consists of prefix and a number. */
static void each_numbered(struct finder *f, const char *dir, const char *prefix,
			  void (*found)(struct finder *f, int number))
{
	CLEANUP_FREE char *path = xasprintf("%s%s", f->root, dir);
	CLEANUP_DIR DIR *d = opendir(path);
	struct dirent *de;

	while (d && (de = readdir(d))) {
		const char *digits = de->d_name + strlen(prefix);

		if (strncmp(de->d_name, prefix, strlen(prefix)) == 0 && *digits &&
		    strspn(digits, "0123456789") == strlen(digits) && strlen(digits) < 6)
			found(f, atoi(digits));
	}
}

static FILE *open_text(const struct finder *f, const char *path)
{
	CLEANUP_FREE char *whole = xasprintf("%s%s", f->root, path);

	return fopen(whole, "re");
}

/* True if the information file of a bus address has "Device Minor: NUMBER". Its model is kept. */
static bool nvidia_is(const struct finder *f, const char *bus, int number,
		      char ret_model[MACHINE_MODEL])
{
	CLEANUP_FREE char *path = xasprintf("/proc/driver/nvidia/gpus/%s/information", bus);
	CLEANUP_FILE FILE *file = open_text(f, path);
	char line[256];
	int minor_number = -1;

	ret_model[0] = '\0';
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Model: %95[^\n]", ret_model) != 1 &&
		    sscanf(line, "Device Minor: %d", &minor_number) == 1)
			break;
	return minor_number == number;
}

static void add_nvidia(struct finder *f, int number)
{
	CLEANUP_FREE char *dir = xasprintf("%s/proc/driver/nvidia/gpus", f->root);
	CLEANUP_FREE char *path = xasprintf("/dev/nvidia%d", number);
	CLEANUP_DIR DIR *d = opendir(dir);
	struct dirent *de;
	char bus[24] = "", model[MACHINE_MODEL] = "";

	while (d && !bus[0] && (de = readdir(d)))
		if (de->d_name[0] != '.' && strlen(de->d_name) < sizeof(bus) &&
		    nvidia_is(f, de->d_name, number, model))
			memcpy(bus, de->d_name, strlen(de->d_name) + 1);
	add(f, number, path, bus);
	if (bus[0] && f->count)
		snprintf(f->list[f->count - 1].gpu.model, MACHINE_MODEL, "%s", model);
}

/*
 * The last part of the target of a link of a render node; "" if there is no link, or the name is
 * too long.
 */
static void link_name(const struct finder *f, int number, const char *link, char ret_name[24])
{
	CLEANUP_FREE char *path = xasprintf("%s/sys/class/drm/renderD%d/%s", f->root, number, link);
	char to[PATH_MAX];
	ssize_t n = readlink(path, to, sizeof(to) - 1);
	const char *name;

	to[n < 0 ? 0 : n] = '\0';
	name = strrchr(to, '/') ? strrchr(to, '/') + 1 : to;
	ret_name[0] = '\0';
	if (strlen(name) < 24)
		memcpy(ret_name, name, strlen(name) + 1);
}

static void add_render(struct finder *f, int number)
{
	CLEANUP_FREE char *path = xasprintf("/dev/dri/renderD%d", number);
	char bus[24];

	link_name(f, number, "device", bus);
	add(f, number, path, bus);
}

static void add_kfd(struct finder *f, int node)
{
	CLEANUP_FREE char *path =
		xasprintf("/sys/class/kfd/kfd/topology/nodes/%d/properties", node);
	CLEANUP_FILE FILE *file = open_text(f, path);
	int render = 0, units = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "drm_render_minor %d", &render);
		sscanf(line, "simd_count %d", &units);
	}
	if (render > 0 && units > 0)
		add_render(f, render);
}

static void add_intel(struct finder *f, int number)
{
	char driver[24], bus[24];

	link_name(f, number, "device/driver", driver);
	link_name(f, number, "device", bus);
	if ((strcmp(driver, "xe") == 0 || strcmp(driver, "i915") == 0) && bus[0] &&
	    strncmp(bus, "0000:00:", 8) != 0)
		add_render(f, number);
}

static int by_device(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return x->number - y->number;
}

static void find_all(struct finder *f)
{
	each_numbered(f, "/dev", "nvidia", add_nvidia);
	if (f->count == 0)
		each_numbered(f, "/sys/class/kfd/kfd/topology/nodes", "", add_kfd);
	if (f->count == 0)
		each_numbered(f, "/dev/dri", "renderD", add_intel);
	if (f->count)
		qsort(f->list, f->count, sizeof(f->list[0]), by_device);
}

/* A declared path. The number in the path, if any, leads to its bus address. */
static int add_declared(struct finder *f, const char *path, struct err *err)
{
	size_t before = f->count;
	struct stat st;
	int number;

	if (strlen(path) >= sizeof(f->list[0].gpu.path) || path[0] != '/')
		return err_set(err, -EINVAL, "gpu_devices: '%s' is not the path of a device", path);
	if (stat(path, &st) < 0)
		return err_sys(err, -errno, "gpu_devices: %s", path);
	if (!S_ISCHR(st.st_mode))
		return err_set(err, -EINVAL, "gpu_devices: %s is not a device", path);
	if (sscanf(path, "/dev/nvidia%d", &number) == 1)
		add_nvidia(f, number);
	else if (sscanf(path, "/dev/dri/renderD%d", &number) == 1)
		add_render(f, number);
	if (f->count == before)
		add(f, 0, path, "");
	return 0;
}

static void add_common(struct machine *m)
{
	static const char *const paths[] = {
		"/dev/nvidiactl",      "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools",
		"/dev/nvidia-modeset", "/dev/kfd",
	};
	struct stat st;

	m->common = xcalloc(ARRAY_SIZE(paths), sizeof(*m->common));
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if (stat(paths[i], &st) == 0)
			device_of(&m->common[m->common_count++], paths[i]);
}

static void keep(struct machine *m, const struct finder *f, size_t want)
{
	m->gpus = xcalloc(want + 1, sizeof(*m->gpus));
	m->gpu_count = want;
	m->devices_known = f->count > 0 && want <= f->count;
	for (size_t i = 0; m->devices_known && i < want; i++) {
		m->gpus[i] = f->list[i].gpu;
		device_of(&m->gpus[i].device, m->gpus[i].path);
	}
	if (m->devices_known)
		add_common(m);
}

int machine_find_gpus(struct machine *m, const struct machine_declared *d, struct err *err)
{
	struct finder *f = xcalloc(1, sizeof(*f));
	int rc = 0;

	f->root = d->root ? d->root : "";
	for (size_t i = 0; rc == 0 && i < d->gpu_device_count; i++)
		rc = add_declared(f, d->gpu_devices[i], err);
	if (!d->gpu_device_count)
		find_all(f);
	if (rc == 0) {
		keep(m, f, d->gpus >= 0 ? (size_t)d->gpus : f->count);
		nvml_read_models(m);
	}
	free(f);
	return rc;
}

void machine_gpu_type(const struct machine *m, char ret_type[MACHINE_MODEL])
{
	ret_type[0] = '\0';
	for (size_t i = 1; i < m->gpu_count; i++)
		if (strcmp(m->gpus[i].model, m->gpus[0].model) != 0)
			return;
	if (m->gpu_count)
		gpu_type_of(m->gpus[0].model, ret_type);
}
