#include "frontend/emulator/sass/line_table.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/find_first.h"
#include "sim/core/fnv.h"

enum { SHT_RELA = 4, SHT_REL = 9, REL_BYTES = 16, RELA_BYTES = 24, CODE_ALIGN = 8 };
enum { FILES_MAX = 4096, PATH_BYTES_MAX = 4096, DIRS_MAX = 1 << 16, UNIT_FILES_MAX = 1 << 16 };

/* Standard and extended opcodes (DWARF 4, sections 6.2.5.2 and 6.2.5.3). */
enum {
    LNS_EXTENDED,
    LNS_COPY,
    LNS_ADVANCE_PC,
    LNS_ADVANCE_LINE,
    LNS_SET_FILE,
    LNS_CONST_ADD_PC = 8,
    LNS_FIXED_ADVANCE_PC = 9,
    LNE_END_SEQUENCE = 1,
    LNE_SET_ADDRESS = 2,
};

/* Where a relocation puts the address of code. */
typedef struct {
    uint64_t offset; /* in .debug_line */
    uint32_t section;
    uint64_t addr;
} line_reloc_t;

typedef struct {
    const uint8_t *at, *end;
    bool bad; /* the bytes ended early */
} bytes_t;

typedef struct {
    const char *name;
    uint64_t dir;
    uint32_t number; /* index in the table's files + 1; 0: not used so far */
} unit_file_t;

/* A unit of the section: its header, and the registers of its program. */
typedef struct {
    line_table_t *table;
    const elf_file_t *elf;
    const uint8_t *start; /* of the section */
    const line_reloc_t *relocs;
    size_t n_relocs, max_rows;
    uint8_t min_bytes, line_range, opcode_base;
    int8_t line_base;
    const uint8_t *args; /* number of arguments of opcodes 1 .. opcode_base - 1 */
    const char **dirs;   /* owned */
    unit_file_t *files;  /* owned */
    size_t n_dirs, cap_dirs, n_files, cap_files;
    uint64_t addr, file;
    int64_t line;
    uint32_t section; /* 0: unknown */
    size_t first;     /* row of the sequence */
} unit_t;

/* --- bytes ----------------------------------------------------------------------------------- */

static uint64_t take(bytes_t *b, unsigned n)
{
    uint64_t value = 0;

    if ((size_t)(b->end - b->at) < n) {
        b->bad = true;
        b->at = b->end;
        return 0;
    }
    for (unsigned i = 0; i < n; i++)
        value |= (uint64_t)b->at[i] << 8 * i;
    b->at += n;
    return value;
}

static uint64_t take_unsigned(bytes_t *b)
{
    uint64_t value = 0;

    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = take(b, 1);
        if (shift < 64)
            value |= (byte & 127) << shift;
        if ((byte & 128) == 0)
            return value;
    }
}

static int64_t take_signed(bytes_t *b)
{
    uint64_t value = 0, byte;
    unsigned shift = 0;

    do {
        byte = take(b, 1);
        if (shift < 64)
            value |= (byte & 127) << shift;
        shift += 7;
    } while ((byte & 128) != 0);
    if ((byte & 64) != 0 && shift < 64)
        value |= ~UINT64_C(0) << shift;
    return (int64_t)value;
}

static const char *take_text(bytes_t *b)
{
    size_t left = (size_t)(b->end - b->at);
    const uint8_t *end = left > 0 ? memchr(b->at, '\0', left) : NULL;
    const char *text = (const char *)b->at;

    if (end == NULL) {
        b->bad = true;
        b->at = b->end;
        return "";
    }
    b->at = end + 1;
    return text;
}

/* --- relocations ----------------------------------------------------------------------------- */

