/*
 * The models of Nvidia gpus, as Nvidia's library of management (NVML) names them.
 *
 * The library is loaded in a child process, which ends after at most NVML_TIMEOUT_MS: armd runs no code of
 * it, and a driver that hangs delays the start only once. Without the library nothing is found.
 */
#pragma once

#include "armd/machine/machine.h"

enum { NVML_TIMEOUT_MS = 10000 };

/* Fills in the models of gpus whose device is /dev/nvidiaN. */
void nvml_read_models(struct machine *m);

/*
 * The type of a model, for the label gpu: "NVIDIA A100-SXM4-40GB" is "a100", "NVIDIA GeForce RTX 3090" is
 * "rtx3090". Empty: the text names no model.
 */
void gpu_type_of(const char *model, char ret_type[MACHINE_MODEL]);
