/* retention_sim CONFIG: a year in a minute.  Reads commands from stdin, a line each, and answers
 * each with a line of JSON; times are µs since the epoch, injected everywhere the product would
 * read a clock.  The parts are the product's: block_builder, unit_write(), the keeper's
 * enforce_step().
 *
 *   write AT GROUP MESSAGES BYTES   messages of that many random bytes as one unit, severities 0…7
 *                                   in turn by tens; what azekura.shed refuses is refused
 *   step AT BOOT_US BOOT_ID         the preview as the web makes it, then the keeper's step until
 * it has nothing more to do at once set NAME VALUE                  a setting, as if it had been
 * changed in the console forget                          the keeper is started anew */
#include "config/config.h"
#include "keeper/enforce.h"
#include "store/unit.h"
#include "syslog/syslog.h"

#define STEPS_MAX 200

struct sim {
    struct config config;
    PGconn *receiver, *keeper, *web;
    struct enforcer enforcer;
    struct block_builder *builder;
    struct zone *zone;
    struct buf scratch;
    uint64_t seq, unit;
    uint64_t random;
    int64_t last_receipt;
};

static _Noreturn void fail(const char *what, const struct err *err)
{
    fprintf(stderr, "retention_sim: %s: %s\n", what, err ? err->message : "");
    exit(1);
}

/* ---- messages ---- */

static uint64_t chance(struct sim *s)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return s->random;
}

/* Of ten messages four are debug, three info, one each notice, warning and error. */
static unsigned severity_of(uint64_t n)
{
    static const uint8_t severities[10] = {7, 6, 7, 5, 7, 6, 4, 7, 6, 3};
    return severities[n % 10];
}

static void add_message(struct sim *s, int64_t at_us, unsigned severity, size_t bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789xy";
    static char text[65536];
    size_t n = (size_t)snprintf(text, sizeof(text), "<%u>host%u app: ", 8 + severity,
                                (unsigned)(s->seq % 20));
    for (uint64_t r = 0; n < bytes && n < sizeof(text); n++, r >>= 6) {
        if (n % 10 == 0)
            r = chance(s);
        text[n] = digits[r & 63];
    }
    struct syslog_context context = {
        .received_at_us = at_us, .zone = s->zone, .scratch = &s->scratch};
    struct record record = {0};
    buf_clear(&s->scratch);
    syslog_parse(&context, view_of(text, n), &record);
    if (ip_parse(VIEW("192.0.2.10"), &record.source) < 0 ||
        block_builder_add_seq(s->builder, &record, s->seq++) < 0)
        fail("a message does not fit into a block", NULL);
}

/* From which severity on the group's messages are refused; 8: none. */
static int shed_from(struct sim *s, const char *group)
{
    struct err err;
    PGresult *q = NULL;
    if (store_query(s->receiver, "select severity from azekura.shed where source_group = $1", 1,
                    &group, &q, &err) < 0)
        fail("cannot read azekura.shed", &err);
    int from = PQntuples(q) > 0 ? (int)store_number(q, 0, 0) : 8;
    PQclear(q);
    return from;
}

static void write_unit(struct sim *s, int64_t at_us, int group, uint64_t messages, size_t bytes)
{
    char group_text[16];
    snprintf(group_text, sizeof(group_text), "%d", group);
    int from = shed_from(s, group_text);
    struct unit_row row = {.minute_us = at_us / US_PER_MINUTE * US_PER_MINUTE,
                           .listener = LISTENER_UDP};
    struct block block;
    struct err err;
    block_builder_clear(s->builder, s->seq);
    for (uint64_t i = 0; i < messages; i++) {
        unsigned severity = severity_of(i);
        row.arrived++;
        row.bytes += bytes;
        if ((int)severity >= from) {
            row.refused[REASON_OVER_BUDGET]++;
            continue;
        }
        row.stored++;
        add_message(s, at_us + (int64_t)i, severity, bytes);
    }
    if (ip_parse(VIEW("192.0.2.10"), &row.source) < 0)
        fail("address", NULL);
    if (row.stored > 0)
        block_builder_finish(s->builder, &block);
    struct unit_block unit_block = {.source_group = (uint8_t)group, .block = &block};
    struct unit unit = {.number = s->unit++,
                        .blocks = &unit_block,
                        .blocks_n = row.stored > 0,
                        .zone = s->config.time_zone,
                        .rows = &row,
                        .rows_n = 1};
    memcpy(unit.run, "retention-sim-01", sizeof(unit.run));
    struct unit_patience patience = {60 * US_PER_SECOND, NULL};
    if (unit_write(s->receiver, &unit, &patience, &err) != UNIT_COMMITTED)
        fail("cannot store a unit", &err);
    printf("{\"stored\":%llu,\"refused\":%llu}\n", (unsigned long long)row.stored,
           (unsigned long long)row.refused[REASON_OVER_BUDGET]);
    if (row.stored > 0)
        block_free(&block);
}

