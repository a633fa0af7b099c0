/* Requests to the helper: any bytes are refused or become a request whose arguments keep their
 * limits; the settings of a network are read, checked and rendered on the way. */
#include <stdint.h>

#include "helper/network.h"
#include "helper/request.h"
#include "helper/subjects.h"

static void try_network(const cJSON *settings)
{
    static struct network n;
    struct buf network = BUF_INIT(HELPER_FILE_MAX_BYTES), netdev = BUF_INIT(4096);
    struct err err;
    if (network_parse(settings, &n, &err) < 0)
        return;
    for (size_t i = 0; i < n.interfaces_n; i++) {
        buf_clear(&network);
        buf_clear(&netdev);
        CHECK(network_is_interface_name(n.interfaces[i].name));
        CHECK(network_render(&n, &n.interfaces[i], &network, &netdev, &err) == 0);
    }
    buf_free(&network);
    buf_free(&netdev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct request r;
    struct err err;
    const char *why;
    struct view in = view_of((const char *)data, size);
    (void)!ssh_key_check(in, &why);
    int e = request_parse(in, &r, &err);
    if (e == -EBADMSG)
        return 0;
    CHECK(r.command != NULL && strlen(r.actor) <= HELPER_ACTOR_MAX_BYTES && *r.actor);
    for (size_t i = 0; e == 0 && i < ARGUMENTS_MAX && r.command->arguments[i].name; i++) {
        const struct argument *a = &r.command->arguments[i];
        const cJSON *v = request_item(&r, a->name);
        CHECK(v || !a->is_needed);
        if (v && a->kind == ARGUMENT_TEXT)
            CHECK(strlen(v->valuestring) <= (size_t)a->max);
        if (v && a->kind == ARGUMENT_OBJECT)
            try_network(v);
    }
    request_free(&r);
    return 0;
}
