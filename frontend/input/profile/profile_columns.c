#include "frontend/input/profile/profile_columns.h"

#include <ctype.h>
#include <string.h>

#include "frontend/input/profile/profile_number.h"

enum { HEADER_MAX = 160 };

typedef struct {
    char name[HEADER_MAX], unit[16];
} header_t;

/* Names of columns in lower case, without unit. If several match, the first is used. */
static const struct {
    const char *name;
    column_kind_t kind;
} plain_rules[] = {
    {"kernel name", COLUMN_NAME},
    {"kernel_name", COLUMN_NAME},
    {"kernel", COLUMN_NAME},
    {"name", COLUMN_NAME},
    {"gpc__cycles_elapsed.max", COLUMN_CYCLES},
    {"gpc__cycles_elapsed.avg", COLUMN_CYCLES},
    {"sm__cycles_elapsed.max", COLUMN_CYCLES},
    {"sm__cycles_elapsed.avg", COLUMN_CYCLES},
    {"gpu_tot_sim_cycle", COLUMN_CYCLES},
    {"cycles", COLUMN_CYCLES},
    {"gpu__time_duration.sum", COLUMN_TIME},
    {"gpu__time_duration.avg", COLUMN_TIME},
    {"duration", COLUMN_TIME},
    {"dur", COLUMN_TIME},
    {"kernel dur", COLUMN_TIME},
    {"time", COLUMN_TIME},
    {"launch_id", COLUMN_ID},
    {"id", COLUMN_ID}, /* only in rubato's launches.csv: elsewhere ids may start at 0 */
    {"grid size", COLUMN_GRID},
    {"grid", COLUMN_GRID},
    {"gridxyz", COLUMN_GRID},
    {"block size", COLUMN_BLOCK},
    {"block", COLUMN_BLOCK},
    {"blockxyz", COLUMN_BLOCK},
    {"grdx", COLUMN_GRID_X},
    {"grdy", COLUMN_GRID_Y},
    {"grdz", COLUMN_GRID_Z},
    {"grid x", COLUMN_GRID_X},
    {"grid y", COLUMN_GRID_Y},
    {"grid z", COLUMN_GRID_Z},
    {"grid_x", COLUMN_GRID_X},
    {"grid_y", COLUMN_GRID_Y},
    {"grid_z", COLUMN_GRID_Z},
    {"gridx", COLUMN_GRID_X},
    {"gridy", COLUMN_GRID_Y},
    {"gridz", COLUMN_GRID_Z},
    {"gx", COLUMN_GRID_X},
    {"gy", COLUMN_GRID_Y},
    {"gz", COLUMN_GRID_Z},
    {"blkx", COLUMN_BLOCK_X},
    {"blky", COLUMN_BLOCK_Y},
    {"blkz", COLUMN_BLOCK_Z},
    {"block x", COLUMN_BLOCK_X},
    {"block y", COLUMN_BLOCK_Y},
    {"block z", COLUMN_BLOCK_Z},
    {"block_x", COLUMN_BLOCK_X},
    {"block_y", COLUMN_BLOCK_Y},
    {"block_z", COLUMN_BLOCK_Z},
    {"blockx", COLUMN_BLOCK_X},
    {"blocky", COLUMN_BLOCK_Y},
    {"blockz", COLUMN_BLOCK_Z},
    {"bx", COLUMN_BLOCK_X},
    {"by", COLUMN_BLOCK_Y},
    {"bz", COLUMN_BLOCK_Z},
    {"smsp__thread_inst_executed_per_inst_executed.ratio", COLUMN_LANES},
};

/*
 * Counters. A column provides some parts of a counter, as bits: columns of different parts are
 * added; of several columns for the same part, the first is used. A counter is available when all
 * parts that it needs are.
 */
