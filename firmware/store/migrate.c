/* Reading and applying migrations; run by `azekura migrate` alone.
 * A crash between two migrations leaves the first applied and recorded, the second absent: run
 * again. */
#include "store/migrate.h"

#include <dirent.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/view.h"

/* Any number that nothing else locks: the same for every version of the product. */
#define LOCK_KEY "hashtextextended('azekura.migrate', 0)"

/* ---- files ---- */

/* "0001_roles.sql" → 1; -EINVAL for any other name. */
static int number_of_name(const char *name)
{
    size_t n = strlen(name);
    uint64_t number;
    if (n < 10 || n >= sizeof(((struct migration *)0)->name) || name[4] != '_' ||
        strcmp(name + n - 4, ".sql") != 0 ||
        view_u64(view_of(name, 4), MIGRATIONS_MAX, &number) < 0 || number == 0)
        return -EINVAL;
    if (strspn(name + 5, "abcdefghijklmnopqrstuvwxyz0123456789_") != n - 9)
        return -EINVAL;
    return (int)number;
}

static int read_all(int fd, char *p, size_t n)
{
    while (n > 0) {
        ssize_t got = read(fd, p, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            return -EIO; /* it became shorter */
        p += got;
        n -= (size_t)got;
    }
    return 0;
}

static int read_file(int dir_fd, const char *dir, struct migration *m, struct err *err)
{
    struct stat st;
    int fd = openat(dir_fd, m->name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0) {
        int e = errno;
        if (fd >= 0)
            close(fd);
        return err_set(err, e, "bad_migration", "cannot read %s/%s: %s", dir, m->name, strerror(e));
    }
    int rc = 0;
    if (!S_ISREG(st.st_mode) || st.st_size > (off_t)MIGRATION_MAX_BYTES)
        rc = err_set(err, EINVAL, "bad_migration", "%s/%s is not a file of at most %u bytes", dir,
                     m->name, MIGRATION_MAX_BYTES);
    if (rc == 0) {
        size_t n = (size_t)st.st_size;
        m->sql = xcalloc(n + 1, 1);
        rc = read_all(fd, m->sql, n);
        if (rc < 0)
            err_set(err, -rc, "bad_migration", "cannot read %s/%s: %s", dir, m->name,
                    strerror(-rc));
        else if (memchr(m->sql, 0, n))
            rc = err_set(err, EINVAL, "bad_migration", "%s/%s contains a NUL byte", dir, m->name);
    }
    close(fd);
    return rc;
}

static void hash_file(struct migration *m)
{
    unsigned char hash[32];
    CHECK(EVP_Digest(m->sql, strlen(m->sql), hash, NULL, EVP_sha256(), NULL) == 1);
    for (size_t i = 0; i < sizeof(hash); i++)
        snprintf(m->sha256 + 2 * i, 3, "%02x", hash[i]);
}

static int by_number(const void *a, const void *b)
{
    return ((const struct migration *)a)->number - ((const struct migration *)b)->number;
}

static int list_folder(DIR *d, const char *dir, struct migrations *m, struct err *err)
{
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        size_t n = strlen(e->d_name);
        if (e->d_name[0] == '.' || n < 4 || strcmp(e->d_name + n - 4, ".sql") != 0)
            continue;
        int number = number_of_name(e->d_name);
        if (number < 0)
            return err_set(err, EINVAL, "bad_migration",
                           "%s/%s: the name of a migration is four digits, '_', lower case "
                           "letters, digits and '_', \".sql\"",
                           dir, e->d_name);
        if (m->n == MIGRATIONS_MAX)
            return err_set(err, EINVAL, "bad_migration", "%s has more than %d migrations", dir,
                           MIGRATIONS_MAX);
        m->list = xrealloc(m->list, (size_t)m->n + 1, sizeof(*m->list));
        m->list[m->n] = (struct migration){.number = number};
        memcpy(m->list[m->n].name, e->d_name, n); /* its length was checked with its number */
        m->n++;
    }
    if (m->n == 0)
        return err_set(err, ENOENT, "bad_migration", "there is no migration in %s", dir);
    qsort(m->list, (size_t)m->n, sizeof(*m->list), by_number);
    for (int i = 0; i < m->n; i++) {
        if (i > 0 && m->list[i].number == m->list[i - 1].number)
            return err_set(err, EINVAL, "bad_migration", "%s: %s and %s have the same number", dir,
                           m->list[i - 1].name, m->list[i].name);
        if (m->list[i].number != i + 1)
            return err_set(err, EINVAL, "bad_migration", "%s: migration %04d is missing before %s",
                           dir, i + 1, m->list[i].name);
    }
    return 0;
}

