/*
 * Reads the STEM artifact's pickle files. Pickle is a stack machine. This knows only the opcodes
 * that a list of pairs of numbers needs, in any protocol (2 to 5), and never executes anything: the
 * two constructors of a NumPy scalar are recognised by name.
 */
#include <stdlib.h>
#include <string.h>

#include "sampling/plan/plan_list.h"
#include "sampling/plan/plan_reading.h"
#include "sim/core/alloc.h"

/* Larger or deeper files are not lists of launches: Python appends a thousand pairs at a time. */
enum { FILE_MAX = 16 << 20, STACK_MAX = 1 << 16, TUPLE_MAX = 16 };

typedef enum {
    IS_OTHER, /* None, states: not used */
    IS_MARK,
    IS_NUMBER,
    IS_TEXT,   /* string or bytes; position in the file */
    IS_GLOBAL, /* class or function; position of its name in the file */
    IS_DTYPE,  /* type of a scalar; position of its name in the file */
    IS_TUPLE,
    IS_LIST /* the list of pairs */
} kind_t;

typedef struct {
    kind_t kind;
    bool whole; /* number: the value is in integer, otherwise in real */
    union {
        uint64_t integer;
        double real;
        size_t at; /* text: position in the file; tuple: index of its items */
    };
    size_t n; /* length of a text or tuple */
} value_t;

typedef struct {
    const unsigned char *data;
    size_t size, at;
    value_t *stack, *memo, *items; /* owned */
    size_t n, cap, n_memo, memo_cap, n_items, items_cap;
    bool has_list;
    plan_reading_t *reading;
} machine_t;

static rb_code_t bad(const machine_t *m, const char *what)
{
    return rb_fail(m->reading->err, RB_TRACE, "%s: offset %zu: %s", m->reading->name, m->at, what);
}

static rb_code_t not_a_list(const machine_t *m)
{
    return bad(m, "not a pickled list of pairs (launch, weight), such as the STEM artifact's");
}

static rb_code_t cut_short(const machine_t *m)
{
    return bad(m, "the pickle file is cut short");
}

static rb_code_t push(machine_t *m, value_t v)
{
    if (m->n == STACK_MAX)
        return not_a_list(m);
    rb_grow(&m->stack, &m->cap, m->n + 1, sizeof(*m->stack));
    m->stack[m->n++] = v;
    return RB_OK;
}

static rb_code_t pop(machine_t *m, value_t *v)
{
    if (m->n == 0 || m->stack[m->n - 1].kind == IS_MARK)
        return not_a_list(m);
    *v = m->stack[--m->n];
    return RB_OK;
}

/* Reads a little-endian number of n bytes. */
static rb_code_t take_number(machine_t *m, size_t n, uint64_t *v)
{
    if (m->size - m->at < n)
        return cut_short(m);
    *v = 0;
    for (size_t i = n; i-- > 0;)
        *v = *v << 8 | m->data[m->at + i];
    m->at += n;
    return RB_OK;
}

static rb_code_t skip(machine_t *m, size_t n)
{
    uint64_t ignored = 0;
    return take_number(m, n, &ignored);
}

static value_t whole_number(uint64_t v)
{
    return (value_t){.kind = IS_NUMBER, .whole = true, .integer = v};
}

static value_t real_number(double v)
{
    return (value_t){.kind = IS_NUMBER, .real = v};
}

static value_t real_of_bits(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof(d));
    return real_number(d);
}

static double number_of(const value_t *v)
{
    return v->whole ? (double)v->integer : v->real;
}

/* A signed number of that many bytes. Negative ones are neither launches nor weights. */
static value_t signed_number(uint64_t v, size_t bytes)
{
    if (bytes == 0 || !(v >> (8 * bytes - 1) & 1))
        return whole_number(v);
    return real_number(-1.0);
}

/* Pushes a string or bytes; its length is in the next bytes. */
static rb_code_t push_text(machine_t *m, size_t length_bytes)
{
    uint64_t n = 0;
    RB_TRY(take_number(m, length_bytes, &n));
    if (n > m->size - m->at)
        return cut_short(m);
    m->at += (size_t)n;
    return push(m, (value_t){.kind = IS_TEXT, .at = m->at - (size_t)n, .n = (size_t)n});
}