static const struct {
    const char *name;
    profile_counter_t counter;
    unsigned parts;
} counter_rules[] = {
    {"warp_instructions", PROFILE_WARP_INSTS, 1},
    {"smsp__inst_executed.sum", PROFILE_WARP_INSTS, 1},
    {"sm__inst_executed.sum", PROFILE_WARP_INSTS, 1},
    {"inst_executed", PROFILE_WARP_INSTS, 1},
    {"gpgpu_n_tot_w_icount", PROFILE_WARP_INSTS, 1},
    {"thread_instructions", PROFILE_THREAD_INSTS, 1},
    {"smsp__thread_inst_executed.sum", PROFILE_THREAD_INSTS, 1},
    {"sm__thread_inst_executed.sum", PROFILE_THREAD_INSTS, 1},
    {"gpu_tot_sim_insn", PROFILE_THREAD_INSTS, 1},
    {"memory_requests", PROFILE_REQUESTS, 15},
    {"sm.global_load_requests", PROFILE_REQUESTS, 1},
    {"sm.global_store_requests", PROFILE_REQUESTS, 2},
    {"sm.local_load_requests", PROFILE_REQUESTS, 4},
    {"sm.local_store_requests", PROFILE_REQUESTS, 8},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", PROFILE_REQUESTS, 1},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", PROFILE_REQUESTS, 2},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", PROFILE_REQUESTS, 4},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", PROFILE_REQUESTS, 8},
    {"sm.global_load_sectors", PROFILE_GLOBAL_LD_SECTORS, 1},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", PROFILE_GLOBAL_LD_SECTORS, 1},
    {"total_core_cache_stats_breakdown[global_acc_r][total_access]", PROFILE_GLOBAL_LD_SECTORS, 1},
    {"sm.global_store_sectors", PROFILE_GLOBAL_ST_SECTORS, 1},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", PROFILE_GLOBAL_ST_SECTORS, 1},
    {"total_core_cache_stats_breakdown[global_acc_w][total_access]", PROFILE_GLOBAL_ST_SECTORS, 1},
    {"sm.local_load_sectors", PROFILE_LOCAL_LD_SECTORS, 1},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", PROFILE_LOCAL_LD_SECTORS, 1},
    {"sm.global_load_requests", PROFILE_GLOBAL_LD_INSTS, 1},
    {"smsp__inst_executed_op_global_ld.sum", PROFILE_GLOBAL_LD_INSTS, 1},
    {"smsp__sass_inst_executed_op_global_ld.sum", PROFILE_GLOBAL_LD_INSTS, 1},
    {"sass__inst_executed_global_loads", PROFILE_GLOBAL_LD_INSTS, 1},
    {"sm.global_store_requests", PROFILE_GLOBAL_ST_INSTS, 1},
    {"smsp__inst_executed_op_global_st.sum", PROFILE_GLOBAL_ST_INSTS, 1},
    {"smsp__sass_inst_executed_op_global_st.sum", PROFILE_GLOBAL_ST_INSTS, 1},
    {"sass__inst_executed_global_stores", PROFILE_GLOBAL_ST_INSTS, 1},
    {"sm.local_load_requests", PROFILE_LOCAL_LD_INSTS, 1},
    {"smsp__inst_executed_op_local_ld.sum", PROFILE_LOCAL_LD_INSTS, 1},
    {"smsp__sass_inst_executed_op_local_ld.sum", PROFILE_LOCAL_LD_INSTS, 1},
    {"sass__inst_executed_local_loads", PROFILE_LOCAL_LD_INSTS, 1},
    {"sm.shared_load_requests", PROFILE_SHARED_LD_INSTS, 1},
    {"smsp__inst_executed_op_shared_ld.sum", PROFILE_SHARED_LD_INSTS, 1},
    {"smsp__sass_inst_executed_op_shared_ld.sum", PROFILE_SHARED_LD_INSTS, 1},
    {"sass__inst_executed_shared_loads", PROFILE_SHARED_LD_INSTS, 1},
    {"sm.shared_store_requests", PROFILE_SHARED_ST_INSTS, 1},
    {"smsp__inst_executed_op_shared_st.sum", PROFILE_SHARED_ST_INSTS, 1},
    {"smsp__sass_inst_executed_op_shared_st.sum", PROFILE_SHARED_ST_INSTS, 1},
    {"sass__inst_executed_shared_stores", PROFILE_SHARED_ST_INSTS, 1},
    {"sm.atomic_requests", PROFILE_GLOBAL_ATOMICS, 1},
    {"sm.reduction_requests", PROFILE_GLOBAL_ATOMICS, 2},
    {"smsp__inst_executed_op_global_atom.sum", PROFILE_GLOBAL_ATOMICS, 1},
    {"smsp__sass_inst_executed_op_global_atom.sum", PROFILE_GLOBAL_ATOMICS, 1},
    {"smsp__inst_executed_op_global_red.sum", PROFILE_GLOBAL_ATOMICS, 2},
    {"smsp__sass_inst_executed_op_global_red.sum", PROFILE_GLOBAL_ATOMICS, 2},
};

