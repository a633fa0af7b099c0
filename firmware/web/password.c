/* Passwords that a client sends (password.h). */
#include "web/password.h"

#define BUSY_WAIT_S 1

bool password_begin_hashing(struct request *rq)
{
    struct web *w = rq->web;
    if (!gate_enter(&w->hashes_waiting, WEB_HASHES_WAITING)) {
        struct err err;
        (void)err_set(&err, EBUSY, "busy", "many log-ins are being checked; try again in %d s",
                      BUSY_WAIT_S);
        reply_too_many(rq, BUSY_WAIT_S, &err);
        return false;
    }
    while (sem_wait(&w->hashes) < 0)
        CHECK(errno == EINTR);
    return true;
}

void password_end_hashing(struct request *rq)
{
    sem_post(&rq->web->hashes);
    gate_leave(&rq->web->hashes_waiting);
}

int password_begin_try(struct request *rq, const char *account, const char *address)
{
    struct err err;
    int wait_s = 0;
    int rc = account_login_begin(rq->db, account, address, &wait_s, &err);
    if (rc == -EBUSY)
        reply_too_many(rq, wait_s, &err);
    else if (rc < 0)
        reply_err(rq, rc, &err);
    return rc < 0 ? -1 : 0;
}

int password_check(struct request *rq, const char *account, const char *address,
                   struct view password)
{
    char hash[PASSWORD_HASH_MAX];
    enum role role;
    struct err err;
    int found = request_db(rq, &err);
    if (found == 0) {
        if (password_begin_try(rq, account, address) < 0)
            return -1;
        if (account)
            found = account_find(rq->db, account, hash, &role, &err);
    }
    if (found < 0) {
        reply_err(rq, found, &err);
        return -1;
    }
    request_release_db(rq); /* hashing is slow: others may use the connection */
    if (!password_begin_hashing(rq))
        return -1;
    bool matches = account_password_matches(password, found ? hash : NULL);
    password_end_hashing(rq);
    return matches;
}
