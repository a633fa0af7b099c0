#include "bench/facts.h"

#include <math.h>

const cJSON *facts_get(const cJSON *o, const char *path)
{
    char name[64];
    while (o && *path) {
        const char *dot = strchr(path, '.');
        size_t n = dot ? (size_t)(dot - path) : strlen(path);
        CHECK(n < sizeof(name));
        memcpy(name, path, n);
        name[n] = '\0';
        o = cJSON_IsObject(o) ? cJSON_GetObjectItemCaseSensitive(o, name) : NULL;
        path += n + (dot != NULL);
    }
    return o;
}

double facts_number(const cJSON *o, const char *path)
{
    const cJSON *v = facts_get(o, path);
    return cJSON_IsNumber(v) && isfinite(v->valuedouble) ? v->valuedouble : NAN;
}

double facts_count(const cJSON *o, const char *path)
{
    double v = facts_number(o, path);
    return v > 0 ? v : 0;
}

int facts_index(const cJSON *o, const char *path)
{
    double v = facts_number(o, path);
    return v >= 0 && v <= 1e9 ? (int)v : -1;
}

bool facts_true(const cJSON *o, const char *path)
{
    return cJSON_IsTrue(facts_get(o, path));
}

bool facts_false(const cJSON *o, const char *path)
{
    return cJSON_IsFalse(facts_get(o, path));
}

const char *facts_text(const cJSON *o, const char *path)
{
    const cJSON *v = facts_get(o, path);
    return cJSON_IsString(v) && v->valuestring ? v->valuestring : "";
}

const char *facts_sentence(const cJSON *o, const char *path, enum facts_language language)
{
    const cJSON *v = facts_get(o, path);
    if (cJSON_IsString(v))
        return v->valuestring;
    const char *en = facts_text(v, "en"), *ja = facts_text(v, "ja");
    const char *wanted = language == FACTS_JA ? ja : en;
    return *wanted ? wanted : *en ? en : ja;
}

bool facts_is(const cJSON *o, const char *path, const char *text)
{
    return strcmp(facts_text(o, path), text) == 0;
}

void facts_set(cJSON *o, const char *name, cJSON *value)
{
    CHECK(value);
    if (cJSON_GetObjectItemCaseSensitive(o, name))
        CHECK(cJSON_ReplaceItemInObjectCaseSensitive(o, name, value));
    else
        CHECK(cJSON_AddItemToObject(o, name, value));
}

cJSON *facts_number_new(double value)
{
    cJSON *v = isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
    CHECK(v);
    return v;
}

cJSON *facts_numbers_new(const double *x, size_t n)
{
    cJSON *a = cJSON_CreateArray();
    CHECK(a);
    for (size_t i = 0; i < n; i++)
        CHECK(cJSON_AddItemToArray(a, facts_number_new(x[i])));
    return a;
}

void facts_set_number(cJSON *o, const char *name, double value)
{
    facts_set(o, name, facts_number_new(value));
}

void facts_set_text(cJSON *o, const char *name, const char *value)
{
    facts_set(o, name, cJSON_CreateString(value));
}

cJSON *facts_sentence_new(const char *en, const char *ja)
{
    cJSON *v = cJSON_CreateObject();
    CHECK(v && cJSON_AddStringToObject(v, "en", en) && cJSON_AddStringToObject(v, "ja", ja));
    return v;
}

void facts_set_sentence(cJSON *o, const char *name, const char *en, const char *ja)
{
    facts_set(o, name, facts_sentence_new(en, ja));
}

const char *facts_first_target(const cJSON *report)
{
    const cJSON *targets = facts_get(report, "targets");
    const char *name = facts_text(cJSON_GetArrayItem(targets, 0), "name");
    if (*name)
        return name;
    return facts_text(cJSON_GetArrayItem(facts_get(report, "trials"), 0), "target");
}

const cJSON *facts_target(const cJSON *report, const char *name)
{
    const cJSON *t;
    cJSON_ArrayForEach(t, facts_get(report, "targets"))
    {
        if (facts_is(t, "name", name))
            return t;
    }
    return NULL;
}

const cJSON *facts_trial(const cJSON *report, int number)
{
    const cJSON *t;
    cJSON_ArrayForEach(t, facts_get(report, "trials"))
    {
        /* one without a number is nobody's */
        if (number >= 0 && facts_index(t, "number") == number)
            return t;
    }
    return NULL;
}

static int by_number(const void *a, const void *b)
{
    int x = facts_index(*(cJSON *const *)a, "number"),
        y = facts_index(*(cJSON *const *)b, "number");
    return (x > y) - (x < y);
}

void facts_trials_init(struct facts_trials *t, const cJSON *report)
{
    const cJSON *trials = facts_get(report, "trials");
    cJSON *x;
    *t = (struct facts_trials){xcalloc((size_t)cJSON_GetArraySize(trials) + 1, sizeof(cJSON *)), 0};
    cJSON_ArrayForEach(x, trials)
    {
        if (cJSON_IsObject(x))
            t->at[t->n++] = x;
    }
    qsort(t->at, t->n, sizeof(cJSON *), by_number);
}

void facts_trials_done(struct facts_trials *t)
{
    free(t->at);
    *t = (struct facts_trials){0};
}

cJSON *facts_trials_find(const struct facts_trials *t, int number)
{
    size_t low = 0, high = t->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int x = facts_index(t->at[middle], "number");
        if (x == number)
            return t->at[middle];
        if (x < number)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bool facts_is_result(const cJSON *trial)
{
    return cJSON_IsObject(trial) && facts_index(trial, "run") != 0 &&
           !facts_false(trial, "is_valid");
}

double facts_found(const cJSON *trial)
{
    double found = facts_number(trial, "sequence.found");
    return isnan(found) ? facts_number(trial, "stages.visible") : found;
}

double facts_lost(const cJSON *trial)
{
    double missing = facts_number(trial, "sequence.missing"), sent, found;
    if (!isnan(missing))
        return missing;
    sent = facts_number(trial, "stages.sent");
    found = facts_found(trial);
    return isnan(found) ? found : MAX(0, sent - found);
}

double facts_loss_percent(const cJSON *trial)
{
    double sent = facts_number(trial, "stages.sent"), lost = facts_lost(trial);
    if (sent > 0 && !isnan(lost))
        return lost / sent * 100;
    return facts_number(trial, "loss_percent");
}

double facts_stored_rate(const cJSON *trial)
{
    double stored = facts_number(trial, "rates.stored");
    return isnan(stored) ? facts_number(trial, "rates.visible") : stored;
}

double facts_size(const cJSON *trial)
{
    double size = facts_number(trial, "load.size");
    return size > 0 ? size : NAN;
}

double facts_mean_size(const cJSON *trial)
{
    double size = facts_size(trial), mean = facts_number(trial, "load.mean_size");
    return isnan(size) && mean > 0 ? mean : size;
}