int migrations_read(const char *dir, struct migrations *ret, struct err *err)
{
    DIR *d = opendir(dir);
    if (!d) {
        int e = errno;
        return err_set_field(err, e, "bad_migration", "database.sql_dir",
                             "cannot open the folder of migrations %s: %s", dir, strerror(e));
    }
    struct migrations m = {0};
    int rc = list_folder(d, dir, &m, err);
    for (int i = 0; i < m.n && rc == 0; i++) {
        rc = read_file(dirfd(d), dir, &m.list[i], err);
        if (rc == 0)
            hash_file(&m.list[i]);
    }
    closedir(d);
    if (rc < 0)
        migrations_free(&m);
    else
        *ret = m;
    return rc;
}

void migrations_free(struct migrations *m)
{
    for (int i = 0; i < m->n; i++)
        free(m->list[i].sql);
    free(m->list);
    *m = (struct migrations){0};
}

/* ---- the database ---- */

static int has_table(PGconn *c, struct err *err)
{
    PGresult *r;
    int rc =
        store_query(c, "select to_regclass('azekura.migration') is not null", 0, NULL, &r, err);
    if (rc < 0)
        return rc;
    rc = PQgetvalue(r, 0, 0)[0] == 't';
    PQclear(r);
    return rc;
}

int migrate_version(PGconn *c, int *ret, struct err *err)
{
    int rc = has_table(c, err);
    if (rc < 0)
        return rc;
    int version = 0;
    if (rc > 0) {
        PGresult *r;
        rc = store_query(c, "select coalesce(max(number), 0) from azekura.migration", 0, NULL, &r,
                         err);
        if (rc < 0)
            return rc;
        version = (int)strtol(PQgetvalue(r, 0, 0), NULL, 10);
        PQclear(r);
    }
    *ret = version;
    return 0;
}

/* Row i of what was applied against the file of the same place. */
static int check_applied(const PGresult *r, int i, const struct migrations *m, struct err *err)
{
    const char *name = PQgetvalue(r, i, 1), *sha256 = PQgetvalue(r, i, 2),
               *at = PQgetvalue(r, i, 3);
    int number = (int)strtol(PQgetvalue(r, i, 0), NULL, 10);
    if (number != i + 1)
        return err_set(err, EINVAL, "bad_migration",
                       "the database says that migration %d (%s) was applied but not %d: "
                       "azekura.migration was changed by hand",
                       number, name, i + 1);
    if (i >= m->n)
        return err_set(err, EINVAL, "bad_migration",
                       "the database has had migration %s on %s, which this version does not know: "
                       "it belongs to a newer version, install that",
                       name, at);
    if (strcmp(name, m->list[i].name) != 0)
        return err_set(err, EINVAL, "bad_migration",
                       "migration %d was applied as %s on %s, but the file is %s", number, name, at,
                       m->list[i].name);
    if (strcmp(sha256, m->list[i].sha256) != 0)
        return err_set(err, EINVAL, "bad_migration",
                       "%s was changed after it was applied on %s: put the file back and write "
                       "the change as migration %04d",
                       name, at, m->n + 1);
    return 0;
}

