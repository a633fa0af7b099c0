/* The header of the PROXY protocol (HAProxy's specification, versions 1 and 2). */
#ifndef AZEKURA_BENCH_PROXY_H
#define AZEKURA_BENCH_PROXY_H

#include "bench/load/load_command.h"

#define PROXY_HEADER_MAX 128

/* The header for one connection; addresses and ports that are not given are drawn: 192.168.1.1…99,
 * ports 5000…9999, to port 514.  Version 1 ends with CR LF (loggen's, with is_compat, with LF
 * alone); version 2 has the family of the addresses and the transport's kind.  Returns its length,
 * or -EINVAL with *err. */
MUST_USE int proxy_header(const struct load_more *more, enum target_transport transport,
                          struct random *r, char ret[PROXY_HEADER_MAX], struct err *err);

#endif
