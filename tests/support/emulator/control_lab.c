#include "tests/support/emulator/control_lab.h"

#include <string.h>

static void run_line(synth_warp_t *w, const void *ctx)
{
    const control_line_t *line = ctx;
    const uint64_t shared = 0, global = 0x7f0000000000;

    for (unsigned i = 0; line[i].mnemonic != NULL; i++) {
        bool lds = strncmp(line[i].mnemonic, "LDS", 3) == 0;
        bool sts = strncmp(line[i].mnemonic, "STS", 3) == 0;
        bool ldg =
            strncmp(line[i].mnemonic, "LDG", 3) == 0 && strcmp(line[i].mnemonic, "LDGDEPBAR") != 0;
        bool memory = lds || sts || ldg;

        if (memory)
            synth_emit_affine(w, i, (uint32_t)SYNTH_FULL_MASK, lds || sts ? shared : global, 4);
        else
            synth_emit(w, i, (uint32_t)SYNTH_FULL_MASK);
    }
}

synth_t *control_lab_program(const gpu_spec_t *spec, const control_line_t *line, uint32_t warps)
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "controlled",
        &(synth_shape_t){
            .arch = spec->gpu.arch, .block = {warps * WARP}, .shared = 1024, .regs = 64});

    for (unsigned i = 0; line[i].mnemonic != NULL; i++) {
        const control_line_t *l = &line[i];
        unsigned n = l->imm != 0 ? synth_code_imm(k, l->mnemonic, l->imm)
                                 : synth_code(k, l->mnemonic, l->dst, l->src);

        synth_control(k, n,
                      synth_control_word(l->stall, l->yield, l->write, l->read, l->wait, l->reuse));
        if (strcmp(l->mnemonic, "CS2R") == 0)
            synth_inst(k, n)->flags |= INST_CLOCK;
    }
    synth_kernel_body(k, run_line, line);
    return s;
}

clock_lab_t control_lab_run(const gpu_spec_t *spec, const control_line_t *line, uint32_t warps)
{
    return clock_lab_run(spec, control_lab_program(spec, line, warps), 1, 0, true);
}

uint64_t control_lab_elapsed(const gpu_spec_t *spec, const control_line_t *line)
{
    clock_lab_t t = control_lab_run(spec, line, 1);

    assert_true(t.n >= 2);
    assert_int_equal(lab_state_sum(&t.result.sm), t.result.warp_slot_cycles);
    return t.read[t.n - 1].cycle - t.read[0].cycle;
}
