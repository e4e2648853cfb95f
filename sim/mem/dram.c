#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "sim/core/engine/msg.h"
#include "sim/core/err.h"
#include "sim/core/model_mem.h"
#include "sim/core/prefetch.h"
#include "sim/mem/dram_internal.h"

/* Consecutive bytes of a row below the lowest bank bit, as in gpgpu-sim's Volta and Turing maps
 * (gpu-facts A.4, "RBBBCCCB.CCCSSSSS" above the channel bits). */
enum { BLOCK_BYTES = 256 };

static uint32_t div_up(uint64_t a, uint64_t b)
{
    return (uint32_t)((a + b - 1) / b);
}

static uint32_t burst_ticks(const dram_spec_t *s)
{
    return div_up(s->burst_bytes, (uint64_t)s->bus_bytes * s->data_rate);
}

uint64_t dram_min_refresh(const dram_spec_t *s)
{
    uint64_t close = (uint64_t)s->tRAS + s->tRTP + s->tWR + s->tRP;
    uint64_t turn = (uint64_t)s->tCL + s->tWL + s->tCDLR + s->tRTW + 2 * burst_ticks(s);
    turn *= s->ecc ? 2 : 1; /* to read and back, between two writes */
    uint64_t commands = (uint64_t)s->activate_slots + s->precharge_slots;
    uint64_t one = close + (s->tRFCSB > 0 ? s->tRFCSB : s->tRFC) + commands + s->tRCD + turn + 1;
    return one > s->banks ? one : s->banks;
}

/* Number of bursts that transfer a set of sectors. */
static uint8_t count_bursts(const dram_t *d, uint32_t sectors)
{
    uint32_t bursts = 0;
    for (uint32_t s = 0; s < SECTORS_PER_LINE; s += d->sectors_per_burst) {
        if (sectors >> s & ((1u << d->sectors_per_burst) - 1))
            bursts += d->bursts_per_sector;
    }
    return (uint8_t)bursts;
}

static void set_column_times(dram_t *d)
{
    const dram_spec_t *s = &d->spec;
    const uint32_t read = s->tCL + d->burst_ticks, write = s->tWL + d->burst_ticks;
    const uint32_t to_write = read + s->tRTW, to_read = write + s->tCDLR;
    d->data_after[DRAM_READ] = read;
    d->data_after[DRAM_WRITE] = write;
    d->pre_after[DRAM_READ] = s->tRTP;
    d->pre_after[DRAM_WRITE] = write + s->tWR;
    d->turn_after[DRAM_READ] = to_write > s->tWL + d->ccd ? to_write - s->tWL : d->ccd;
    d->turn_after[DRAM_WRITE] = to_read > d->ccd ? to_read : d->ccd;
}

dram_t *dram_create(const dram_spec_t *spec, double core_mhz)
{
    RB_INVARIANT(spec->banks <= DRAM_MAX_BANKS && spec->banks % spec->bank_groups == 0,
                 "dram: %u banks in %u groups", spec->banks, spec->bank_groups);
    RB_INVARIANT(spec->tREFI == 0 || spec->tREFI >= dram_min_refresh(spec),
                 "dram: a refresh every %u ticks leaves no time to serve requests", spec->tREFI);
    dram_t *d = rb_model_calloc(1, sizeof(*d));
    d->spec = *spec;
    d->clock = clock_ratio(core_mhz, spec->clock_mhz);
    d->front = spec->latency / 2;
    d->back = spec->latency - d->front;
    d->burst_ticks = burst_ticks(spec);
    d->ccd = spec->tCCD > d->burst_ticks ? spec->tCCD : d->burst_ticks;
    d->ccdl = spec->tCCDL > d->ccd ? spec->tCCDL : d->ccd;
    d->ccdm = spec->tCCDM > d->ccd ? spec->tCCDM : d->ccd;
    set_column_times(d);
    d->sectors_per_burst = div_up(spec->burst_bytes, SECTOR_BYTES);
    d->bursts_per_sector = div_up(SECTOR_BYTES, spec->burst_bytes);
    for (uint32_t sectors = 0; sectors < 1u << SECTORS_PER_LINE; sectors++)
        d->bursts_of[sectors] = count_bursts(d, sectors);
    d->bank_interleave = spec->banks % 2 == 0 ? 2 : 1;
    d->blocks_per_row = div_up(spec->row_bytes, BLOCK_BYTES);
    d->high_banks = spec->banks / d->bank_interleave;
    d->pow2 = (d->high_banks & (d->high_banks - 1)) == 0 &&
              (d->blocks_per_row & (d->blocks_per_row - 1)) == 0;
    if (d->pow2) {
        d->column_shift = (uint32_t)__builtin_ctz(d->bank_interleave * d->blocks_per_row);
        d->bank_shift = (uint32_t)__builtin_ctz(d->high_banks);
    }
    d->bank = rb_model_calloc(spec->banks, sizeof(*d->bank));
    for (uint32_t b = 0; b < spec->banks; b++)
        d->bank[b].group = (uint16_t)(b % spec->bank_groups);
    dram_choice_init(d);
    d->refresh_every = spec->tRFCSB > 0 ? spec->tREFI / spec->banks : spec->tREFI;
    d->refresh_due = spec->tREFI > 0 ? d->refresh_every : DRAM_TICK_NEVER;
    d->limit[DRAM_READ] = spec->queue;
    d->limit[DRAM_WRITE] = spec->write_queue;
    /* the path holds as many requests as the controller */
    uint32_t n = 2 * (spec->queue + spec->write_queue);
    RB_INVARIANT(n < UINT16_MAX, "dram: %u requests", n);
    d->request = rb_model_calloc(n, sizeof(*d->request));
    for (uint32_t i = 0; i < n; i++)
        d->request[i].next = (uint16_t)(i + 2 > n ? 0 : i + 2);
    d->free_list = 1;
    d->release.mask = 1;
    while (d->release.mask < n)
        d->release.mask = 2 * d->release.mask + 1;
    d->release.item = rb_model_calloc((size_t)d->release.mask + 1, sizeof(*d->release.item));
    d->col_tick = d->row_tick = d->next_tick = d->admit_tick = DRAM_TICK_NEVER;
    d->drain_due = d->drain_tick = DRAM_TICK_NEVER;
    memset(d->checked, -1, sizeof(d->checked)); /* no line */
    d->next_cycle = d->read_due = d->release.next = CYCLE_NEVER;
    return d;
}

