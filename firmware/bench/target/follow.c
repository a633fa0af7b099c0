/* Reading a growing file. */
#include "bench/target/follow.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

void follow_init(struct follow *f, const char *path)
{
    *f = (struct follow){.path = path};
}

void follow_done(struct follow *f)
{
    free(f->piece);
    f->piece = NULL;
}

/* One piece; 1 there may be more, 0 not, negative. */
static int read_piece(struct follow *f, int fd, follow_text_fn text, void *context)
{
    ssize_t n = pread(fd, f->piece, FOLLOW_PIECE_BYTES, f->at);
    if (n <= 0)
        return n < 0 ? -errno : 0;
    const char *last = memrchr(f->piece, '\n', (size_t)n);
    if (!last && n < (ssize_t)FOLLOW_PIECE_BYTES)
        return 0; /* a line that is not whole yet */
    size_t used = last ? (size_t)(last + 1 - f->piece) : (size_t)n;
    f->at += (int64_t)used;
    int rc = text(context, view_of(f->piece, used));
    return rc != 0 ? rc : n == (ssize_t)FOLLOW_PIECE_BYTES;
}

int follow_read(struct follow *f, follow_text_fn text, void *context,
                const volatile sig_atomic_t *stop)
{
    struct stat st;
    int fd = open(f->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : -errno;
    if (fstat(fd, &st) == 0 && st.st_size < f->at)
        f->at = 0;
    if (!f->piece)
        f->piece = xmalloc(FOLLOW_PIECE_BYTES);
    int rc = 1;
    while (rc > 0 && !(stop && *stop))
        rc = read_piece(f, fd, text, context);
    close(fd);
    return rc > 0 ? -EINTR : rc;
}