static rb_code_t push_integer(machine_t *m, size_t bytes, bool with_sign)
{
    uint64_t v = 0;
    RB_TRY(take_number(m, bytes, &v));
    return push(m, with_sign ? signed_number(v, bytes) : whole_number(v));
}

/* LONG1: a length byte and that many bytes; an unsigned 64-bit number has a ninth byte, 0. */
static rb_code_t push_long(machine_t *m)
{
    uint64_t n = 0;
    RB_TRY(take_number(m, 1, &n));
    if (n > m->size - m->at)
        return cut_short(m);
    if (n <= sizeof(uint64_t))
        return push_integer(m, (size_t)n, true);
    if (n > sizeof(uint64_t) + 1 || m->data[m->at + sizeof(uint64_t)] != 0)
        return bad(m, "a number is too large");
    RB_TRY(push_integer(m, sizeof(uint64_t), false));
    return skip(m, 1);
}

static rb_code_t push_float(machine_t *m)
{
    uint64_t little = 0, big = 0;
    RB_TRY(take_number(m, sizeof(little), &little));
    for (size_t i = 0; i < sizeof(little); i++)
        big = big << 8 | (little >> 8 * i & 0xff);
    return push(m, real_of_bits(big));
}

/* Replaces the last n values by one tuple. */
static rb_code_t make_tuple(machine_t *m, size_t n)
{
    if (n > m->n)
        return not_a_list(m);
    value_t tuple = {.kind = IS_TUPLE, .at = m->n_items, .n = n};
    rb_grow(&m->items, &m->items_cap, m->n_items + n + 1, sizeof(*m->items));
    for (size_t i = m->n - n; i < m->n; i++) {
        if (m->stack[i].kind == IS_MARK)
            return not_a_list(m);
        m->items[m->n_items++] = m->stack[i];
    }
    m->n -= n;
    return push(m, tuple);
}

/* Number of values above the last mark. */
static rb_code_t above_mark(const machine_t *m, size_t *n)
{
    for (*n = 0; *n < m->n; ++*n) {
        if (m->stack[m->n - 1 - *n].kind == IS_MARK)
            return RB_OK;
    }
    return not_a_list(m);
}

static rb_code_t make_marked_tuple(machine_t *m)
{
    size_t n = 0;
    RB_TRY(above_mark(m, &n));
    if (n > TUPLE_MAX)
        return not_a_list(m);
    RB_TRY(make_tuple(m, n));
    m->stack[m->n - 2] = m->stack[m->n - 1];
    m->n--;
    return RB_OK;
}

static rb_code_t add_pair(machine_t *m, const value_t *pair)
{
    if (pair->kind != IS_TUPLE || pair->n != 2)
        return not_a_list(m);
    const value_t *id = &m->items[pair->at], *weight = id + 1;
    if (id->kind != IS_NUMBER || weight->kind != IS_NUMBER)
        return not_a_list(m);
    if (!id->whole || id->integer == UINT64_MAX)
        return bad(m, "a launch id is not a whole number from 0");
    if (!plan_weight_valid(number_of(weight)))
        return bad(m, "a launch has no weight above 0 and up to 1e12");
    return plan_reading_pair(m->reading, id->integer + 1, number_of(weight));
}

static rb_code_t append_marked(machine_t *m)
{
    size_t n = 0;
    RB_TRY(above_mark(m, &n));
    if (m->n < n + 2 || m->stack[m->n - n - 2].kind != IS_LIST)
        return not_a_list(m);
    for (size_t i = m->n - n; i < m->n; i++)
        RB_TRY(add_pair(m, &m->stack[i]));
    m->n -= n + 1;
    return RB_OK;
}

static rb_code_t append_one(machine_t *m)
{
    value_t pair = {0};
    RB_TRY(pop(m, &pair));
    if (m->n == 0 || m->stack[m->n - 1].kind != IS_LIST)
        return not_a_list(m);
    return add_pair(m, &pair);
}

static bool text_is(const machine_t *m, const value_t *v, const char *text)
{
    return v->n == strlen(text) && memcmp(m->data + v->at, text, v->n) == 0;
}