/* ---- the rule ---- */

static void print_plan(const struct rule_plan *plan)
{
    for (size_t i = 0; i < plan->deletions_n; i++)
        printf("%s[\"%s\",%lld,%lld,\"%s\"]", i ? "," : "", plan->deletions[i].piece->name,
               (long long)plan->deletions[i].piece->messages,
               (long long)plan->deletions[i].piece->bytes,
               rule_reason_names[plan->deletions[i].reason]);
}

static void measure(struct sim *s)
{
    struct err err;
    if (store_execute(s->keeper, "select azekura.measure_pieces()", 0, NULL, &err) < 0)
        fail("cannot measure", &err);
}

static void preview(struct sim *s, int64_t at_us)
{
    struct arena arena = ARENA_INIT;
    struct retention r;
    struct rule_plan plan;
    struct err err;
    measure(s);
    if (retention_load(s->web, &s->config, at_us, &arena, &r, &err) < 0)
        fail("cannot make a preview", &err);
    rule_plan(&r, r.policy, &arena, &plan);
    printf("{\"preview\":[");
    print_plan(&plan);
    printf("],\"held\":%lld,", (long long)plan.held_bytes);
    arena_done(&arena);
}

/* The ledger against what is there and what the receipts say. */
static void print_ledger(struct sim *s)
{
    struct err err;
    PGresult *q = NULL;
    if (store_query(s->web,
                    "select (select coalesce(sum(stored), 0) from azekura.ledger_total),"
                    " (select coalesce(sum(messages), 0) from azekura.log_block),"
                    " (select coalesce(sum((detail ->> 'messages')::bigint), 0)"
                    "  from azekura.audit where action = 'retention.delete')",
                    0, NULL, &q, &err) < 0)
        fail("cannot read the ledger", &err);
    printf("\"stored\":%lld,\"kept\":%lld,\"deleted\":%lld,", (long long)store_number(q, 0, 0),
           (long long)store_number(q, 0, 1), (long long)store_number(q, 0, 2));
    PQclear(q);
}

/* The pieces of the receipts since `after`, and the id of the last one. */
static void print_receipts(struct sim *s)
{
    struct err err;
    PGresult *q = NULL;
    char after[24];
    snprintf(after, sizeof(after), "%lld", (long long)s->last_receipt);
    if (store_query(s->web,
                    "select a.id, p ->> 'name', p ->> 'messages', p ->> 'bytes',"
                    " a.detail ->> 'reason' from azekura.audit a,"
                    " jsonb_array_elements(a.detail -> 'pieces') p"
                    " where a.action = 'retention.delete' and a.id > $1 order by a.id",
                    1, (const char *const[]){after}, &q, &err) < 0)
        fail("cannot read receipts", &err);
    printf("\"receipts\":[");
    for (int i = 0; i < PQntuples(q); i++) {
        printf("%s[\"%s\",%s,%s,\"%s\"]", i ? "," : "", PQgetvalue(q, i, 1), PQgetvalue(q, i, 2),
               PQgetvalue(q, i, 3), PQgetvalue(q, i, 4));
        s->last_receipt = store_number(q, i, 0);
    }
    printf("],");
    PQclear(q);
}

