#include "frontend/tool/report/perfetto_writer.h"

#include <stdbool.h>
#include <string.h>

#include "sim/core/err.h"

/* Field numbers from trace_packet.proto, track_descriptor.proto and track_event.proto. */
enum {
    TRACE_PACKET = 1,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60,
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_CHILD_ORDER = 11,
    TRACK_RANK = 12,
    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    COUNTER_UNIT_NAME = 6,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_TRACK = 11,
    EVENT_NAME = 23,
    EVENT_DOUBLE = 44,
    ANNOTATION_STRING = 6,
    ANNOTATION_NAME = 10,
};
enum { CHILDREN_BY_RANK = 3, SEQUENCE_STARTS = 1 };
enum { SLICE_BEGIN = 1, SLICE_END = 2, COUNTER_VALUE = 4 };
enum { SEQUENCE = 1, NAME_BYTES = 200, MESSAGE_BYTES = 1024, FIRST_PID = 1 };
enum { WIRE_VARINT = 0, WIRE_64_BITS = 1, WIRE_BYTES = 2 };

/* A message being composed; all are small. */
typedef struct {
    uint8_t bytes[MESSAGE_BYTES];
    size_t n;
} message_t;

static void put_byte(message_t *m, uint8_t byte)
{
    RB_INVARIANT(m->n < sizeof(m->bytes), "a message of a timeline is too long");
    m->bytes[m->n++] = byte;
}

static void put_varint(message_t *m, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        put_byte(m, (uint8_t)(v | 0x80));
    put_byte(m, (uint8_t)v);
}

static void put_u64(message_t *m, unsigned field, uint64_t v)
{
    put_varint(m, field << 3 | WIRE_VARINT);
    put_varint(m, v);
}

static void put_f64(message_t *m, unsigned field, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof(bits));
    put_varint(m, field << 3 | WIRE_64_BITS);
    for (unsigned i = 0; i < 8; i++)
        put_byte(m, (uint8_t)(bits >> (8 * i)));
}

static void put_bytes(message_t *m, unsigned field, const void *data, size_t n)
{
    put_varint(m, field << 3 | WIRE_BYTES);
    put_varint(m, n);
    for (size_t i = 0; i < n; i++)
        put_byte(m, ((const uint8_t *)data)[i]);
}

/* Protobuf strings are UTF-8: names are not truncated inside a character, and invalid bytes become
 * '?'. */
static void put_text(message_t *m, unsigned field, const char *text)
{
    char copy[NAME_BYTES];
    size_t n = 0;
    for (; n < sizeof(copy) && text[n] != '\0'; n++)
        copy[n] = (unsigned char)text[n] >= 0x20 && (unsigned char)text[n] < 0x7f ? text[n] : '?';
    put_bytes(m, field, copy, n);
}

static void put_message(message_t *m, unsigned field, const message_t *inner)
{
    put_bytes(m, field, inner->bytes, inner->n);
}

static void write_packet(perfetto_t *p, const message_t *packet)
{
    message_t head = {.n = 0};
    put_varint(&head, TRACE_PACKET << 3 | WIRE_BYTES);
    put_varint(&head, packet->n);
    fwrite(head.bytes, 1, head.n, p->out);
    fwrite(packet->bytes, 1, packet->n, p->out);
    p->bytes += head.n + packet->n;
}

void perfetto_begin(perfetto_t *p, FILE *out)
{
    message_t packet = {.n = 0};
    *p = (perfetto_t){.out = out};
    put_u64(&packet, PACKET_SEQUENCE, SEQUENCE);
    put_u64(&packet, PACKET_FLAGS, SEQUENCE_STARTS);
    write_packet(p, &packet);
}

static void write_track(perfetto_t *p, const message_t *track)
{
    message_t packet = {.n = 0};
    put_u64(&packet, PACKET_SEQUENCE, SEQUENCE);
    put_message(&packet, PACKET_TRACK, track);
    write_packet(p, &packet);
}

uint64_t perfetto_group(perfetto_t *p, const char *name)
{
    message_t track = {.n = 0}, process = {.n = 0};
    uint64_t uuid = ++p->tracks;
    put_u64(&process, PROCESS_PID, FIRST_PID + uuid);
    put_text(&process, PROCESS_NAME, name);
    put_u64(&track, TRACK_UUID, uuid);
    put_message(&track, TRACK_PROCESS, &process);
    put_u64(&track, TRACK_CHILD_ORDER, CHILDREN_BY_RANK);
    write_track(p, &track);
    return uuid;
}

static uint64_t new_track(perfetto_t *p, uint64_t group, const char *name, uint64_t rank,
                          const message_t *counter)
{
    message_t track = {.n = 0};
    uint64_t uuid = ++p->tracks;
    put_u64(&track, TRACK_UUID, uuid);
    put_text(&track, TRACK_NAME, name);
    put_u64(&track, TRACK_PARENT, group);
    if (counter != NULL)
        put_message(&track, TRACK_COUNTER, counter);
    put_u64(&track, TRACK_RANK, rank);
    write_track(p, &track);
    return uuid;
}

uint64_t perfetto_track(perfetto_t *p, uint64_t group, const char *name, uint64_t rank)
{
    return new_track(p, group, name, rank, NULL);
}

uint64_t perfetto_counter(perfetto_t *p, uint64_t group, const char *name, const char *unit,
                          uint64_t rank)
{
    message_t counter = {.n = 0};
    if (unit != NULL)
        put_text(&counter, COUNTER_UNIT_NAME, unit);
    return new_track(p, group, name, rank, &counter);
}

static void write_event(perfetto_t *p, uint64_t time, const message_t *event)
{
    message_t packet = {.n = 0};
    put_u64(&packet, PACKET_TIMESTAMP, time);
    put_u64(&packet, PACKET_SEQUENCE, SEQUENCE);
    put_message(&packet, PACKET_EVENT, event);
    write_packet(p, &packet);
}

void perfetto_slice_begin(perfetto_t *p, uint64_t track, uint64_t time, const char *name,
                          const char *note)
{
    message_t event = {.n = 0}, annotation = {.n = 0};
    put_u64(&event, EVENT_TYPE, SLICE_BEGIN);
    put_u64(&event, EVENT_TRACK, track);
    put_text(&event, EVENT_NAME, name);
    if (note != NULL) {
        put_text(&annotation, ANNOTATION_NAME, "what");
        put_text(&annotation, ANNOTATION_STRING, note);
        put_message(&event, EVENT_ANNOTATION, &annotation);
    }
    write_event(p, time, &event);
}

void perfetto_slice_end(perfetto_t *p, uint64_t track, uint64_t time)
{
    message_t event = {.n = 0};
    put_u64(&event, EVENT_TYPE, SLICE_END);
    put_u64(&event, EVENT_TRACK, track);
    write_event(p, time, &event);
}

void perfetto_value(perfetto_t *p, uint64_t counter, uint64_t time, double value)
{
    message_t event = {.n = 0};
    put_u64(&event, EVENT_TYPE, COUNTER_VALUE);
    put_u64(&event, EVENT_TRACK, counter);
    put_f64(&event, EVENT_DOUBLE, value);
    write_event(p, time, &event);
}
