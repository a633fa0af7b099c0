/* What the parts of the helper do: a command each (command_fn, see table.c for the arguments), and
 * X_apply(), which writes the files that the settings of a subject ask for and starts nothing; it
 * is called at boot and by the commands themselves. */
#ifndef AZEKURA_HELPER_SUBJECTS_H
#define AZEKURA_HELPER_SUBJECTS_H

#include "helper/helper.h"

#define COMMAND(name) \
    int name(struct helper *h, const struct request *r, struct reply *reply, struct err *err)

/* network_change.c */
COMMAND(network_get);
COMMAND(network_set);
COMMAND(network_confirm);
COMMAND(network_revert);
int network_apply(struct helper *h, struct err *err);
/* A trial is over, or may be: give up what is not confirmed, or learn until when it may be. */
void network_look(struct helper *h);

/* host.c */
COMMAND(hostname_get);
COMMAND(hostname_set);
int hostname_apply(struct helper *h, struct err *err);
/* A name as RFC 1123 has it: labels of letters, digits and hyphens, at most `max` bytes. */
bool host_is_name(const char *name, size_t max);

/* clock.c */
COMMAND(timezone_set);
COMMAND(ntp_set);
COMMAND(clock_get);
int timezone_apply(struct helper *h, struct err *err);
int ntp_apply(struct helper *h, struct err *err);

/* ssh.c */
COMMAND(ssh_get);
COMMAND(ssh_set);
int ssh_apply(struct helper *h, struct err *err);
bool ssh_is_on(struct helper *h);
/* 0, or -EINVAL and the reason of what is wrong with a line of authorized_keys. */
int ssh_key_check(struct view line, const char **ret_why);

/* firewall.c */
COMMAND(firewall_apply_command);
int firewall_apply(struct helper *h, struct err *err);
int firewall_load(struct helper *h, struct err *err);

/* tls.c */
COMMAND(tls_get);
COMMAND(tls_install);
COMMAND(tls_request);
int tls_apply(struct helper *h, struct err *err);

/* power.c */
COMMAND(restart);
COMMAND(power_off);
COMMAND(services_restart);

/* support.c, reset.c, update.c, console.c */
COMMAND(support_bundle);
COMMAND(factory_reset);
int reset_apply(struct helper *h, struct err *err);
COMMAND(update_status);
COMMAND(update_info);
COMMAND(update_install);
COMMAND(update_mark);
COMMAND(console_code);

#endif