static void print_after(struct sim *s, int64_t at_us, int steps)
{
    struct arena arena = ARENA_INIT;
    struct retention r;
    struct err err;
    measure(s);
    if (retention_load(s->web, &s->config, at_us, &arena, &r, &err) < 0)
        fail("cannot look", &err);
    printf("\"steps\":%d,\"month\":%d,\"month_bytes\":%lld,\"budget\":%lld,\"used\":%lld,"
           "\"counted\":%lld,\"high_water\":%lld,\"capacity\":%lld,\"wal\":%lld,\"pieces_n\":%zu,"
           "\"state\":\"%s\","
           "\"doubted\":%s,\"shed\":%d,\"months\":{",
           steps, r.month, (long long)retention_month_bytes(&r, r.month, -1),
           (long long)r.budget_bytes, (long long)retention_used_bytes(&r),
           (long long)rule_used_bytes(&r), (long long)r.high_water_bytes,
           (long long)r.capacity_bytes, (long long)r.wal_bytes, r.pieces_n,
           retention_state_names[s->enforcer.status.state], r.is_clock_doubted ? "true" : "false",
           r.shed_now[0].from);
    int32_t last = 0;
    for (size_t i = 0; i < r.pieces_n; i++) {
        int32_t month = r.pieces[i].day / 100;
        if (month == last)
            continue;
        printf("%s\"%d\":%lld", last ? "," : "", month,
               (long long)retention_month_bytes(&r, month, -1));
        last = month;
    }
    printf("}}\n");
    arena_done(&arena);
}

static void step(struct sim *s, int64_t at_us, int64_t boot_us, const char *boot_id)
{
    struct clock_reading now = {.wall_us = at_us, .boot_us = boot_us};
    struct err err;
    snprintf(now.boot_id, sizeof(now.boot_id), "%s", boot_id);
    preview(s, at_us);
    int n = 0;
    int64_t again_us;
    do {
        again_us = enforce_step(&s->enforcer, s->keeper, &s->config, &now, &err);
        if (again_us < 0)
            fail("the keeper's step", &err);
    } while (again_us < US_PER_SECOND && ++n < STEPS_MAX);
    print_receipts(s);
    print_ledger(s);
    print_after(s, at_us, n);
}

/* ---- commands ---- */

static void set(struct sim *s, const char *name, const char *value)
{
    struct err err;
    const struct setting *setting = config_find(view_str(name), &err);
    if (!setting || config_set(&s->config, setting, view_str(value), &err) < 0)
        fail("set", &err);
    zone_free(&s->zone);
    if (zone_load(s->config.time_zone, &s->zone, &err) < 0)
        fail("zone", &err);
    enforce_tell(&s->enforcer);
    printf("{}\n");
}

static void command(struct sim *s, const char *line)
{
    long long a, b, c, d;
    char name[64], value[256];
    if (sscanf(line, "write %lld %lld %lld %lld", &a, &b, &c, &d) == 4) {
        write_unit(s, a, (int)b, (uint64_t)c, (size_t)d);
    } else if (sscanf(line, "step %lld %lld %63s", &a, &b, name) == 3) {
        step(s, a, b, name);
    } else if (sscanf(line, "set %63s %255[^\n]", name, value) == 2) {
        set(s, name, value);
    } else if (strcmp(line, "forget\n") == 0) {
        enforce_done(&s->enforcer);
        s->enforcer = (struct enforcer){0};
        printf("{}\n");
    } else {
        fail(line, NULL);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct sim s = {.builder = block_builder_new(),
                    .scratch = BUF_INIT(4u * MESSAGE_MAX_BYTES_LIMIT),
                    .seq = 1,
                    .unit = 1,
                    .random = 88172645463325252u};
    struct err err;
    config_defaults(&s.config);
    if (argc != 2 || config_load(&s.config, argv[1], &err) < 0 ||
        zone_load(s.config.time_zone, &s.zone, &err) < 0)
        fail("usage: retention_sim CONFIG", argc == 2 ? &err : NULL);
    if (store_connect(s.config.database, "azekura_receiver", "sim", &s.receiver, &err) < 0 ||
        store_connect(s.config.database, "azekura_keeper", "sim", &s.keeper, &err) < 0 ||
        store_connect(s.config.database, "azekura_web", "sim", &s.web, &err) < 0)
        fail("cannot connect", &err);
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, stdin) >= 0)
        command(&s, line);
    free(line);
    enforce_done(&s.enforcer);
    PQfinish(s.receiver);
    PQfinish(s.keeper);
    PQfinish(s.web);
    block_builder_free(&s.builder);
    zone_free(&s.zone);
    buf_free(&s.scratch);
    return 0;
}