/* How many were applied, all of them checked. */
static int read_applied(PGconn *c, const struct migrations *m, struct err *err)
{
    int rc = has_table(c, err);
    if (rc <= 0)
        return rc;
    PGresult *r;
    rc = store_query(
        c,
        "select number, name, sha256, to_char(applied_at, 'YYYY-MM-DD HH24:MI:SS') || ' UTC'"
        " from azekura.migration order by number",
        0, NULL, &r, err);
    if (rc < 0)
        return rc;
    int n = PQntuples(r);
    for (int i = 0; i < n && rc == 0; i++)
        rc = check_applied(r, i, m, err);
    PQclear(r);
    return rc < 0 ? rc : n;
}

/* The line in which the server found the fault; 0 when it does not say. */
static int fault_line(const char *sql, const PGresult *r)
{
    const char *position = PQresultErrorField(r, PG_DIAG_STATEMENT_POSITION);
    if (!position)
        return 0;
    long chars = strtol(position, NULL, 10);
    int line = 1;
    for (const char *p = sql; *p && chars > 1; p++) {
        line += *p == '\n';
        if (((unsigned char)p[1] & 0xc0) != 0x80) /* the position counts characters */
            chars--;
    }
    return line;
}

/* The simple protocol: a file holds many statements. */
static int run_file(PGconn *c, const struct migration *m, struct err *err)
{
    PGresult *r = PQexec(c, m->sql);
    ExecStatusType status = PQresultStatus(r);
    int rc = 0;
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY) {
        rc = store_result_error(c, r, err);
        int line = fault_line(m->sql, r);
        if (line > 0)
            err_prefix(err, "line %d: ", line);
    } else if (PQtransactionStatus(c) != PQTRANS_INTRANS) {
        rc = err_set(err, EINVAL, "bad_migration", "it ends the transaction it is applied in");
    }
    PQclear(r);
    return rc;
}

static int record(PGconn *c, const struct migration *m, struct err *err)
{
    static const char *const statements[] = {
        "reset role",
        "create table if not exists azekura.migration ("
        " number integer primary key, name text not null, sha256 text not null,"
        " applied_at timestamptz not null default now())",
        "alter table azekura.migration owner to azekura",
    };
    for (size_t i = 0; i < ARRAY_LEN(statements); i++) {
        int64_t rc = store_execute(c, statements[i], 0, NULL, err);
        if (rc < 0)
            return (int)rc;
    }
    char number[12];
    snprintf(number, sizeof(number), "%d", m->number);
    const char *values[] = {number, m->name, m->sha256};
    int64_t rc = store_execute(
        c, "insert into azekura.migration (number, name, sha256) values ($1::integer, $2, $3)", 3,
        values, err);
    return rc < 0 ? (int)rc : 0;
}

static int apply(PGconn *c, const struct migration *m, struct err *err)
{
    int64_t rc = store_execute(c, "begin", 0, NULL, err);
    if (rc >= 0)
        rc = run_file(c, m, err);
    if (rc >= 0)
        rc = record(c, m, err);
    if (rc >= 0)
        rc = store_execute(c, "commit", 0, NULL, err);
    if (rc < 0) {
        err_prefix(err, "migration %s: ", m->name);
        PQclear(PQexec(c, "rollback"));
        return (int)rc;
    }
    return 0;
}

int migrate_run(PGconn *c, const struct migrations *m, migrate_step_fn each, void *context,
                struct err *err)
{
    int64_t rc = store_execute(c, "select pg_advisory_lock(" LOCK_KEY ")", 0, NULL, err);
    if (rc < 0)
        return (int)rc;
    int applied = 0;
    int n = read_applied(c, m, err);
    rc = n;
    while (n >= 0 && n < m->n && rc >= 0) {
        rc = apply(c, &m->list[n], err);
        if (rc >= 0) {
            applied++;
            if (each)
                each(context, &m->list[n]);
            n++;
        }
    }
    /* a lost connection has given the lock back by itself */
    PQclear(PQexec(c, "select pg_advisory_unlock(" LOCK_KEY ")"));
    return rc < 0 ? (int)rc : applied;
}