void dram_destroy(dram_t *d)
{
    if (d == NULL)
        return;
    rb_model_free(d->bank);
    dram_choice_free(d);
    rb_model_free(d->request);
    rb_model_free(d->release.item);
    rb_model_free(d->reads.item);
    dram_count_by_launch(d, false);
    rb_model_free(d);
}

void dram_count_by_launch(dram_t *d, bool on)
{
    if (d->by_launch != NULL) {
        stats_split_free(&d->by_launch->split);
        rb_model_free(d->by_launch->request);
        rb_model_free(d->by_launch);
        d->by_launch = NULL;
    }
    if (!on)
        return;
    d->by_launch = rb_model_calloc(1, sizeof(*d->by_launch));
    stats_split_init(&d->by_launch->split, (uint64_t *)&d->stats, DRAM_STAT_COUNT);
    const size_t n = 2 * ((size_t)d->spec.queue + d->spec.write_queue);
    d->by_launch->request = rb_model_calloc(n, sizeof(*d->by_launch->request));
}

void dram_count_for(dram_t *d, uint16_t launch)
{
    stats_split_to(&d->by_launch->split, launch);
}

stats_split_t *dram_by_launch(dram_t *d)
{
    return &d->by_launch->split;
}

static void set_next_tick(dram_t *d, uint64_t tick)
{
    d->next_tick = tick;
    d->next_cycle = tick == DRAM_TICK_NEVER ? CYCLE_NEVER : clock_cycle_from(&d->clock, tick);
}

dram_place_t dram_place(const dram_t *d, uint64_t local)
{
    uint64_t n = local / BLOCK_BYTES;
    uint32_t banks = d->spec.banks, high_banks = d->high_banks;
    uint64_t low = n & (d->bank_interleave - 1), bank;
    dram_place_t p;
    if (d->pow2) {
        n >>= d->column_shift;
        p.row = n >> d->bank_shift;
        bank = (n & (high_banks - 1)) * d->bank_interleave + low;
    } else {
        n /= (uint64_t)d->bank_interleave * d->blocks_per_row;
        p.row = n / high_banks;
        bank = n % high_banks * d->bank_interleave + low;
    }
    /* Rows with equal bank bits go to different banks: permutation-based page interleaving (Zhang,
     * Zhu, Zhang, MICRO 2000). What real controllers do is not published, so this is a guess. */
    if (d->pow2)
        p.bank = (uint32_t)((bank ^ p.row) & (banks - 1));
    else
        p.bank = (uint32_t)((bank + p.row) % banks);
    return p;
}

bool dram_corrects(const dram_t *d)
{
    return d->spec.ecc;
}

uint32_t dram_room(const dram_t *d, bool write)
{
    return d->limit[write] - d->n_seen[write];
}

uint32_t dram_waiting(const dram_t *d, bool write, cycle_t now)
{
    const dram_release_t *r = &d->release;
    uint32_t waiting = d->n_seen[write];
    for (uint32_t i = 0; i < r->count; i++) {
        uint64_t item = r->item[(r->head + i) & r->mask];
        waiting -= item >> 1 < now && (item & 1) == write;
    }
    return waiting;
}