/* Requests to local memory and reductions are not always collected: these parts are optional. */
static const unsigned parts_needed[PROFILE_COUNTERS] = {[PROFILE_REQUESTS] = 3};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Nanoseconds per unit of time; 0 if unit is not one. */
static double unit_ns(const char *unit)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {
        {"ns", 1.0},      {"nsec", 1.0},      {"nsecond", 1.0}, {"us", 1e3},      {"usec", 1e3},
        {"usecond", 1e3}, {"\xc2\xb5s", 1e3}, {"ms", 1e6},      {"msec", 1e6},    {"msecond", 1e6},
        {"s", 1e9},       {"sec", 1e9},       {"second", 1e9},  {"seconds", 1e9},
    };
    for (size_t i = 0; i < COUNT(units); i++) {
        if (strcmp(unit, units[i].name) == 0)
            return units[i].ns;
    }
    return 0.0;
}

/* Lower case, without surrounding blanks. Of a pattern of Accel-Sim's script ("x\s*=\s*(.*)"), only
 * the part before '='. */
static void plain_text(const table_field_t *f, char text[HEADER_MAX])
{
    char raw[HEADER_MAX];
    size_t len = table_field_copy(f, raw, sizeof(raw)), n = 0;
    bool pattern = memmem(raw, len, "\\s", 2) != NULL;
    for (size_t i = 0; i < len && n < HEADER_MAX - 1; i++) {
        if (pattern && raw[i] == '=')
            break;
        if (pattern && raw[i] == '\\') {
            if (i + 1 < len && raw[i + 1] == 's')
                i += 2;
            continue;
        }
        if (n > 0 || !isspace((unsigned char)raw[i]))
            text[n++] = (char)tolower((unsigned char)raw[i]);
    }
    while (n > 0 && isspace((unsigned char)text[n - 1]))
        n--;
    text[n] = '\0';
}

/* Splits "Duration (ns)", "Duration(nsec)" and "dur_us". */
static void read_header(const table_field_t *f, header_t *h)
{
    plain_text(f, h->name);
    h->unit[0] = '\0';
    size_t n = strlen(h->name);
    char *open = strrchr(h->name, '('), *bar = strrchr(h->name, '_');
    if (open != NULL && n > 0 && h->name[n - 1] == ')' &&
        (size_t)(h->name + n - open) < sizeof(h->unit) + 2) {
        h->name[n - 1] = '\0';
        snprintf(h->unit, sizeof(h->unit), "%.*s", (int)sizeof(h->unit) - 1, open + 1);
        while (open > h->name && open[-1] == ' ')
            open--;
        *open = '\0';
    } else if (bar != NULL && unit_ns(bar + 1) > 0.0) {
        snprintf(h->unit, sizeof(h->unit), "%.*s", (int)sizeof(h->unit) - 1, bar + 1);
        *bar = '\0';
    }
}

static void use(column_map_t *m, uint32_t column, column_kind_t kind, profile_counter_t counter)
{
    if (m->n_uses < COLUMN_USES_MAX)
        m->uses[m->n_uses++] = (column_use_t){column, kind, counter, 1.0};
}

