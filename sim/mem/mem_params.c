#include "sim/mem/mem_params.h"

#include "sim/parts/cache/replacement.h"

const param_choice_t mem_hash_choices[] = {
    {"none", "consecutive blocks go to consecutive slices"},
    {"ipoly", "remainder modulo an irreducible polynomial"},
    {"gv100", "XORs of address bits, as measured on a V100"},
    {NULL, NULL},
};

#define PARAM_SPEC_ icnt_spec_t
static const param_t icnt_rows[] = {PARAM_ROWS(ICNT_PARAMS)};
#undef PARAM_SPEC_
const param_group_t icnt_param_group =
    PARAM_GROUP("icnt", "crossbar between SMs and L2 slices", icnt_spec_t, icnt_rows);

#define PARAM_SPEC_ mem_spec_t
static const param_t mem_rows[] = {PARAM_ROWS(MEM_PARAMS)};
#undef PARAM_SPEC_
const param_group_t mem_param_group =
    PARAM_GROUP("mem", "memory partitions and address map", mem_spec_t, mem_rows);

#define PARAM_SPEC_ l2_spec_t
static const param_t l2_rows[] = {PARAM_ROWS(L2_PARAMS)};
#undef PARAM_SPEC_
const param_group_t l2_param_group = PARAM_GROUP("l2", "level-2 cache", l2_spec_t, l2_rows);

#define PARAM_SPEC_ dram_spec_t
static const param_t dram_rows[] = {PARAM_ROWS(DRAM_PARAMS)};
#undef PARAM_SPEC_
const param_group_t dram_param_group = PARAM_GROUP("dram", "DRAM channel", dram_spec_t, dram_rows);

#define PARAM_SPEC_ mmu_spec_t
static const param_t mmu_rows[] = {PARAM_ROWS(MMU_PARAMS)};
#undef PARAM_SPEC_
const param_group_t mmu_param_group =
    PARAM_GROUP("mmu", "page walks for translations that the TLBs miss", mmu_spec_t, mmu_rows);
