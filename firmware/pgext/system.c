/* azekura.file_system() and azekura.server_pid(): what only the server itself knows of the box. */
#include "pgext/pgext.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

PGEXT_FUNCTION(azekura_file_system);
PGEXT_FUNCTION(azekura_server_pid);

/* A size beyond bigint is the largest bigint. */
static int64 bytes_of(uint64_t blocks, uint64_t block_bytes)
{
    int64 bytes;
    return __builtin_mul_overflow(blocks, block_bytes, &bytes) ? PG_INT64_MAX : bytes;
}

/* file_system() → total_bytes, free_bytes, device: of the file system with the server's data.  Free
 * is what an unprivileged process may still write. */
Datum azekura_file_system(PG_FUNCTION_ARGS)
{
    TupleDesc desc;
    struct statvfs fs;
    struct stat st;
    if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "azekura.file_system() must return a row");
    if (statvfs(DataDir, &fs) < 0 || stat(DataDir, &st) < 0)
        ereport(ERROR, (errcode_for_file_access(),
                        errmsg("cannot ask for the file system of \"%s\": %m", DataDir)));
    Datum values[3] = {
        Int64GetDatum(bytes_of(fs.f_blocks, fs.f_frsize)),
        Int64GetDatum(bytes_of(fs.f_bavail, fs.f_frsize)),
        PointerGetDatum(cstring_to_text(psprintf("%u:%u", major(st.st_dev), minor(st.st_dev)))),
    };
    bool nulls[3] = {false, false, false};
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}

/* server_pid(): of the postmaster, the parent of all the server's processes. */
Datum azekura_server_pid(PG_FUNCTION_ARGS)
{
    (void)fcinfo;
    PG_RETURN_INT32(PostmasterPid);
}