/* Reads a line: GLOBAL has a module and a class as lines. */
static rb_code_t take_line(machine_t *m, value_t *v)
{
    const unsigned char *end = memchr(m->data + m->at, '\n', m->size - m->at);
    if (end == NULL)
        return cut_short(m);
    *v = (value_t){.kind = IS_TEXT, .at = m->at, .n = (size_t)(end - m->data) - m->at};
    m->at += v->n + 1;
    return RB_OK;
}

static rb_code_t push_global(machine_t *m, bool from_stack)
{
    value_t module = {0}, name = {0};
    if (from_stack) {
        RB_TRY(pop(m, &name));
        RB_TRY(pop(m, &module));
    } else {
        RB_TRY(take_line(m, &module));
        RB_TRY(take_line(m, &name));
    }
    if (module.kind != IS_TEXT || name.kind != IS_TEXT || module.n < 5 ||
        memcmp(m->data + module.at, "numpy", 5) != 0)
        return not_a_list(m);
    name.kind = IS_GLOBAL;
    return push(m, name);
}

/* scalar(dtype, bytes); the dtype must have that many bytes. */
static rb_code_t make_scalar(machine_t *m, const value_t *type, const value_t *bytes)
{
    if (type->kind != IS_DTYPE || bytes->kind != IS_TEXT || type->n != 2 || bytes->n == 0 ||
        bytes->n > 8 || m->data[type->at + 1] != '0' + bytes->n)
        return not_a_list(m);
    const size_t here = m->at;
    uint64_t v = 0;
    m->at = bytes->at;
    rb_code_t rc = take_number(m, bytes->n, &v);
    m->at = here;
    RB_TRY(rc);
    switch (m->data[type->at]) {
    case 'i':
        return push(m, signed_number(v, bytes->n));
    case 'u':
        return push(m, whole_number(v));
    case 'f':
        if (bytes->n == 4) {
            uint32_t bits = (uint32_t)v;
            float f;
            memcpy(&f, &bits, sizeof(f));
            return push(m, real_number(f));
        }
        return bytes->n == 8 ? push(m, real_of_bits(v)) : not_a_list(m);
    default:
        return not_a_list(m);
    }
}

static rb_code_t reduce(machine_t *m)
{
    value_t arguments = {0}, callable = {0};
    RB_TRY(pop(m, &arguments));
    RB_TRY(pop(m, &callable));
    if (callable.kind != IS_GLOBAL || arguments.kind != IS_TUPLE || arguments.n < 1)
        return not_a_list(m);
    const value_t *argument = &m->items[arguments.at];
    if (text_is(m, &callable, "dtype") && argument->kind == IS_TEXT)
        return push(m, (value_t){.kind = IS_DTYPE, .at = argument->at, .n = argument->n});
    if (text_is(m, &callable, "scalar") && arguments.n == 2)
        return make_scalar(m, argument, argument + 1);
    return not_a_list(m);
}

static rb_code_t remember(machine_t *m, uint64_t index)
{
    /* Python numbers memo entries without gaps. */
    if (m->n == 0 || index > m->n_memo)
        return not_a_list(m);
    if (index == m->n_memo) {
        rb_grow(&m->memo, &m->memo_cap, m->n_memo + 1, sizeof(*m->memo));
        m->n_memo++;
    }
    m->memo[index] = m->stack[m->n - 1];
    return RB_OK;
}

/* BINPUT and LONG_BINPUT, or BINGET and LONG_BINGET. */
static rb_code_t use_memo(machine_t *m, size_t bytes, bool put)
{
    uint64_t index = 0;
    RB_TRY(take_number(m, bytes, &index));
    if (put)
        return remember(m, index);
    if (index >= m->n_memo)
        return not_a_list(m);
    return push(m, m->memo[index]);
}

static rb_code_t push_list(machine_t *m)
{
    if (m->has_list)
        return not_a_list(m);
    m->has_list = true;
    return push(m, (value_t){.kind = IS_LIST});
}

/* The state of a dtype (its byte order) is not needed. */
static rb_code_t build(machine_t *m)
{
    value_t state = {0};
    return pop(m, &state);
}

