/* Words for what the documents name by keys. */
#include "bench/report/answer.h"

#include "bench/facts.h"

struct words answer_transport(const char *transport)
{
    static const struct {
        const char *key;
        struct words w;
    } known[] = {
        {"udp", {"UDP", "UDP"}},
        {"tcp", {"TCP", "TCP"}},
        {"tls", {"TLS", "TLS"}},
        {"unix", {"unix socket", "UNIX ソケット"}},
        {"unix_dgram", {"unix datagram socket", "UNIX データグラムソケット"}},
        {"unix_stream", {"unix stream socket", "UNIX ストリームソケット"}},
    };
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (strcmp(known[i].key, transport) == 0)
            return known[i].w;
    return (struct words){*transport ? transport : "?", *transport ? transport : "?"};
}

struct words answer_reason(const char *reason)
{
    static const struct {
        const char *key;
        struct words w;
    } known[] = {
        {"not_allowed", {"refused: sender not allowed", "拒否: 許可されていない送信元"}},
        {"rate_limit", {"refused: rate limit", "拒否: レート制限"}},
        {"oversize", {"refused: too long", "拒否: 長すぎるメッセージ"}},
        {"bad_frame", {"refused: broken framing", "拒否: フレームの誤り"}},
        {"over_budget", {"refused: month over its budget", "拒否: 月の容量超過"}},
    };
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (strcmp(known[i].key, reason) == 0)
            return known[i].w;
    return (struct words){reason, reason};
}

struct words answer_place(const cJSON *trial)
{
    const struct {
        const char *path;
        struct words w;
    } places[] = {
        {"stages.kernel_dropped",
         {"in the kernel's socket buffer", "カーネルのソケットバッファで"}},
        {"stages.nic_dropped", {"at the network card", "ネットワークカードで"}},
        {"stages.in_flight", {"on their way when the trial ended", "試験終了時の転送中に"}},
        {"stages.queued", {"in the queue when the trial ended", "試験終了時の待ち行列で"}},
        {"stages.unaccounted", {"at a place that nothing counts", "どこにも数えられない場所で"}},
    };
    struct words best = {"", ""};
    double most = 0;
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        double n = facts_count(trial, places[i].path);
        if (n > most) {
            most = n;
            best = places[i].w;
        }
    }
    const cJSON *reason;
    cJSON_ArrayForEach(reason, facts_get(trial, "stages.reasons"))
    {
        if (cJSON_IsNumber(reason) && reason->valuedouble > most) {
            most = reason->valuedouble;
            best = answer_reason(reason->string);
        }
    }
    if (most == 0 && facts_count(trial, "stages.refused") > 0)
        best = (struct words){"by refusal", "拒否により"};
    return best;
}
