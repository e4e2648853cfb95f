/* Derives pipe, latency, interval and dispatch port of each opcode class from the configuration. */
#include <stddef.h>

#include "sim/sm/landing.h"

/* Cycles that a warp occupies a pipe with that many lanes. */
static uint32_t lanes_interval(uint32_t lanes)
{
    return (WARP_LANES + lanes - 1) / lanes;
}

uint32_t sm_fixed_latency(const lat_spec_t *lat, op_class_t cls)
{
    switch (cls) {
#define CASE_(id, text, pipe, group, latency)                                                      \
    case OP_##id:                                                                                  \
        return latency;
        ISA_CLASS_MAP(CASE_)
#undef CASE_
    case OP_CLASS_COUNT:
        break;
    }
    rb_panic("no opcode class %d", (int)cls);
}

static uint32_t pipe_interval(const sm_spec_t *spec, const const_spec_t *constant, pipe_t pipe)
{
    switch (pipe) {
    case PIPE_FMA:
        return lanes_interval(spec->fp32_lanes);
    case PIPE_ALU:
        return lanes_interval(spec->int_lanes);
    case PIPE_FP16:
        return lanes_interval(spec->fp16_lanes);
    case PIPE_FP64:
        return lanes_interval(spec->fp64_lanes);
    case PIPE_XU:
        return lanes_interval(spec->xu_lanes);
    case PIPE_TENSOR:
        return spec->tensor_interval > 0 ? spec->tensor_interval : 1; /* 0: see pipes.c */
    case PIPE_UNIFORM:
        return spec->uniform_interval;
    case PIPE_CBU:
        return spec->branch_interval;
    case PIPE_CONST:
        return constant->load_interval;
    default:
        return 0; /* no pipe of its own, or limited by the memory queue */
    }
}

static bool goes_through_queue(op_class_t cls)
{
    switch (cls) {
    case OP_LOAD_LG:
    case OP_STORE_LG:
    case OP_ATOM_LG:
    case OP_LOAD_SH:
    case OP_STORE_SH:
    case OP_ATOM_SH:
    case OP_S2R:
    case OP_SHFL:
    case OP_MATCH:
    case OP_TEX:
        return true;
    default:
        return false;
    }
}

/* Index of a counter. */
#define COUNTER_OF(name) (offsetof(sm_stats_t, name) / sizeof(uint64_t))

static size_t flops_counter(mix_group_t group)
{
    switch (group) {
    case MIX_FP32:
        return COUNTER_OF(flops_fp32);
    case MIX_FP64:
        return COUNTER_OF(flops_fp64);
    case MIX_TENSOR:
        return COUNTER_OF(flops_tensor);
    default:
        return COUNTER_OF(flops_fp16);
    }
}

/* Where only half of the FP32 lanes also execute integers (cc 8.6), IMAD shares those with the ALU
 * (NVIDIA GA102 white paper); one issue per cycle shares the other half. */
static pipe_t pipe_of(const sm_spec_t *spec, op_class_t cls)
{
    return cls == OP_IMAD && spec->fp32_lanes > spec->int_lanes ? PIPE_ALU : isa_class_pipe(cls);
}

op_properties_t class_properties(const sm_config_t *config, op_class_t c)
{
    const sm_spec_t *spec = &config->sm;
    const uint32_t fp_port = 1u << PIPE_FP16 | 1u << PIPE_FP64 | 1u << PIPE_TENSOR;
    const pipe_t pipe = pipe_of(spec, c);
    const mix_group_t group = isa_class_group(c);
    op_properties_t p = {
        .pipe = (uint8_t)pipe,
        .mix = (uint8_t)(COUNTER_OF(mix_fp16) + group),
        .flops = (uint8_t)flops_counter(group),
        .queued = goes_through_queue(c),
        .one_unit = pipe == PIPE_FP64 && spec->fp64_shared,
        .latency = sm_fixed_latency(&config->lat, c),
        .interval = pipe_interval(spec, &config->constant, pipe),
    };
    /* A shared FP64 unit is behind the MIO, not on the port of FP16 and tensor. */
    const bool on_port = fp_port >> pipe & 1 && !p.one_unit;
    if (spec->fp_port_shared && on_port) {
        p.port_others = (uint16_t)(fp_port & ~(1u << pipe));
        if (spec->fp64_shared)
            p.port_others &= (uint16_t) ~(1u << PIPE_FP64);
    }
    const bool through_mio =
        pipe == PIPE_XU || pipe == PIPE_MIO || pipe == PIPE_CONST || p.one_unit;
    const bool through_l1tex = pipe == PIPE_LG || pipe == PIPE_TEX;
    p.dep_kind = through_l1tex ? DEP_LONG : through_mio ? DEP_SHORT : DEP_FIXED;
    p.result = p.latency << DEP_SHIFT | p.dep_kind;
    const uint32_t window = p.interval < 2 ? 2 : p.interval;
    const uint32_t reads = window * spec->rf_bank_reads / 2;
    p.reads_free = (uint8_t)(reads < UINT8_MAX ? reads : UINT8_MAX);
    p.through_allocate = !through_mio && !through_l1tex;
    const bool by_operands = c == OP_IMMA && spec->tensor_interval == 0;
    p.varies = c == OP_HMMA || c == OP_IMAD || by_operands;
    p.simple = p.interval > 0 && p.port_others == 0 && !p.one_unit && c != OP_HMMA && c != OP_LDC &&
               !by_operands;
    return p;
}

void classes_init(sm_t *sm)
{
    for (unsigned c = 0; c < OP_CLASS_COUNT; c++)
        sm->cls[c] = class_properties(sm->config, (op_class_t)c);
}
