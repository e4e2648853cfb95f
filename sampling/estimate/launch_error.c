#include "sampling/estimate/launch_error.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/core/alloc.h"

/* Bytes: the numbers of replicates and of rows, then the value of each row (16 bits), then the rows. */
typedef struct {
    uint64_t n, rows;
} head_t;

static double value_of(const launch_estimate_t *e, size_t i)
{
    return i == 0 ? e->cycles : e->counter[i - 1];
}

static bool varies(const launch_replicates_t *r, size_t value)
{
    for (size_t i = 1; i < r->n; i++)
        if (value_of(&r->list[i], value) != value_of(&r->list[0], value))
            return true;
    return false;
}

static double mean_of(const launch_replicates_t *r, size_t value)
{
    double sum = 0;
    for (size_t i = 0; i < r->n; i++)
        sum += value_of(&r->list[i], value);
    return sum / (double)r->n;
}

static size_t bytes_of(const head_t *h)
{
    return sizeof(*h) + h->rows * (sizeof(uint16_t) + h->n * sizeof(float));
}

static void write_row(uint8_t *row, const launch_replicates_t *r, size_t value)
{
    const double mean = mean_of(r, value);
    for (size_t i = 0; i < r->n; i++) {
        const float d = (float)(value_of(&r->list[i], value) - mean);
        memcpy(row + i * sizeof(d), &d, sizeof(d));
    }
}

/* Whether no value is too large; the error of NAN is not known. */
static bool fits(const launch_replicates_t *r)
{
    for (size_t i = 0; i < r->n; i++)
        for (size_t v = 0; v < LAUNCH_VALUES; v++)
            if (fabs(value_of(&r->list[i], v)) >= FLT_MAX)
                return false;
    return true;
}

uint8_t *launch_error_write(const launch_replicates_t *r, size_t *size)
{
    static const launch_replicates_t unknown;
    r = fits(r) ? r : &unknown;
    head_t head = {.n = r->n};
    for (size_t v = 0; v < LAUNCH_VALUES; v++)
        head.rows += varies(r, v);
    *size = bytes_of(&head);
    uint8_t *bytes = rb_calloc(*size, 1), *values = bytes + sizeof(head);
    uint8_t *row = values + head.rows * sizeof(uint16_t);
    memcpy(bytes, &head, sizeof(head));
    for (size_t v = 0; v < LAUNCH_VALUES; v++) {
        const uint16_t number = (uint16_t)v;
        if (!varies(r, v))
            continue;
        memcpy(values, &number, sizeof(number));
        write_row(row, r, v);
        values += sizeof(number);
        row += r->n * sizeof(float);
    }
    return bytes;
}

/* Whether the deviations of a value are all finite, or all unknown. */
static bool is_row(const uint8_t *floats, size_t n)
{
    size_t finite = 0, unknown = 0;
    for (size_t i = 0; i < n; i++) {
        float d;
        memcpy(&d, floats + i * sizeof(d), sizeof(d));
        finite += isfinite(d) != 0;
        unknown += isnan(d) != 0;
    }
    return finite == n || unknown == n;
}

bool launch_error_read(launch_error_t *out, const uint8_t *bytes, size_t size)
{
    head_t head;
    *out = (launch_error_t){0};
    if (size < sizeof(head))
        return false;
    memcpy(&head, bytes, sizeof(head));
    if (head.rows > LAUNCH_VALUES || head.n > size || bytes_of(&head) != size)
        return false;
    const uint8_t *values = bytes + sizeof(head);
    for (size_t i = 0; i < head.rows; i++) {
        uint16_t v;
        memcpy(&v, values + i * sizeof(v), sizeof(v));
        if (v >= LAUNCH_VALUES || out->row[v] != 0)
            return false;
        out->row[v] = (uint16_t)(i + 1);
    }
    out->n = head.n;
    out->deviations = values + head.rows * sizeof(uint16_t);
    for (size_t i = 0; i < head.rows; i++)
        if (!is_row(out->deviations + i * head.n * sizeof(float), head.n))
            return false;
    return true;
}

const uint8_t *launch_error_bytes(const launch_error_t *e, size_t *size)
{
    static const head_t none;
    head_t head = {.n = e->n};
    for (size_t v = 0; v < LAUNCH_VALUES; v++)
        head.rows += e->row[v] != 0;
    *size = bytes_of(&head);
    return e->deviations == NULL ? (const uint8_t *)&none
                                 : e->deviations - head.rows * sizeof(uint16_t) - sizeof(head);
}

static double deviation(const launch_error_t *e, size_t value, size_t replicate)
{
    float d;
    if (value >= LAUNCH_VALUES || e->row[value] == 0)
        return 0;
    memcpy(&d, e->deviations + ((e->row[value] - 1u) * e->n + replicate) * sizeof(d), sizeof(d));
    return d;
}

double launch_error_variance(const launch_error_t *e, const linear_term_t *terms, size_t n_terms)
{
    double squares = 0;
    if (e->n < 2)
        return (double)NAN;
    for (size_t r = 0; r < e->n; r++) {
        double sum = 0;
        for (size_t i = 0; i < n_terms; i++)
            sum += terms[i].coefficient * deviation(e, terms[i].value, r);
        squares += sum * sum;
    }
    return (double)(e->n - 1) / (double)e->n * squares;
}
