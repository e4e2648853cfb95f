/* Double precision: DADD, DMUL, DFMA. NaNs are the host's; the hardware's default NaN is the
 * same. */
#include <math.h>

#include "frontend/emulator/exec/emu_state.h"
#include "frontend/emulator/exec/math/emu_round.h"

typedef double __attribute__((may_alias)) emu_f64_t;

/* Source i with its sign modifiers. */
EMU_INLINE void load_double(const emu_warp_t *w, const emu_uop_t *u, unsigned i,
                            uint64_t v[EMU_LANES])
{
    const uint32_t *s = emu_src(w, u, i);

    for (int k = 0; k < EMU_LANES; k++)
        v[k] = s[k] | (uint64_t)((s[k + EMU_LANES] & u->am[i]) ^ u->xm[i]) << 32;
}

#define DOUBLE(name, n_sources, expression)                                                        \
    EMU_HOT static void name(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)                     \
    {                                                                                              \
        uint64_t s[3][EMU_LANES] = {{0}}, r[EMU_LANES];                                            \
        const emu_f64_t *x = (const emu_f64_t *)s[0], *y = (const emu_f64_t *)s[1];                \
        const emu_f64_t *v = (const emu_f64_t *)s[2];                                              \
        emu_f64_t *z = (emu_f64_t *)r;                                                             \
        (void)v;                                                                                   \
        for (unsigned i = 0; i < (n_sources); i++)                                                 \
            load_double(w, u, i, s[i]);                                                            \
        unsigned old = emu_round_begin(u->round);                                                  \
        for (int k = 0; k < EMU_LANES; k++)                                                        \
            z[k] = expression;                                                                     \
        emu_round_end(old);                                                                        \
        emu_put_u64(w, u->d, r, mask);                                                             \
    }

DOUBLE(add64, 2, x[k] + y[k])
DOUBLE(mul64, 2, x[k] * y[k])
DOUBLE(fma64, 3, __builtin_fma(x[k], y[k], v[k]))

bool emu_bind_double(const sass_inst_t *in, emu_uop_t *u)
{
    u->round = (uint8_t)sass_bits(in, 78, 2);
    u->fn = in->op == SASS_DADD ? add64 : in->op == SASS_DMUL ? mul64 : fma64;
    return in->op == SASS_DADD || in->op == SASS_DMUL || in->op == SASS_DFMA;
}
