/* Operands of matrix instructions: fragments of mma in the PTX ISA. */
#include "frontend/emulator/sass/sass_operands.h"

unsigned sass_matrix_shape(const sass_inst_t *in)
{
    switch (in->op) {
    case SASS_HMMA1688:
        return sass_bits(in, 75, 1) | sass_bits(in, 78, 1) << 1;
    case SASS_IMMA:
        return sass_bits(in, 75, 1) | sass_bits(in, 85, 1) << 1 |
               (in->arch >= SASS_AMPERE ? sass_bits(in, 86, 1) << 2 : 0);
    case SASS_BMMA:
        return sass_bits(in, 75, 2);
    default:
        return 0;
    }
}

bool sass_is_sparse(const sass_inst_t *in)
{
    return in->arch >= SASS_AMPERE && ((in->op == SASS_HMMA1688 && sass_bits(in, 73, 1)) ||
                                       (in->op == SASS_IMMA && sass_bits(in, 72, 1)));
}

typedef struct {
    uint8_t a, b, c;
} registers_t;

static registers_t hmma_registers(const sass_inst_t *in)
{
    const bool sparse = sass_is_sparse(in), tf32 = sass_bits(in, 83, 1);
    const unsigned shape = sass_matrix_shape(in);
    const bool deep = (tf32 && !sparse) ? shape == 0
                      : sparse          ? shape == 3 || (tf32 && shape == 1)
                                        : shape == 1;
    const uint8_t a = deep ? 4 : 2, b = sparse ? a : a / 2;

    return (registers_t){a, b, sass_bits(in, 76, 1) ? 4 : 2};
}

/* The number of registers of A, B, and of C and the result. */
static registers_t registers_of(const sass_inst_t *in)
{
    const unsigned shape = sass_matrix_shape(in);
    const bool halves = sass_bits(in, 83, 1);

    switch (in->op) {
    case SASS_HMMA884:
        return (registers_t){2, 2, 2};
    case SASS_HMMA1688:
        return hmma_registers(in);
    case SASS_DMMA:
        return (registers_t){2, 2, 4};
    case SASS_BMMA:
        return shape == 0   ? (registers_t){1, 1, 2}
               : shape == 1 ? (registers_t){2, 1, 4}
                            : (registers_t){4, 2, 4};
    default:
        break;
    }
    if (sass_is_sparse(in))
        return shape == 5 || (halves && shape == 6) ? (registers_t){2, 2, 4}
                                                    : (registers_t){4, 4, 4};
    if (shape < 4)
        return (registers_t){1, 1, 2};
    return shape == 4 || (halves && shape == 5) ? (registers_t){2, 1, 4} : (registers_t){4, 2, 4};
}

void sass_put_matrix(sass_inst_t *in, char slot)
{
    const registers_t n = registers_of(in);
    const bool is_float = in->op == SASS_HMMA884 || in->op == SASS_HMMA1688;
    sass_operand_t *o;

    if (slot == 'm') {
        sass_put_dst(in, n.c);
        return;
    }
    o = slot == 'a'   ? sass_put_reg(in, 24, n.a)
        : slot == 'b' ? sass_put_reg(in, 32, n.b)
                      : sass_put_reg(in, 64, n.c);
    sass_set_slot(in, o, slot == 'a' ? 1 : slot == 'b' ? 2 : 3);
    if (in->op == SASS_DMMA) {
        o->neg = slot == 'b' ? sass_bits(in, 63, 1) : sass_bits(in, slot == 'a' ? 72 : 75, 1);
        in->foreign |= sass_bits(in, 74, 1) || sass_bits(in, 73, 1) || sass_bits(in, 62, 1);
    } else if (is_float && !sass_is_sparse(in)) {
        o->neg = slot == 'a' ? sass_bits(in, 72, 1) : slot == 'b' && sass_bits(in, 63, 1);
        in->foreign |= o->neg;
    }
}

/* The register that tells which elements of A are stored, and which threads hold it. */
void sass_put_sparsity(sass_inst_t *in)
{
    if (!sass_is_sparse(in))
        return;
    sass_put_reg(in, 40, 1);
    sass_put_value(in, sass_bits(in, 48, 2));
}
