#include <criterion/criterion.h>

#include <sys/stat.h>
#include <unistd.h>

#include "web/files.h"

static char root[] = "/tmp/azk-files-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof(path), "%s/%s", root, name);
    FILE *f = fopen(path, "w");
    cr_assert(f, "%s", path);
    fputs(text, f);
    fclose(f);
}

static void setup(void)
{
    char path[200];
    cr_assert(mkdtemp(root));
    snprintf(path, sizeof(path), "%s/assets", root);
    cr_assert(mkdir(path, 0755) == 0);
    put("index.html", "<p>page");
    put("icon.svg", "<svg/>");
    put(".hidden", "secret");
    put("assets/index-4f2a.js", "1;");
    snprintf(path, sizeof(path), "%s/passwd", root);
    cr_assert(symlink("/etc/passwd", path) == 0);
}

static void teardown(void)
{
    static const char *const names[] = {"index.html", "icon.svg", ".hidden", "assets/index-4f2a.js",
                                        "passwd"};
    char path[200];
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        snprintf(path, sizeof(path), "%s/%s", root, names[i]);
        unlink(path);
    }
    snprintf(path, sizeof(path), "%s/assets", root);
    rmdir(path);
    rmdir(root);
}

Test(files, paths_are_files_or_pages_or_nothing, .init = setup, .fini = teardown)
{
    static const struct {
        const char *path, *found;
    } cases[] = {
        {"/", "/index.html"},         {"/index.html", "/index.html"},
        {"/logs", "/index.html"},     {"/logs/view", "/index.html"},
        {"/icon.svg", "/icon.svg"},   {"/assets/index-4f2a.js", "/assets/index-4f2a.js"},
        {"/assets/", "/index.html"},  {"/assets/other.js", NULL},
        {"/.hidden", NULL},           {"/favicon.ico", NULL},
        {"/../etc/passwd.txt", NULL}, {"", NULL},
    };
    struct files f;
    struct err err;
    cr_assert(files_load(&f, root, &err) == 0, "%s", err.message);
    cr_expect(f.n == 3, "links and dot-files are left out: %zu", f.n);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct file *found = files_find(&f, cases[i].path);
        cr_expect_str_eq(found ? found->path : "none", cases[i].found ? cases[i].found : "none",
                         "%s", cases[i].path);
    }
    const struct file *js = files_find(&f, "/assets/index-4f2a.js");
    cr_expect(js->is_immutable && js->n == 2 && strcmp(js->bytes, "1;") == 0);
    cr_expect_str_eq(js->type, "text/javascript; charset=utf-8");
    cr_expect(!files_find(&f, "/")->is_immutable);
    cr_expect(strcmp(js->etag, files_find(&f, "/")->etag) != 0);
    files_free(&f);
}

Test(files, a_folder_that_is_not_there_is_told)
{
    struct files f;
    struct err err;
    cr_expect(files_load(&f, "/nonexistent/webui", &err) < 0);
    cr_expect(strstr(err.message, "/nonexistent/webui"), "%s", err.message);
    cr_expect(!files_find(&f, "/"));
    files_free(&f);
}
