#include "frontend/input/gen/gen_program.h"

#define GEN_KIND_ENTRY_(name) &gen_kind_##name,
const gen_kind_t *const gen_kinds[] = {GEN_KINDS(GEN_KIND_ENTRY_) NULL};