static int compare_relocs(const void *a, const void *b)
{
    const line_reloc_t *x = a, *y = b;

    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static size_t add_relocs(line_reloc_t **list, size_t n, const elf_file_t *elf,
                         const elf_section_t *s, const elf_section_t *patched)
{
    size_t bytes = s->type == SHT_RELA ? RELA_BYTES : REL_BYTES;
    size_t count = s->data != NULL ? (size_t)(s->size / bytes) : 0;

    *list = rb_realloc(*list, n + count + 1, sizeof(**list));
    for (size_t i = 0; i < count; i++) {
        const uint8_t *p = s->data + i * bytes;
        uint64_t offset = elf_u64(p), addend = 0;
        uint32_t symbol = elf_u32(p + 12);
        if (symbol >= elf->n_symbols || patched->size < 8 || offset > patched->size - 8)
            continue;
        addend = bytes == RELA_BYTES ? elf_u64(p + 16) : elf_u64(patched->data + offset);
        (*list)[n++] = (line_reloc_t){.offset = offset,
                                      .section = elf->symbols[symbol].section,
                                      .addr = elf->symbols[symbol].value + addend};
    }
    return n;
}

static line_reloc_t *read_relocs(const elf_file_t *elf, const elf_section_t *patched, size_t *n)
{
    static const char *const names[] = {".rel.debug_line", ".rela.debug_line"};
    line_reloc_t *list = NULL;

    *n = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const elf_section_t *s = elf_section(elf, names[i]);
        if (s != NULL && (s->type == SHT_REL || s->type == SHT_RELA))
            *n = add_relocs(&list, *n, elf, s, patched);
    }
    if (*n > 0)
        qsort(list, *n, sizeof(*list), compare_relocs);
    return list;
}

/* --- rows ------------------------------------------------------------------------------------ */

/* The index of a path in the table + 1; 0: there is no place for it. */
static uint32_t add_file(line_table_t *t, const char *dir, const char *name)
{
    size_t dir_len = name[0] != '/' ? strlen(dir) : 0, len = strlen(name);

    if (dir_len + len + 2 > PATH_BYTES_MAX)
        return 0;
    char *path = rb_calloc(dir_len + len + 2, 1);
    memcpy(path, dir, dir_len);
    if (dir_len > 0)
        path[dir_len++] = '/';
    memcpy(path + dir_len, name, len);
    uint64_t hash = fnv_text(FNV_START, path);
    for (size_t i = 0; i < t->n_files; i++)
        if (t->hashes[i] == hash && strcmp(t->files[i], path) == 0) {
            free(path);
            return (uint32_t)i + 1;
        }
    if (t->n_files == FILES_MAX) {
        free(path);
        return 0;
    }
    if (t->n_files == t->cap_files) {
        t->cap_files = 2 * t->cap_files + 8;
        t->files = rb_realloc(t->files, t->cap_files, sizeof(*t->files));
        t->hashes = rb_realloc(t->hashes, t->cap_files, sizeof(*t->hashes));
    }
    t->hashes[t->n_files] = hash;
    t->files[t->n_files++] = path;
    return (uint32_t)t->n_files;
}

/* The file that the program has set, as its number in the table; 0: unknown. False: the table has
 * too many. */
static bool current_file(unit_t *u, uint32_t *number)
{
    *number = 0;
    if (u->file == 0 || u->file > u->n_files)
        return true;
    unit_file_t *f = &u->files[u->file - 1];
    if (f->number == 0)
        f->number = add_file(
            u->table, f->dir != 0 && f->dir <= u->n_dirs ? u->dirs[f->dir - 1] : "", f->name);
    *number = f->number;
    return f->number != 0;
}

/* Adds a row to the sequence; a later row at the same address replaces the one before. */
static bool append_row(unit_t *u, const line_row_t *row)
{
    line_table_t *t = u->table;
    line_row_t *last = t->n_rows > u->first ? &t->rows[t->n_rows - 1] : NULL;

    if (last != NULL && last->pc == row->pc) {
        *last = *row;
        return true;
    }
    if (t->n_rows == u->max_rows || (last != NULL && last->pc > row->pc))
        return false;
    rb_grow(&t->rows, &t->cap_rows, t->n_rows + 1, sizeof(*t->rows));
    t->rows[t->n_rows++] = *row;
    return true;
}

/* Adds the row of the registers. False: the table is damaged. */
static bool add_row(unit_t *u, bool end)
{
    line_row_t row = {.section = u->section, .pc = (uint32_t)u->addr};
    uint32_t file = 0;

    if (u->section == 0 || u->section >= u->elf->n_sections)
        return true;
    if (u->addr > UINT32_MAX || u->addr > u->elf->sections[u->section].size || u->line < 0 ||
        u->line > INT32_MAX || (!end && !current_file(u, &file)))
        return false;
    if (file > 0) {
        row.file = file - 1;
        row.line = (uint32_t)u->line;
    }
    return append_row(u, &row);
}