/* The names for a kind of column, best first. */
typedef struct {
    uint32_t column[COLUMN_COUNTER];
    size_t rank[COLUMN_COUNTER];
    char unit[COLUMN_COUNTER][16];
} found_t;

static void find_plain(found_t *found, const header_t *h, uint32_t column)
{
    for (size_t i = 0; i < COUNT(plain_rules); i++) {
        column_kind_t kind = plain_rules[i].kind;
        if (i >= found->rank[kind] || strcmp(plain_rules[i].name, h->name) != 0)
            continue;
        found->rank[kind] = i;
        found->column[kind] = column;
        memcpy(found->unit[kind], h->unit, sizeof(h->unit));
    }
}

static void find_counters(column_map_t *m, const header_t *h, uint32_t column,
                          unsigned parts[PROFILE_COUNTERS])
{
    for (size_t i = 0; i < COUNT(counter_rules); i++) {
        profile_counter_t c = counter_rules[i].counter;
        if (strcmp(counter_rules[i].name, h->name) != 0 || (parts[c] & counter_rules[i].parts) != 0)
            continue;
        parts[c] |= counter_rules[i].parts;
        use(m, column, COLUMN_COUNTER, c);
    }
}

static const char *format_of(const table_field_t *fields, uint32_t n, column_map_t *m)
{
    bool metrics = false, nsys = false, nvprof = false;
    for (uint32_t i = 0; i < n; i++) {
        header_t h;
        read_header(&fields[i], &h);
        m->accelsim = m->accelsim || strcmp(h.name, "gpu_tot_sim_cycle") == 0;
        m->rubato = m->rubato || strcmp(h.name, "trace_id") == 0;
        metrics = metrics || strstr(h.name, "__") != NULL || strcmp(h.name, "process id") == 0;
        nsys = nsys || strcmp(h.name, "grdx") == 0;
        nvprof = nvprof || strcmp(h.name, "static smem") == 0;
    }
    return m->accelsim ? "table of Accel-Sim statistics"
           : m->rubato ? "launches.csv of rubato"
           : metrics   ? "Nsight Compute CSV"
           : nsys      ? "Nsight Systems CSV"
           : nvprof    ? "nvprof CSV"
                       : "plain table";
}

static void add_dimensions(column_map_t *m, const found_t *found, column_kind_t whole,
                           column_kind_t x, bool *has)
{
    if (found->column[x] != UINT32_MAX) {
        *has = true;
        for (unsigned d = 0; d < 3; d++) {
            if (found->column[x + d] != UINT32_MAX)
                use(m, found->column[x + d], (column_kind_t)(x + d), 0);
        }
    } else if (found->column[whole] != UINT32_MAX) {
        *has = true;
        use(m, found->column[whole], whole, 0);
    }
}

/* Drops counters that lack a part they need. */
static void drop_incomplete(column_map_t *m, const unsigned parts[PROFILE_COUNTERS])
{
    uint32_t n = 0;
    for (int c = 0; c < PROFILE_COUNTERS; c++) {
        unsigned needed = parts_needed[c] != 0 ? parts_needed[c] : 1;
        m->has.counter[c] = (parts[c] & needed) == needed;
    }
    for (uint32_t i = 0; i < m->n_uses; i++) {
        if (m->has.counter[m->uses[i].counter])
            m->uses[n++] = m->uses[i];
    }
    m->n_uses = n;
}

