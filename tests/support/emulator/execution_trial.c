#include "tests/support/emulator/execution_trial.h"

#include <string.h>

#include "frontend/emulator/sass/sass_table.h"
#include "tests/support/emulator/sass_template.h"
#include "tests/support/trace/stream_check.h"
#include "tests/support/trace/stream_whole.h"
#include "tests/support/trace/synth.h"

enum { RECORD = 2, COOPERATIVE = 4, WORKERS_BIT = 3, MAX_INSTS = 20000, WORKSPACE = 4096 };

/* Blocks that have come. */
typedef struct {
    launch_info_t info;
    uint64_t blocks, insts;
} recorded_t;

static rb_code_t take_block(void *ctx, const trace_block_t *block, rb_err_t *err)
{
    recorded_t *r = ctx;

    (void)err;
    RB_INVARIANT(block->index == r->blocks, "block %llu comes as number %llu",
                 (unsigned long long)block->index, (unsigned long long)r->blocks);
    trace_block_t *whole = stream_whole(block);
    stream_check_damaged(&r->info, whole);
    stream_whole_free(whole);
    r->blocks++;
    r->insts += block->n_insts;
    return RB_OK;
}

static void fill_arrays(sass_template_t *t, unsigned seed)
{
    for (uint32_t i = 0; i < t->kernel->n_params; i++) {
        uint64_t array;

        if (t->kernel->params[i].bytes != sizeof(array))
            continue;
        memcpy(&array, t->params + t->kernel->params[i].offset, sizeof(array));
        uint8_t *host = emu_mem_at(&t->mem, array, SASS_TEMPLATE_ARRAY);
        for (uint64_t at = 0; seed != 0 && at < SASS_TEMPLATE_ARRAY; at += sizeof(uint64_t)) {
            uint64_t word = synth_mix(seed ^ at << 8);
            memcpy(host + at, &word, sizeof(word));
        }
    }
}

static rb_code_t run(sass_template_t *t, const uint8_t *head, rb_err_t *err)
{
    recorded_t r = {.info = {.id = 1, .name = "code", .file = "input"}};
    emu_launch_t l = {.grid = {1 + head[2] % 8u, 1, 1},
                      .block = {1 + head[1] * 2u, 1, 1},
                      .max_insts = MAX_INSTS,
                      .record_bytes = head[3] % 2,
                      .workers = 1 + (head[0] >> WORKERS_BIT & 3u)};

    if (head[0] & COOPERATIVE)
        l.workspace = emu_mem_alloc(&t->mem, WORKSPACE);
    if (head[0] & RECORD) {
        l.on_block = take_block;
        l.ctx = &r;
    }
    r.info.n_blocks = l.grid[0];
    memcpy(r.info.grid, l.grid, sizeof(l.grid));
    memcpy(r.info.block, l.block, sizeof(l.block));
    RB_TRY(sass_template_run(t, &l, err));
    RB_INVARIANT(l.on_block == NULL || r.blocks == l.grid[0], "not all blocks have come");
    return RB_OK;
}

rb_code_t execution_trial(const void *data, size_t n)
{
    static sass_template_t t;
    const uint8_t *head = data;
    rb_err_t err = {0};

    if (n < EXECUTION_HEAD + SASS_INST_BYTES)
        return RB_TRACE;
    sass_template_load(&t, head[0] & 1 ? 75 : 70, head + EXECUTION_HEAD, n - EXECUTION_HEAD);
    fill_arrays(&t, head[3]);
    rb_code_t rc = run(&t, head, &err);
    RB_INVARIANT(rc == err.code && (rc == RB_OK) == (err.text[0] == '\0'), "error %d '%s'", (int)rc,
                 err.text);
    sass_template_free(&t);
    return rc;
}

/* An opcode of the table, from seed on. */
static uint64_t known_opcode(uint64_t seed)
{
    enum { OPCODES = 1 << 12 };

    for (uint64_t i = 0; i < OPCODES; i++)
        if (sass_find_row((seed + i) % OPCODES, 75) != NULL)
            return (seed + i) % OPCODES;
    return 0;
}

void execution_mutate(uint8_t *data, size_t n, unsigned seed)
{
    enum { OPCODE_BITS = 0xfff, REGISTERS = 16 };
    const size_t insts = n < EXECUTION_HEAD ? 0 : (n - EXECUTION_HEAD) / SASS_INST_BYTES;
    uint64_t random = synth_mix(seed), word;

    if (insts == 0)
        return;
    uint8_t *inst = data + EXECUTION_HEAD + random % insts * SASS_INST_BYTES;
    const uint8_t *other = data + EXECUTION_HEAD + (random >> 16) % insts * SASS_INST_BYTES;
    switch (random >> 60) {
    case 0:
        memmove(inst, other, SASS_INST_BYTES);
        break;
    case 1:
    case 2: /* destination; first source; second; third */
        inst[(const uint8_t[]){2, 3, 4, 8}[random >> 32 & 3]] = (random >> 40) % REGISTERS;
        break;
    case 3:
    case 4: /* always executed */
        inst[1] = (uint8_t)((inst[1] & 0x0f) | 0x70);
        break;
    case 5: /* modifiers */
        inst[9 + (random >> 32) % 3] ^= (uint8_t)(1u << (random >> 40 & 7));
        break;
    default:
        memcpy(&word, inst, sizeof(word));
        word = (word & ~(uint64_t)OPCODE_BITS) | known_opcode(random >> 32);
        memcpy(inst, &word, sizeof(word));
    }
}
