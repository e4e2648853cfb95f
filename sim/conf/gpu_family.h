/* Recognises GPUs that are not modelled, for messages. */
#ifndef RUBATO_CONF_GPU_FAMILY_H
#define RUBATO_CONF_GPU_FAMILY_H

/* "Ampere" for "a100", "RTX 3090" or "sm_80"; NULL for Volta, Turing and unknown names. */
const char *gpu_family_not_modelled(const char *name);

#endif
