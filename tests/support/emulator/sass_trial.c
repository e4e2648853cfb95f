#include "tests/support/emulator/sass_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/exec/emu_launch.h"
#include "frontend/emulator/sass/code_file.h"
#include "sim/core/log.h"
#include "tests/support/emulator/sass_template.h"
#include "tests/support/temp_folder.h"

enum {
    MEMORY_BYTES = 16 << 20,
    PAGE_SHIFT = 9,
    MAX_LOADED = 2, /* cubins of a file that are loaded */
    MAX_INSTS = 20000,
};

static const uint64_t memory_base = 0x7f0000000000ull;

/* Text and the simulator's form of an instruction. */
static void list_instruction(const uint8_t *code, uint32_t pc, unsigned arch)
{
    char text[SASS_TEXT_MAX], mnemonic[SASS_TEXT_MAX];
    sass_inst_t in;
    inst_t out;

    bool known = sass_decode(&in, code, pc, arch);
    RB_INVARIANT(known == (in.op != SASS_UNKNOWN), "known %d, opcode %u", known, in.op);
    RB_INVARIANT(in.n_operands <= SASS_MAX_OPERANDS, "%u operands", in.n_operands);
    RB_INVARIANT(sass_text(&in, text) == strlen(text), "length of '%s'", text);
    RB_INVARIANT(sass_mnemonic(&in, mnemonic) == strlen(mnemonic), "length of '%s'", mnemonic);
    bool simulated = sass_to_inst(&in, arch, &out);
    RB_INVARIANT(out.pc == pc || !simulated, "pc");
}

static void list_kernels(const cubin_t *c)
{
    for (uint32_t i = 0; i < c->n_kernels; i++) {
        const cubin_kernel_t *k = &c->kernels[i];
        RB_INVARIANT(k->code_bytes % SASS_INST_BYTES == 0, "code of %u bytes", k->code_bytes);
        for (uint32_t pc = 0; pc < k->code_bytes; pc += SASS_INST_BYTES)
            list_instruction(k->code + pc, pc, c->arch);
    }
}

static rb_code_t load(const cubin_t *c, rb_err_t *err)
{
    emu_mem_t mem;
    emu_module_t module;
    const emu_code_t *code;

    RB_TRY(emu_mem_init(&mem, memory_base, MEMORY_BYTES, PAGE_SHIFT, false, err));
    rb_code_t rc = emu_module_open(&module, &mem, c->elf.origin, c->elf.data, c->elf.size, err);
    if (rc == RB_OK) {
        for (uint32_t i = 0; i < module.cubin.n_kernels && rc == RB_OK; i++)
            rc = emu_module_code(&module, &module.cubin.kernels[i], &code, err);
        emu_module_close(&module);
    }
    emu_mem_free(&mem);
    return rc == RB_NOMEM ? RB_OK : rc; /* variables larger than the small memory of the test */
}

rb_code_t cubin_trial(const void *data, size_t n)
{
    rb_err_t err = {0};
    code_file_t f;

    temp_write_bytes("code", data, n);
    rb_code_t rc = code_file_open(&f, temp_path("code"), 0, &err);
    RB_INVARIANT(rc == err.code && (rc == RB_OK) == (err.text[0] == '\0'), "error %d '%s'", (int)rc,
                 err.text);
    if (rc != RB_OK)
        return rc;
    for (uint32_t i = 0; i < f.n_cubins; i++) {
        list_kernels(&f.cubins[i]);
        if (i < MAX_LOADED && rc == RB_OK)
            rc = load(&f.cubins[i], &err);
    }
    code_file_close(&f);
    return rc;
}

/* --- instructions ---------------------------------------------------------------------------- */

rb_code_t sass_trial(const void *data, size_t n)
{
    static sass_template_t t;
    const uint8_t *code = (const uint8_t *)data + 1;
    const unsigned arch = n > 0 && (*(const uint8_t *)data & 1) ? 75 : 70;
    rb_err_t err = {0};
    emu_launch_t l = {.grid = {2, 1, 1},
                      .block = {40, 1, 1}, /* a warp, and part of one */
                      .max_insts = MAX_INSTS};

    if (n < 1 + SASS_INST_BYTES)
        return RB_TRACE;
    for (uint32_t pc = 0; pc + SASS_INST_BYTES < n; pc += SASS_INST_BYTES)
        list_instruction(code + pc, pc, arch);
    sass_template_load(&t, arch, code, n - 1);
    rb_code_t rc = sass_template_run(&t, &l, &err);
    RB_INVARIANT((rc == RB_OK) == (err.text[0] == '\0'), "error %d '%s'", (int)rc, err.text);
    sass_template_free(&t);
    return rc;
}