/* Executes one opcode; the names are those of Python's pickletools. */
static rb_code_t step(machine_t *m, unsigned char code)
{
    switch (code) {
    case 0x80: /* PROTO */
        return skip(m, 1);
    case 0x95: /* FRAME */
        return skip(m, 8);
    case ']': /* EMPTY_LIST */
        return push_list(m);
    case '(': /* MARK */
        return push(m, (value_t){.kind = IS_MARK});
    case 'J': /* BININT */
        return push_integer(m, 4, true);
    case 'K': /* BININT1 */
        return push_integer(m, 1, false);
    case 'M': /* BININT2 */
        return push_integer(m, 2, false);
    case 0x8a: /* LONG1 */
        return push_long(m);
    case 'G': /* BINFLOAT */
        return push_float(m);
    case 0x85: /* TUPLE1 */
        return make_tuple(m, 1);
    case 0x86: /* TUPLE2 */
        return make_tuple(m, 2);
    case 0x87: /* TUPLE3 */
        return make_tuple(m, 3);
    case 't': /* TUPLE */
        return make_marked_tuple(m);
    case 'a': /* APPEND */
        return append_one(m);
    case 'e': /* APPENDS */
        return append_marked(m);
    case 0x8c: /* SHORT_BINUNICODE */
    case 'C':  /* SHORT_BINBYTES */
        return push_text(m, 1);
    case 'X': /* BINUNICODE */
    case 'B': /* BINBYTES */
        return push_text(m, 4);
    case 'N':  /* NONE */
    case 0x88: /* NEWTRUE */
    case 0x89: /* NEWFALSE */
        return push(m, (value_t){.kind = IS_OTHER});
    case 'c': /* GLOBAL */
        return push_global(m, false);
    case 0x93: /* STACK_GLOBAL */
        return push_global(m, true);
    case 'R': /* REDUCE */
        return reduce(m);
    case 'b': /* BUILD */
        return build(m);
    case 0x94: /* MEMOIZE */
        return remember(m, m->n_memo);
    case 'q': /* BINPUT */
        return use_memo(m, 1, true);
    case 'r': /* LONG_BINPUT */
        return use_memo(m, 4, true);
    case 'h': /* BINGET */
        return use_memo(m, 1, false);
    case 'j': /* LONG_BINGET */
        return use_memo(m, 4, false);
    default:
        return not_a_list(m);
    }
}

static rb_code_t execute(machine_t *m)
{
    for (;;) {
        if (m->at == m->size)
            return cut_short(m);
        unsigned char code = m->data[m->at++];
        if (code == '.') /* STOP */
            break;
        RB_TRY(step(m, code));
    }
    return m->n == 1 && m->stack[0].kind == IS_LIST ? RB_OK : not_a_list(m);
}

static rb_code_t read_file(FILE *in, unsigned char **data, size_t *size, plan_reading_t *g)
{
    enum { CHUNK = 1 << 16 };
    size_t cap = 0;
    for (size_t got = CHUNK; got == CHUNK; *size += got) {
        if (*size >= FILE_MAX)
            return rb_fail(g->err, RB_TRACE,
                           "%s: a list of launches must not be larger than %d MiB", g->name,
                           FILE_MAX >> 20);
        rb_grow(data, &cap, *size + CHUNK, 1);
        got = fread(*data + *size, 1, CHUNK, in);
    }
    return RB_OK;
}

rb_code_t plan_read_pickle(plan_t *plan, FILE *in, const char *name, rb_err_t *err)
{
    plan_reading_t g;
    unsigned char *data = NULL;
    size_t size = 0;
    plan_reading_begin(&g, plan, "list", name, err);
    rb_code_t rc = read_file(in, &data, &size, &g);
    if (rc == RB_OK && !ferror(in)) {
        machine_t m = {.data = data, .size = size, .reading = &g};
        rc = execute(&m);
        free(m.stack);
        free(m.memo);
        free(m.items);
    }
    free(data);
    if (rc == RB_OK)
        rc = plan_reading_join_pairs(&g);
    return plan_reading_finish(&g, in, rc);
}
