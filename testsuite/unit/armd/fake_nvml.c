/*
 * A library of management of Nvidia with two gpus, for tests: libnvidia-ml.so.1. With FAKE_NVML=hang it does
 * not answer, with FAKE_NVML=fail it finds no driver, with FAKE_NVML=mixed the gpus differ.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int nvmlInit_v2(void);
EXPORT int nvmlDeviceGetCount_v2(unsigned *count);
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
EXPORT int nvmlDeviceGetName(void *device, char *name, unsigned length);
EXPORT int nvmlDeviceGetMinorNumber(void *device, unsigned *minor_number);

static int mode_is(const char *mode)
{
	const char *is = getenv("FAKE_NVML");

	return is && strcmp(is, mode) == 0;
}

int nvmlInit_v2(void)
{
	while (mode_is("hang"))
		pause();
	return mode_is("fail") ? 9 : 0;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
	*count = 2;
	return 0;
}

/* The minor numbers are not in the order of the indices. */
static const unsigned minors[] = {1, 0};

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
	*device = (void *)(size_t)&minors[index];
	return 0;
}

int nvmlDeviceGetName(void *device, char *name, unsigned length)
{
	snprintf(name, length, "%s",
		 mode_is("mixed") && device == (void *)(size_t)&minors[0]
			 ? "NVIDIA L40S"
			 : "NVIDIA A100-SXM4-40GB");
	return 0;
}

int nvmlDeviceGetMinorNumber(void *device, unsigned *minor_number)
{
	*minor_number = *(const unsigned *)device;
	return 0;
}
