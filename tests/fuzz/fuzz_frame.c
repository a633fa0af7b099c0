/* Framing: byte 0 chooses mode and limit, byte 1 the length of reads; the rest is the stream.
 * However it is cut into reads, the same messages come out; no byte is given out twice; the
 * connection never waits for more than its buffer holds (stream.h checks that). */
#include "../unit/syslog/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t limits[] = {16, 17, 64, 1024};
    if (size < 2 || size > 16384)
        return 0;
    enum frame_mode mode = data[0] % 3;
    size_t max_bytes = limits[(data[0] >> 4) % ARRAY_LEN(limits)], read = data[1] ? data[1] : 1,
           bytes = 0;
    const char *p = (const char *)data + 2;
    size_t n = size - 2;
    struct stream whole, single, parts;
    stream_run(&whole, p, n, n ? n : 1, max_bytes, mode);
    stream_run(&single, p, n, 0, max_bytes, mode);
    stream_open(&parts, max_bytes, mode);
    for (size_t i = 0; i < n; i += read)
        stream_send(&parts, p + i, MIN(read, n - i));
    stream_end(&parts);
    CHECK(stream_eq(&whole, &single));
    CHECK(stream_eq(&whole, &parts));
    for (size_t i = 0; i < whole.count; i++)
        bytes += whole.messages[i].n;
    CHECK(bytes <= n);
    stream_close(&whole);
    stream_close(&single);
    stream_close(&parts);
    return 0;
}
