/* What a sender costs a message: finding it, its rate, its sequence numbers, its health.  Prints
 * nanoseconds a message. receiver_bench [--messages N] */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "receiver/health.h"
#include "receiver/senders.h"

#define T0 (INT64_C(1773100800) * US_PER_SECOND)

enum { STREAMS = 500 };

static const char *const rules_text = "member 127.66.0.0/16 32\nallow 10.0.0.0/8 any\n"
                                      "limit 10.0.0.0/8 10000000 100000000\n";

/* Of this thread: the machine may have other work. */
static int64_t cpu_ns(void)
{
    struct timespec t;
    CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static unsigned one_lane(const struct ip *source, uint8_t listener, unsigned lanes)
{
    (void)source;
    (void)listener;
    (void)lanes;
    return 0;
}

static struct ip numbered(unsigned n)
{
    return (struct ip){4, {10, (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n}};
}

/* So many sources in turn; UINT32_MAX: never the same twice. */
static double find_and_take(struct senders *s, const struct sender_rules *r, unsigned sources,
                            unsigned messages)
{
    uint64_t taken = 0;
    int64_t now = clock_mono_us(), begin = cpu_ns();
    for (unsigned i = 0, n = 0; i < messages; i++, n = n + 1 == sources ? 0 : n + 1) {
        struct ip ip = numbered(n);
        if (i % 256 == 0)
            now = clock_mono_us(); /* as after each read */
        struct sender *x = senders_find(s, r, LISTENER_UDP, &ip, now);
        taken += x->is_allowed && sender_take(s, x, now, T0);
    }
    if (taken != messages)
        fprintf(stderr, "%llu of %u messages may pass\n", (unsigned long long)taken, messages);
    return (double)(cpu_ns() - begin) / messages;
}

enum text { TEXT_PLAIN, TEXT_MARK, TEXT_META };

static int write_text(char *out, size_t n, enum text kind, unsigned stream, unsigned value)
{
    switch (kind) {
    case TEXT_MARK:
        return snprintf(out, n, "seq=00000000deadbeef-%05u-%010u", stream, value);
    case TEXT_META:
        return snprintf(out, n, "[meta a=\"%u\" sequenceId=\"%u\"]", stream, value);
    default:
        return snprintf(out, n, "a message without one, of about the usual length %u %u", stream,
                        value);
    }
}

static double number(struct senders *s, const struct sender_rules *r, enum text kind, unsigned from,
                     unsigned streams, unsigned messages)
{
    enum { TEXT_BYTES = 96, TEXTS = 256 };
    static char texts[TEXTS][TEXT_BYTES]; /* made before, so that what is measured is ours alone */
    int lengths[TEXTS];
    struct ip ip = numbered(1);
    struct sender *x = senders_find(s, r, LISTENER_TCP, &ip, 0);
    struct record record = {.received_at_us = T0, .format = FORMAT_RFC5424, .message = VIEW("x")};
    struct view *where = kind == TEXT_META ? &record.structured_data : &record.message;
    struct sequence_gap gap;
    int64_t spent = 0;
    uint64_t gaps = 0;
    for (unsigned done = 0; done < messages; done += TEXTS) {
        for (unsigned i = 0; i < TEXTS; i++)
            lengths[i] = write_text(texts[i], TEXT_BYTES, kind, from + (done + i) % streams,
                                    1 + (done + i) / streams);
        int64_t begin = cpu_ns();
        for (unsigned i = 0; i < TEXTS; i++) {
            *where = view_of(texts[i], (size_t)lengths[i]);
            gaps += senders_sequence(s, x, &record, &gap);
        }
        spent += cpu_ns() - begin;
    }
    if (gaps)
        fprintf(stderr, "%llu gaps where there are none\n", (unsigned long long)gaps);
    return (double)spent / messages;
}

/* Counted for so many sources in turn; `text`: broken UTF-8, of which a charset is guessed. */
static double health(const struct sender_rules *r, unsigned sources, struct view text,
                     unsigned messages)
{
    struct senders *s = senders_new(NULL, 0);
    struct health *h = health_new();
    struct record record = {.received_at_us = T0,
                            .reported_at_us = T0,
                            .format = FORMAT_RFC3164,
                            .flags = text.n ? RECORD_INVALID_UTF8 : 0,
                            .raw = text.n ? text : VIEW("a message of about the usual length")};
    int64_t spent = 0;
    for (unsigned done = 0, n = 0; done < messages; done += 256, n = (n + 1) % sources) {
        struct ip ip = numbered(n);
        struct sender *x = senders_find(s, r, LISTENER_UDP, &ip, done);
        int64_t begin = cpu_ns();
        for (unsigned i = 0; i < 256; i++)
            health_count(h, x, &record);
        spent += cpu_ns() - begin;
    }
    health_free(&h);
    senders_free(&s);
    return (double)spent / messages;
}

int main(int argc, char **argv)
{
    unsigned messages = 20000000;
    char path[] = "/tmp/azk-receiver-bench-XXXXXX";
    struct err err = {0};
    struct sequences *sequences = NULL;
    if (argc == 3 && strcmp(argv[1], "--messages") == 0)
        messages = (unsigned)strtoul(argv[2], NULL, 10);
    int fd = mkstemp(path);
    if (fd < 0 || messages == 0)
        return 2;
    close(fd);
    (void)unlink(path);
    struct sender_rules *r = sender_rules_new();
    if (sequences_open(path, 1, one_lane, &sequences, &err) < 0 ||
        sender_rules_parse(r, view_str(rules_text), &err) < 0) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    static const unsigned sources[] = {1, 2, 1000, 5000, 50000, UINT32_MAX};
    for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
        struct senders *s = senders_new(sequences, 0);
        (void)find_and_take(s, r, sources[i], MIN(messages, 2 * sources[i])); /* known */
        double ns = find_and_take(s, r, sources[i], messages);
        if (sources[i] == UINT32_MAX)
            printf("find and take, all made up:      %6.1f ns\n", ns);
        else
            printf("find and take, %5u in turn:     %6.1f ns\n", sources[i], ns);
        senders_free(&s);
    }
    struct senders *s = senders_new(sequences, 0);
    printf("number: none                     %6.1f ns\n",
           number(s, r, TEXT_PLAIN, 0, 1, messages / 4));
    printf("number: mark, 1 stream           %6.1f ns\n",
           number(s, r, TEXT_MARK, 0, 1, messages / 4));
    printf("number: mark, %u streams        %6.1f ns\n", STREAMS,
           number(s, r, TEXT_MARK, 1, STREAMS, messages / 4));
    printf("number: meta, 1 stream           %6.1f ns\n",
           number(s, r, TEXT_META, 0, 1, messages / 4));
    senders_free(&s);
    printf("health: 1 source                 %6.1f ns\n", health(r, 1, VIEW_NULL, messages / 4));
    printf("health: 1000 sources             %6.1f ns\n", health(r, 1000, VIEW_NULL, messages / 4));
    printf("health: broken UTF-8             %6.1f ns\n",
           health(r, 1, VIEW("<13>\x94\x46\x8f\xd8\x82\xc9\x8e\xb8\x94\x73"), messages / 4));
    sender_rules_free(&r);
    sequences_close(&sequences, false);
    (void)unlink(path);
    return 0;
}
