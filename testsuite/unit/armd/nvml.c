/* The models of Nvidia gpus: from NVML, from the driver's files, and the types that they lead to. */
#include "armd/machine/nvml.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_types(void)
{
	static const struct {
		const char *model, *type;
	} cases[] = {
		{"NVIDIA A100-SXM4-40GB", "a100"},
		{"NVIDIA H100 80GB HBM3", "h100"},
		{"Tesla V100-SXM2-16GB", "v100"},
		{"NVIDIA GeForce RTX 3090", "rtx3090"},
		{"NVIDIA GeForce GTX 1080 Ti", "gtx1080ti"},
		{"NVIDIA GeForce RTX 2080 SUPER", "rtx2080super"},
		{"Quadro RTX 8000", "rtx8000"},
		{"NVIDIA RTX 6000 Ada Generation", "rtx6000"},
		{"NVIDIA GH200 480GB", "gh200"},
		{"NVIDIA L40S", "l40s"},
		{"NVIDIA", ""},
		{"", ""},
		{"- /;$", ""},
	};
	char type[MACHINE_MODEL], large[400];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		gpu_type_of(cases[i].model, type);
		is_str(type, cases[i].type, "the type of '%s'", cases[i].model);
	}
	memset(large, 'x', sizeof(large));
	large[sizeof(large) - 1] = '\0';
	gpu_type_of(large, type);
	ok(strlen(type) < sizeof(type), "a long model is cut");
}

static void find(const char *mode, struct machine *m)
{
	static struct machine_gpu gpus[2];

	memset(gpus, 0, sizeof(gpus));
	snprintf(gpus[0].path, sizeof(gpus[0].path), "/dev/nvidia0");
	snprintf(gpus[1].path, sizeof(gpus[1].path), "/dev/nvidia1");
	*m = (struct machine){.gpus = gpus, .gpu_count = 2};
	setenv("FAKE_NVML", mode, 1);
	nvml_read_models(m);
}

static void test_library(void)
{
	char type[MACHINE_MODEL];
	struct machine m;

	find("", &m);
	is_str(m.gpus[0].model, "NVIDIA A100-SXM4-40GB", "NVML names the model");
	machine_gpu_type(&m, type);
	is_str(type, "a100", "gpus of one model have a type");
	find("mixed", &m);
	is_str(m.gpus[1].model, "NVIDIA L40S", "a gpu is found by its minor number");
	machine_gpu_type(&m, type);
	is_str(type, "", "gpus of several models have no common type");
	find("fail", &m);
	is_str(m.gpus[0].model, "", "without a driver no model is known");
	find("hang", &m);
	is_str(m.gpus[0].model, "", "a library that hangs is ended");
}

/* Without NVML the files of the driver have the model. */
static void test_files(void)
{
	char dir[] = "/tmp/armada-gpus-XXXXXX", command[600], type[MACHINE_MODEL];
	struct machine_declared d = {.gpus = -1, .root = dir};
	struct machine m;
	struct err err;

	if (!mkdtemp(dir))
		bail("mkdtemp");
	snprintf(
		command, sizeof(command),
		"cd %s && P=proc/driver/nvidia/gpus/0000:3b:00.0 && mkdir -p dev $P &&"
		"printf 'Model: \\t\\t NVIDIA H100 80GB HBM3\\nDevice Minor: \\t 0\\n' >$P/information &&"
		"touch dev/nvidia0",
		dir);
	is_int(system(command), 0, "a gpu is made");
	setenv("FAKE_NVML", "fail", 1);
	is_int(machine_read(&d, &m, &err), 0, "it is detected");
	machine_gpu_type(&m, type);
	is_str(type, "h100", "the files of the driver have its model");
	machine_free(&m);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	is_int(system(command), 0, "the directory is removed");
}

/* The loader reads LD_LIBRARY_PATH when the program starts. */
static void restart_with_library(char **argv)
{
	const char *build = getenv("ARMADA_BUILDDIR");
	CLEANUP_FREE char *dir = xasprintf("%s/testsuite/unit/armd", build ? build : ".");

	if (getenv("FAKE_NVML"))
		return;
	setenv("FAKE_NVML", "", 1);
	setenv("LD_LIBRARY_PATH", dir, 1);
	execv("/proc/self/exe", argv);
	bail("execv: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	(void)argc;
	restart_with_library(argv);
	test_types();
	test_library();
	test_files();
	return done();
}