/* --- the program of a unit ------------------------------------------------------------------- */

static void begin_sequence(unit_t *u)
{
    u->addr = 0;
    u->file = 1;
    u->line = 1;
    u->section = 0;
    u->first = u->table->n_rows;
}

static void set_address(unit_t *u, const uint8_t *operand)
{
    line_reloc_t key = {.offset = (uint64_t)(operand - u->start)};
    const line_reloc_t *r =
        u->n_relocs > 0 ? bsearch(&key, u->relocs, u->n_relocs, sizeof(key), compare_relocs) : NULL;

    u->section = r != NULL ? r->section : 0;
    u->addr = r != NULL ? r->addr : 0;
}

static bool run_extended(unit_t *u, bytes_t *b)
{
    uint64_t bytes = take_unsigned(b);

    if (bytes == 0 || bytes > (uint64_t)(b->end - b->at))
        return false;
    const uint8_t *p = b->at;
    b->at += bytes;
    if (p[0] == LNE_SET_ADDRESS && bytes == 9)
        set_address(u, p + 1);
    if (p[0] != LNE_END_SEQUENCE)
        return true;
    bool good = add_row(u, true);
    begin_sequence(u);
    return good;
}

/* An opcode below opcode_base. */
static bool run_standard(unit_t *u, bytes_t *b, unsigned opcode)
{
    switch (opcode) {
    case LNS_EXTENDED:
        return run_extended(u, b);
    case LNS_COPY:
        return add_row(u, false);
    case LNS_ADVANCE_PC:
        u->addr += take_unsigned(b) * u->min_bytes;
        return true;
    case LNS_ADVANCE_LINE:
        u->line = (int64_t)((uint64_t)u->line + (uint64_t)take_signed(b));
        return true;
    case LNS_SET_FILE:
        u->file = take_unsigned(b);
        return true;
    case LNS_CONST_ADD_PC:
        u->addr += (uint64_t)((255u - u->opcode_base) / u->line_range) * u->min_bytes;
        return true;
    case LNS_FIXED_ADVANCE_PC:
        u->addr += take(b, 2);
        return true;
    default:
        for (unsigned i = 0; i < u->args[opcode - 1]; i++)
            (void)take_unsigned(b);
        return true;
    }
}

static bool run(unit_t *u, bytes_t *b)
{
    bool good = true;

    begin_sequence(u);
    while (good && b->at < b->end) {
        unsigned opcode = (unsigned)take(b, 1);
        if (opcode < u->opcode_base) {
            good = run_standard(u, b, opcode);
        } else {
            unsigned step = opcode - u->opcode_base;
            u->addr += (uint64_t)(step / u->line_range) * u->min_bytes;
            u->line = (int64_t)((uint64_t)u->line + step % u->line_range + (uint64_t)u->line_base);
            good = add_row(u, false);
        }
    }
    return good && !b->bad;
}

static bool read_names(unit_t *u, bytes_t *b)
{
    for (;;) {
        const char *dir = take_text(b);
        if (dir[0] == '\0')
            break;
        if (u->n_dirs == DIRS_MAX)
            return false;
        rb_grow(&u->dirs, &u->cap_dirs, u->n_dirs + 1, sizeof(*u->dirs));
        u->dirs[u->n_dirs++] = dir;
    }
    for (;;) {
        unit_file_t f = {.name = take_text(b)};
        if (f.name[0] == '\0')
            return !b->bad;
        if (u->n_files == UNIT_FILES_MAX)
            return false;
        f.dir = take_unsigned(b);
        (void)take_unsigned(b); /* time and size of the file */
        (void)take_unsigned(b);
        rb_grow(&u->files, &u->cap_files, u->n_files + 1, sizeof(*u->files));
        u->files[u->n_files++] = f;
    }
}

