/* firmware/web/openapi.json, built into the program. */
#ifndef AZEKURA_WEB_OPENAPI_H
#define AZEKURA_WEB_OPENAPI_H

#include <stddef.h>

extern const char openapi_json[];
extern const size_t openapi_json_n;

#endif
