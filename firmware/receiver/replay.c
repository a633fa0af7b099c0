/* From a journal to blocks.  Nothing is decided again, but that zone and charset of a source are
 * those of the start: a message that is in the journal had been let in, and its entry says which
 * source group's block it was in.  What has become of it in a database that had taken the unit
 * before the crash is the same under the same key. */
#include "receiver/replay.h"

#include "config/log.h"
#include "receiver/intake.h"
#include "syslog/syslog.h"

struct replay {
    struct shared *s;
    struct work *w;
    struct work_block *by_group[SOURCE_GROUPS_MAX];
    struct syslog_context context;
    struct buf scratch;
    struct ledger_replay rows[LEDGER_ROWS];
    uint64_t messages, benchmark_messages;
    /* of the last message's sender */
    struct ip source;
    struct source_setting setting;
};

static struct block_builder *block_of(struct replay *r, uint8_t group)
{
    struct work_block *b = r->by_group[group];
    if (!b) {
        uint64_t first_seq = ledger_first_seq(r->w->page, r->w->blocks_n);
        b = r->by_group[group] = work_add_block(r->w, group);
        b->builder = builders_take(&r->s->builders, first_seq);
    }
    return b->builder->block;
}

/* Neighbours mostly have the same sender. */
static void read_as(struct replay *r, const struct ip *source)
{
    const struct sender_rules *rules = r->s->first_rules;
    if (!rules)
        return;
    if (!ip_eq(&r->source, source)) {
        r->source = *source;
        r->setting = sender_rules_setting_of(rules, source);
    }
    r->context.zone = r->setting.zone ? r->setting.zone : r->s->zone;
    r->context.charset = r->setting.charset;
}

static void replay_entry(void *context, const struct journal_entry *e)
{
    struct replay *r = context;
    struct record record;
    struct ip source;
    uint8_t listener;
    if (!ledger_row_of(r->w->page, e->row, &listener, &source))
        return; /* damaged: what the page counts and is not here is refused for `crash` */
    r->context.received_at_us = e->received_at_us;
    read_as(r, &source);
    syslog_parse(&r->context, e->bytes, &record);
    record.source = source;
    record.listener = listener;
    record.received_at_us = e->received_at_us;
    if (e->mark == INTAKE_TRUNCATED)
        record.flags |= RECORD_TRUNCATED;
    if (block_builder_add(block_of(r, e->group), &record) < 0)
        return;
    r->rows[e->row].messages++;
    r->rows[e->row].truncated += e->mark == INTAKE_TRUNCATED;
    r->messages++;
    r->benchmark_messages += e->group == SOURCE_GROUP_BENCHMARK;
}

struct last {
    struct journal_entry entry;
    struct buf bytes;
};

static void keep_last(void *context, const struct journal_entry *e)
{
    struct last *last = context;
    last->entry = *e;
    buf_clear(&last->bytes);
    (void)buf_add_view(&last->bytes, e->bytes);
}

void replay_last_number(struct shared *s, const struct work *w)
{
    struct last last = {.bytes = BUF_INIT(MESSAGE_MAX_BYTES_LIMIT + 65536)};
    struct buf scratch = BUF_INIT(3 * (size_t)MESSAGE_MAX_BYTES_LIMIT + 3 * 65536 + 64);
    struct err err = {0};
    struct record record;
    struct sequence number;
    struct ip source;
    uint8_t listener;
    /* damage is said when the unit is replayed */
    if (w->journal && journal_replay(w->journal, keep_last, &last, &err) == 0 &&
        last.entry.received_at_us != 0 &&
        ledger_row_of(w->page, last.entry.row, &listener, &source)) {
        struct syslog_context context = {
            .received_at_us = last.entry.received_at_us, .zone = s->zone, .scratch = &scratch};
        syslog_parse(&context, buf_view(&last.bytes), &record);
        if (sequence_of(&record, &number))
            sequences_again(s->sequences, &source, listener, &number);
    }
    buf_free(&last.bytes);
    buf_free(&scratch);
}

/* A block is begun with its first message, which may not have fitted. */
static void drop_empty_blocks(struct replay *r)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < r->w->blocks_n; i++) {
        struct work_block *b = r->w->blocks[i];
        if (block_builder_messages(b->builder->block) > 0) {
            r->w->blocks[kept++] = b;
            continue;
        }
        builders_give(&r->s->builders, b->builder);
        free(b);
    }
    r->w->blocks_n = kept;
}

void replay_unit(struct shared *s, struct work *w)
{
    struct replay *r = xcalloc(1, sizeof(*r));
    struct err err = {0};
    if (ledger_is_rejected(w->page)) {
        w->is_lost = true; /* its blocks are set aside already */
        free(r);
        return;
    }
    r->s = s;
    r->w = w;
    r->scratch = BUF_INIT(3 * (size_t)MESSAGE_MAX_BYTES_LIMIT + 3 * 65536 + 64);
    r->context = (struct syslog_context){.zone = s->zone, .scratch = &r->scratch};
    if (w->journal && journal_replay(w->journal, replay_entry, r, &err) < 0)
        log_line(LOG_ERROR, "the journal of unit %llu of the run before is damaged: %s",
                 (unsigned long long)ledger_page_number(w->page), err.message);
    drop_empty_blocks(r);
    uint64_t lost = ledger_replayed(w->page, r->rows);
    if (lost > 0)
        log_line(LOG_WARNING,
                 "%llu messages of unit %llu of the run before are not in its journal: they are "
                 "counted as refused (crash)",
                 (unsigned long long)lost, (unsigned long long)ledger_page_number(w->page));
    atomic_fetch_add(&s->inherited, r->messages);
    atomic_fetch_add(&s->inherited_benchmark, r->benchmark_messages);
    buf_free(&r->scratch);
    free(r);
}