/* Reads the unit in b, behind its length. */
static bool read_unit(unit_t *u, bytes_t b)
{
    uint64_t version = take(&b, 2), header = take(&b, 4);

    if (version < 2 || version > 4)
        return !b.bad; /* another format: its lines are unknown */
    if (b.bad || header > (uint64_t)(b.end - b.at))
        return false;
    bytes_t head = {.at = b.at, .end = b.at + header};
    b.at += header;
    u->min_bytes = (uint8_t)take(&head, 1);
    if (version == 4)
        (void)take(&head, 1); /* operations per instruction */
    (void)take(&head, 1);     /* whether rows begin statements */
    uint8_t base = (uint8_t)take(&head, 1);
    memcpy(&u->line_base, &base, 1);
    u->line_range = (uint8_t)take(&head, 1);
    u->opcode_base = (uint8_t)take(&head, 1);
    u->args = head.at;
    if (head.bad || u->line_range == 0 || u->opcode_base == 0 ||
        u->opcode_base - 1 > head.end - head.at)
        return false;
    head.at += u->opcode_base - 1;
    bool good = read_names(u, &head) && run(u, &b);
    free(u->dirs);
    free(u->files);
    u->dirs = NULL;
    u->files = NULL;
    u->n_dirs = u->cap_dirs = u->n_files = u->cap_files = 0;
    return good;
}

/* --- the table ------------------------------------------------------------------------------- */

/* A row without a line, the end of a sequence, precedes the beginning of the next one. */
static int compare_rows(const void *a, const void *b)
{
    const line_row_t *x = a, *y = b;

    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    if (x->pc != y->pc)
        return x->pc < y->pc ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->file < y->file ? -1 : x->file > y->file;
}

/* Sorts the rows; of those at one address the last one stays. */
static void sort_rows(line_table_t *t)
{
    size_t n = 0;

    if (t->n_rows == 0)
        return;
    qsort(t->rows, t->n_rows, sizeof(*t->rows), compare_rows);
    for (size_t i = 0; i < t->n_rows; i++) {
        if (n > 0 && t->rows[n - 1].section == t->rows[i].section &&
            t->rows[n - 1].pc == t->rows[i].pc)
            n--;
        t->rows[n++] = t->rows[i];
    }
    t->n_rows = n;
}

/* Instructions have one row each at most, and a sequence an end. */
static size_t max_rows(const elf_file_t *elf)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < elf->n_sections; i++)
        if (strncmp(elf->sections[i].name, ".text.", 6) == 0 && elf->sections[i].data != NULL)
            bytes += elf->sections[i].size;
    return (size_t)(bytes / CODE_ALIGN) + elf->n_sections;
}

static bool read_units(unit_t *u, const elf_section_t *s)
{
    bytes_t b = {.at = s->data, .end = s->data + s->size};

    while (b.at < b.end) {
        uint64_t bytes = take(&b, 4);
        if (b.bad || bytes > (uint64_t)(b.end - b.at) ||
            !read_unit(u, (bytes_t){.at = b.at, .end = b.at + bytes}))
            return false;
        b.at += bytes;
    }
    return true;
}

void line_table_read(line_table_t *t, const elf_file_t *elf)
{
    const elf_section_t *s = elf_section(elf, ".debug_line");

    *t = (line_table_t){0};
    if (s == NULL || s->data == NULL || s->size == 0)
        return;
    unit_t u = {.table = t, .elf = elf, .start = s->data, .max_rows = max_rows(elf)};
    line_reloc_t *relocs = read_relocs(elf, s, &u.n_relocs);
    u.relocs = relocs;
    bool good = read_units(&u, s);
    free(relocs);
    if (good) {
        sort_rows(t);
    } else {
        line_table_free(t);
        t->damaged = true;
    }
}

void line_table_free(line_table_t *t)
{
    for (size_t i = 0; i < t->n_files; i++)
        free(t->files[i]);
    free(t->files);
    free(t->hashes);
    free(t->rows);
    *t = (line_table_t){0};
}

const line_row_t *line_table_at(const line_table_t *t, uint32_t section, uint32_t pc)
{
    size_t i;

    FIND_FIRST(i, 0, t->n_rows,
               t->rows[i].section > section ||
                   (t->rows[i].section == section && t->rows[i].pc > pc));
    const line_row_t *r = i > 0 ? &t->rows[i - 1] : NULL;
    return r != NULL && r->section == section && r->line != 0 ? r : NULL;
}
