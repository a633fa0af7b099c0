/* The two lanes. */
#include "keeper/keeper.h"

#include <pthread.h>

#include "config/log.h"
#include "keeper/lane.h"

static void *run_lane(void *context)
{
    lane_run(context);
    return NULL;
}

void keeper_run(struct config *config, int stop_fd)
{
    static const char *const patient_channels[] = {"azekura_setting", "azekura_reparse", NULL};
    static const char *const prompt_channels[] = {"azekura_setting", "azekura_written",
                                                  "azekura_keeper", NULL};
    struct lane patient = {
        .name = "azekura-keeper",
        .chores = keeper_chores,
        .chores_n = keeper_chores_n,
        .channels = patient_channels,
        .told = keeper_patient_told,
        .file = config,
        .stop_fd = stop_fd,
    };
    struct lane prompt = {
        .name = "azekura-keeper rule",
        .chores = keeper_prompt_chores,
        .chores_n = keeper_prompt_chores_n,
        .channels = prompt_channels,
        .told = keeper_prompt_told,
        .file = config,
        .stop_fd = stop_fd,
    };
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, run_lane, &prompt) == 0);
    lane_run(&patient);
    CHECK(pthread_join(thread, NULL) == 0);
    log_line(LOG_INFO, "stopped");
}
