/*
 * The generation of a GPU that is not modelled, by the name that people use: for messages.
 */
#ifndef RUBATO_CONF_GPU_FAMILY_H
#define RUBATO_CONF_GPU_FAMILY_H

/* "Ampere" for "a100", "RTX 3090" or "sm_80"; NULL: Volta, Turing, or unknown. */
const char *gpu_family_not_modelled(const char *name);

#endif