/* Bursts that check bits in the memory itself take: none if they are still at hand, as those of a line
 * whose other half was accessed shortly before. */
static uint32_t check_bursts(dram_t *d, uint64_t local, bool write)
{
    const uint64_t line = local / LINE_BYTES;
    if (d->spec.check_bursts == 0 || d->checked[write][line % CHECKED_LINES] == line)
        return 0;
    d->checked[write][line % CHECKED_LINES] = line;
    return d->spec.check_bursts;
}

static void request_send(dram_t *d, cycle_t now, uint64_t local, uint32_t sectors, bool write,
                         uint32_t token)
{
    RB_INVARIANT(dram_has_room(d, write), "dram: request without room");
    dram_place_t place = dram_place(d, local);
    uint16_t n = d->free_list;
    dram_request_t *r = &d->request[n - 1];
    d->free_list = r->next;
    *r = (dram_request_t){.arrival = clock_tick_from(&d->clock, now + d->front),
                          .seq = d->seq,
                          .row = place.row,
                          .sent = (uint32_t)now,
                          .token = token,
                          .bank = (uint8_t)place.bank,
                          .bursts = (d->bursts_of[sectors] + check_bursts(d, local, write)) & 31u};
    if (d->by_launch != NULL)
        d->by_launch->request[n - 1] = d->by_launch->split.tag;
    dram_age_next(d);
    dram_list_append(d, &d->path[write], n);
    d->n_path[write]++;
    d->n_seen[write]++;
    if (d->n_waiting[write] < d->limit[write] && r->arrival < d->admit_tick) {
        d->admit_tick = r->arrival;
        if (r->arrival < d->next_tick)
            set_next_tick(d, r->arrival);
    }
}

void dram_read(dram_t *d, cycle_t now, uint64_t local, uint32_t sectors, uint32_t token)
{
    d->stats.read_requests++;
    d->stats.read_sectors += (uint32_t)__builtin_popcount(sectors);
    if (d->spec.perfect) {
        d->stats.read_latency += d->spec.latency;
        dram_read_served(d, now + d->spec.latency, token);
        return;
    }
    request_send(d, now, local, sectors, false, token);
}

void dram_write_part(dram_t *d, cycle_t now, uint64_t local, uint32_t sectors, uint32_t partial)
{
    d->stats.write_sectors += (uint32_t)__builtin_popcount(sectors);
    if (d->spec.ecc)
        d->stats.read_sectors += (uint32_t)__builtin_popcount(partial);
    if (!d->spec.perfect)
        request_send(d, now, local, sectors, true, d->bursts_of[partial]);
}

void dram_write(dram_t *d, cycle_t now, uint64_t local, uint32_t sectors)
{
    dram_write_part(d, now, local, sectors, 0);
}

/* Records that the path has room for one more request once tick t is over. */
static void release_add(dram_t *d, uint32_t kind, uint64_t t)
{
    dram_release_t *r = &d->release;
    cycle_t cycle = clock_cycle_from(&d->clock, t);
    if (r->count == 0)
        r->next = cycle;
    r->item[(r->head + r->count++) & r->mask] = cycle << 1 | kind;
}

/* The controller has room for this kind: plans to admit the oldest request on the path. */
static inline void admission_consider(dram_t *d, uint32_t kind)
{
    if (d->n_path[kind] == 0)
        return;
    uint64_t arrival = d->request[d->path[kind].head - 1].arrival;
    d->admit_tick = arrival < d->admit_tick ? arrival : d->admit_tick;
}

/* Admits the requests that have arrived into the read window and the write buffer. */
static void requests_admit(dram_t *d, uint64_t t)
{
    d->admit_tick = DRAM_TICK_NEVER;
    for (uint32_t k = 0; k < DRAM_KINDS; k++) {
        while (d->n_path[k] > 0 && d->n_waiting[k] < d->limit[k] &&
               d->request[d->path[k].head - 1].arrival <= t) {
            uint32_t n = dram_list_pop(d, &d->path[k]);
            d->n_path[k]--;
            d->n_waiting[k]++;
            release_add(d, k, t);
            dram_bank_add(d, n, k, t);
        }
        if (d->n_waiting[k] < d->limit[k])
            admission_consider(d, k);
    }
}

/* Switches between reads and writes at tick t, after the numbers of waiting requests changed or
 * when drain_tick has come. Returns whether the mode changed. */
