/* The groups of settings that a configuration may have. */
#ifndef RUBATO_LIBRARY_CONFIG_GROUPS_H
#define RUBATO_LIBRARY_CONFIG_GROUPS_H

#include <stddef.h>

#include "sim/conf/param.h"

/* Group number i: the GPU's groups, then those of samplers. NULL: there is none. */
const param_group_t *config_group(size_t i);

#endif
