/* The handlers of the routes (route.c), by the file they stand in. */
#ifndef AZEKURA_WEB_HANDLERS_H
#define AZEKURA_WEB_HANDLERS_H

struct request;

void logs_search(struct request *rq);
void logs_detail(struct request *rq);
void logs_raw(struct request *rq);
void logs_histogram(struct request *rq);
void logs_facets(struct request *rq);

void export_logs(struct request *rq);
void tail_logs(struct request *rq);

void rates_get(struct request *rq);
void rates_by(struct request *rq);
void rates_cost(struct request *rq);
void receiving_ledger(struct request *rq);

void sources_list(struct request *rq);
void sources_get(struct request *rq);
void sources_acknowledge(struct request *rq);
void source_settings_get(struct request *rq);
void source_settings_put(struct request *rq);
void source_settings_remove(struct request *rq);
void zones_get(struct request *rq);
void source_preview(struct request *rq);
void source_reparse_ask(struct request *rq);
void source_reparse_list(struct request *rq);
void source_reparse_cancel(struct request *rq);

void receiver_get(struct request *rq);
void gaps_get(struct request *rq);
void listeners_get(struct request *rq);
void listeners_set_allow(struct request *rq);
void listeners_set_limits(struct request *rq);

void load_get(struct request *rq);
void events_get(struct request *rq);

void settings_get(struct request *rq);
void settings_patch(struct request *rq);

void retention_get(struct request *rq);
void retention_put(struct request *rq);
void retention_days(struct request *rq);
void retention_preview(struct request *rq);
void retention_size(struct request *rq);
void retention_group_add(struct request *rq);
void retention_group_set(struct request *rq);
void retention_group_remove(struct request *rq);
void retention_hold_add(struct request *rq);
void retention_hold_remove(struct request *rq);
void retention_clock(struct request *rq);
void retention_receipts(struct request *rq);
void retention_deletion_preview(struct request *rq);
void retention_delete(struct request *rq);
void retention_deletion(struct request *rq);

void bench_box(struct request *rq);
void bench_messages(struct request *rq);
void bench_messages_delete(struct request *rq);
void bench_senders(struct request *rq);
void bench_sender_add(struct request *rq);
void bench_sender_remove(struct request *rq);

void certificates_get(struct request *rq);
void certificates_csr_file(struct request *rq);
void certificates_csr(struct request *rq);
void certificates_self_signed(struct request *rq);
void certificates_install(struct request *rq);
void certificates_ca_add(struct request *rq);
void certificates_ca_remove(struct request *rq);
void certificates_set_allowed(struct request *rq);
void certificates_request(struct request *rq);

void access_session(struct request *rq);
void access_log_in(struct request *rq);
void access_log_out(struct request *rq);
void access_setup_state(struct request *rq);
void access_set_up(struct request *rq);
void access_users(struct request *rq);

void status_openapi(struct request *rq);
void status_health(struct request *rq);
void status_metrics(struct request *rq);

void bench_profiles(struct request *rq);
void bench_start(struct request *rq);
void bench_runs(struct request *rq);
void bench_run(struct request *rq);
void bench_stop(struct request *rq);
void bench_remove(struct request *rq);
void bench_samples(struct request *rq);
void bench_file(struct request *rq);
void bench_compare(struct request *rq);

/* A page or file of the console. */
void page_get(struct request *rq);

#endif
