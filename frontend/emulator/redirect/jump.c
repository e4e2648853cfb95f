#include "frontend/emulator/redirect/jump.h"

#include <string.h>

enum { X86_64 = 62, AARCH64 = 183 };

/* Intel's manual, volume 2: ENDBR64; MOV r11, imm64; NOTRACK JMP r11. Calls may change r11. */
static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
static const uint8_t mov_r11[] = {0x49, 0xbb}, jmp_r11[] = {0x3e, 0x41, 0xff, 0xe3};

/* Arm's manual, chapter C6: LDR x16, .+8; BR x16. Calls may change x16. */
static const uint32_t ldr_x16 = 0x58000050u, br_x16 = 0xd61f0200u;

static size_t append(uint8_t *jump, size_t at, const void *bytes, size_t n)
{
    memcpy(jump + at, bytes, n);
    return at + n;
}

size_t jump_encode(uint8_t jump[JUMP_MAX_BYTES], unsigned machine, const uint8_t *code, size_t n,
                   uint64_t target)
{
    enum { padded = sizeof(endbr64) + sizeof(mov_r11) + sizeof(target) + sizeof(jmp_r11) };
    size_t at = 0;

    if (machine == X86_64) {
        if (n >= padded && memcmp(code, endbr64, sizeof(endbr64)) == 0)
            at = append(jump, at, endbr64, sizeof(endbr64));
        at = append(jump, at, mov_r11, sizeof(mov_r11));
        at = append(jump, at, &target, sizeof(target));
        at = append(jump, at, jmp_r11, sizeof(jmp_r11));
    } else if (machine == AARCH64) {
        at = append(jump, at, &ldr_x16, sizeof(ldr_x16));
        at = append(jump, at, &br_x16, sizeof(br_x16));
        at = append(jump, at, &target, sizeof(target));
    }
    return at <= n ? at : 0;
}
