/* Bringing the database's schema up to date: sql/migrations/NNNN_name.sql, each in one transaction.
 *
 * What was applied stands in azekura.migration, which is made in the transaction of the first
 * migration, right behind the schema azekura it lives in; a database without it has had none.  The
 * hash of the file is kept with it, so that a file changed afterwards is noticed instead of
 * silently differing. */
#ifndef AZEKURA_STORE_MIGRATE_H
#define AZEKURA_STORE_MIGRATE_H

#include "store/connection.h"

#define MIGRATION_MAX_BYTES (1u << 20) /* of a file */
#define MIGRATIONS_MAX 9999            /* four digits */

struct migration {
    int number;
    char name[128]; /* of the file: "0001_roles.sql" */
    char sha256[65];
    char *sql; /* owned, NUL-terminated */
};

struct migrations {
    struct migration *list; /* 1, 2, 3, … without gap */
    int n;
};

/* Read the folder.  -ENOENT no such folder or no migration in it, -EINVAL a name that is none, a
 * gap, a number twice or a file over the limit ("bad_migration"). */
MUST_USE int migrations_read(const char *dir, struct migrations *ret, struct err *err);
void migrations_free(struct migrations *m);

/* Told after each migration is committed. */
typedef void (*migrate_step_fn)(void *context, const struct migration *m);

/* Apply what is missing, on a superuser's connection that is not in a transaction.  A second one at
 * the same time waits for the first and then finds nothing to do.  Returns how many were applied,
 * or negative and *err: -EINVAL "bad_migration" when the database and the files do not belong
 * together; what fails is rolled back alone, the migrations before it stay. */
MUST_USE int migrate_run(PGconn *c, const struct migrations *m, migrate_step_fn each, void *context,
                         struct err *err);

/* The number of the last migration the database has had; 0 for none. */
MUST_USE int migrate_version(PGconn *c, int *ret, struct err *err);

#endif
