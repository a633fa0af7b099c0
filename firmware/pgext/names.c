/* azekura.charsets(), charset_name() and format_names(): what the parser knows, by name. */
#include "pgext/pgext.h"

#include "utils/array.h"

#include "syslog/charset.h"

PGEXT_FUNCTION(azekura_charsets);
PGEXT_FUNCTION(azekura_charset_name);
PGEXT_FUNCTION(azekura_format_names);

/* charsets() → name, label_en, label_ja; in the order in which people should see them */
Datum azekura_charsets(PG_FUNCTION_ARGS)
{
    InitMaterializedSRF(fcinfo, 0);
    ReturnSetInfo *result = (ReturnSetInfo *)fcinfo->resultinfo;
    const struct charset *c;
    for (size_t i = 0; (c = charset_at(i)) != NULL; i++) {
        Datum values[3] = {CStringGetTextDatum(charset_name(c)),
                           CStringGetTextDatum(charset_label_en(c)),
                           CStringGetTextDatum(charset_label_ja(c))};
        bool nulls[3] = {false};
        tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
    }
    return (Datum)0;
}

/* charset_name(any of its names): the one it goes by; null: there is none */
Datum azekura_charset_name(PG_FUNCTION_ARGS)
{
    const struct charset *c = charset_find(view_of_argument(fcinfo, 0));
    if (c == NULL)
        PG_RETURN_NULL();
    PG_RETURN_DATUM(CStringGetTextDatum(charset_name(c)));
}

/* format_names(): by number */
Datum azekura_format_names(PG_FUNCTION_ARGS)
{
    Datum names[FORMAT_COUNT];
    (void)fcinfo;
    for (unsigned i = 0; i < FORMAT_COUNT; i++)
        names[i] = CStringGetTextDatum(record_format_name(i));
    PG_RETURN_ARRAYTYPE_P(construct_array(names, FORMAT_COUNT, TEXTOID, -1, false, TYPALIGN_INT));
}