bool column_map_read(column_map_t *m, const table_field_t *fields, uint32_t n)
{
    found_t found;
    unsigned parts[PROFILE_COUNTERS] = {0};
    memset(found.column, 0xff, sizeof(found.column));
    memset(found.rank, 0xff, sizeof(found.rank));
    *m = (column_map_t){.n_columns = n, .time = UINT32_MAX, .time_scale = 1.0};
    for (uint32_t i = 0; i < n; i++) {
        header_t h;
        read_header(&fields[i], &h);
        find_plain(&found, &h, i);
        find_counters(m, &h, i, parts);
    }
    drop_incomplete(m, parts);
    uint32_t cycles = found.column[COLUMN_CYCLES], time = found.column[COLUMN_TIME];
    m->name = found.column[COLUMN_NAME];
    m->time_is_cycles = cycles != UINT32_MAX;
    m->time = m->time_is_cycles ? cycles : time;
    m->has.time = m->time != UINT32_MAX;
    if (m->name == UINT32_MAX || (!m->has.time && m->n_uses == 0))
        return false;
    m->format = format_of(fields, n, m);
    if (m->has.time && !m->time_is_cycles && found.unit[COLUMN_TIME][0] != '\0') {
        m->time_scale = unit_ns(found.unit[COLUMN_TIME]);
        if (m->time_scale == 0.0)
            return false;
    }
    add_dimensions(m, &found, COLUMN_GRID, COLUMN_GRID_X, &m->has.grid);
    add_dimensions(m, &found, COLUMN_BLOCK, COLUMN_BLOCK_X, &m->has.block);
    if (found.column[COLUMN_ID] != UINT32_MAX &&
        (m->rubato || strcmp(plain_rules[found.rank[COLUMN_ID]].name, "id") != 0)) {
        m->has.id = true;
        use(m, found.column[COLUMN_ID], COLUMN_ID, 0);
    }
    if (found.column[COLUMN_LANES] != UINT32_MAX && m->has.counter[PROFILE_WARP_INSTS] &&
        !m->has.counter[PROFILE_THREAD_INSTS]) {
        m->has.counter[PROFILE_THREAD_INSTS] = true;
        use(m, found.column[COLUMN_LANES], COLUMN_LANES, PROFILE_THREAD_INSTS);
    }
    return true;
}

static rb_code_t unknown_unit(const table_reader_t *row, uint32_t column, const char *unit,
                              rb_err_t *err)
{
    return rb_fail(err, RB_TRACE, "%s:%llu: column %u has the unknown unit '%s'", row->path,
                   (unsigned long long)row->line, column + 1, unit);
}

/* 1000 for "Kinst", 1 for "inst"; 0 if unit is not a unit of counters. */
static double unit_count(const char *unit)
{
    static const char *const names[] = {"",        "inst",  "sector", "request",
                                        "thread",  "warp",  "block",  "instructions",
                                        "sectors", "cycle", "cycles", "inst/inst"};
    static const char prefixes[] = "kmg";
    double scale = 1.0;
    for (int with_prefix = 0; with_prefix < 2; with_prefix++) {
        for (size_t i = 0; i < COUNT(names); i++) {
            if (strcmp(unit, names[i]) == 0)
                return scale;
        }
        const char *prefix = *unit != '\0' ? strchr(prefixes, *unit) : NULL;
        if (prefix == NULL)
            break;
        for (const char *p = prefixes; p <= prefix; p++)
            scale *= 1e3;
        unit++;
    }
    return 0.0;
}

rb_code_t column_map_units(column_map_t *m, const table_reader_t *row, bool *taken, rb_err_t *err)
{
    char unit[HEADER_MAX];
    double number;
    *taken = false;
    if (row->n_fields != m->n_columns || row->fields[m->name].len != 0)
        return RB_OK;
    if (m->has.time && profile_number(row->fields[m->time].at, row->fields[m->time].len, &number))
        return RB_OK;
    if (m->has.time) {
        plain_text(&row->fields[m->time], unit);
        m->time_scale = m->time_is_cycles ? unit_count(unit) : unit_ns(unit);
        if (m->time_scale == 0.0)
            return unknown_unit(row, m->time, unit, err);
    }
    for (uint32_t i = 0; i < m->n_uses; i++) {
        column_use_t *u = &m->uses[i];
        if (u->kind != COLUMN_COUNTER)
            continue;
        plain_text(&row->fields[u->column], unit);
        u->scale = unit_count(unit);
        if (u->scale == 0.0)
            return unknown_unit(row, u->column, unit, err);
    }
    *taken = true;
    return RB_OK;
}