static inline bool mode_update(dram_t *d, uint64_t t)
{
    const uint32_t writes = d->n_waiting[DRAM_WRITE], mode = d->mode;
    /* The usual case: only reads wait. */
    if (mode == DRAM_READ && writes == 0 && d->n_waiting[DRAM_READ] > 0) {
        d->drain_due = d->drain_tick = DRAM_TICK_NEVER;
        return false;
    }
    if (d->n_waiting[DRAM_READ] > 0)
        d->drain_due = DRAM_TICK_NEVER;
    else if (d->drain_due == DRAM_TICK_NEVER)
        d->drain_due = t + d->spec.write_wait;
    const bool drain = t >= d->drain_due;
    if (mode == DRAM_READ && (writes >= d->spec.write_high || (drain && writes > 0)))
        d->mode = DRAM_WRITE;
    else if (mode == DRAM_WRITE && (writes == 0 || (!drain && writes <= d->spec.write_low)))
        d->mode = DRAM_READ;
    d->drain_tick = d->mode == DRAM_READ && writes > 0 ? d->drain_due : DRAM_TICK_NEVER;
    return d->mode != mode;
}

/* Next tick after t at which something happens if no new request is sent. */
static uint64_t next_after(const dram_t *d, uint64_t t)
{
    uint64_t next = d->col_tick < d->row_tick ? d->col_tick : d->row_tick;
    if (d->refresh_due < next && d->n_waiting[DRAM_READ] + d->n_waiting[DRAM_WRITE] > 0)
        next = d->refresh_due;
    next = d->admit_tick < next ? d->admit_tick : next;
    next = d->drain_tick < next ? d->drain_tick : next;
    return next > t ? next : t + 1;
}

static void choose(dram_t *d, uint64_t t)
{
    dram_column_choose(d, t);
    dram_row_choose(d, t);
}

/* Simulates one tick: refresh, arrivals, a column command, a row command. Returns the next tick. */
static uint64_t channel_step(dram_t *d, uint64_t t)
{
    bool refresh = d->refresh_due <= t;
    if (refresh || d->admit_tick <= t || d->drain_tick <= t) {
        if (refresh)
            dram_refresh(d, t);
        if (d->admit_tick <= t)
            requests_admit(d, t);
        if (mode_update(d, t) || refresh)
            choose(d, t);
    }
    bool served = d->col_tick <= t && dram_column_issue(d, t);
    if (d->row_tick <= t)
        dram_row_issue(d, t);
    if (served) { /* the read window or the write buffer has room again */
        admission_consider(d, d->mode);
        if (mode_update(d, t))
            choose(d, t + 1);
    }
    return next_after(d, t);
}

cycle_t dram_next(const dram_t *d)
{
    return d->next_cycle;
}

cycle_t dram_next_room(const dram_t *d)
{
    return d->release.next;
}

bool dram_see_room(dram_t *d, cycle_t now)
{
    dram_release_t *r = &d->release;
    bool any = r->next <= now;
    while (r->next <= now) {
        d->n_seen[r->item[r->head] & 1]--;
        r->head = (r->head + 1) & r->mask;
        r->next = --r->count > 0 ? r->item[r->head] >> 1 : CYCLE_NEVER;
    }
    return any;
}

void dram_run(dram_t *d, cycle_t now)
{
    if (d->next_cycle > now)
        return;
    uint64_t last = clock_tick_until(&d->clock, d->front > 0 ? now + d->front - 1 : now);
    uint64_t t = d->next_tick;
    if (t - d->epoch >= UINT64_C(1) << 30)
        dram_epoch_move(d, t);
    while (t <= last)
        t = channel_step(d, t);
    set_next_tick(d, t);
}

cycle_t dram_read_due(const dram_t *d)
{
    return d->read_due;
}

size_t dram_reads(const dram_t *d)
{
    return d->reads.count;
}

uint32_t dram_read_token(const dram_t *d, size_t i)
{
    return RB_RING_AT(&d->reads, i)->token;
}

void dram_read_drop(dram_t *d)
{
    RB_RING_DROP(&d->reads);
    uint32_t after = RB_RING_AT(&d->reads, 0)->cycle - (uint32_t)d->read_due;
    d->read_due = d->reads.count > 0 ? d->read_due + after : CYCLE_NEVER;
}

void dram_prefetch(const dram_t *d, int ahead)
{
    if (ahead == 2) {
        prefetch_range(d, sizeof(*d));
        return;
    }
    dram_choice_prefetch(d);
    prefetch_range(d->bank, d->spec.banks * sizeof(*d->bank));
}

bool dram_idle(const dram_t *d)
{
    return d->n_path[DRAM_READ] + d->n_path[DRAM_WRITE] + d->n_waiting[DRAM_READ] +
               d->n_waiting[DRAM_WRITE] + d->reads.count ==
           0;
}

const dram_stats_t *dram_stats(const dram_t *d)
{
    return &d->stats;
}
