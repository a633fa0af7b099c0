# The steady rates: what is not to be lost whatever the hour, and what it may cost.
title.en = Steady: two rates at which nothing may be lost
title.ja = 定常：一件も失ってはならない二つの速度
what.en = Sends 20,000 messages a second by UDP for ten minutes, then 100,000 for one. Nothing may be lost; at 20,000 the syslog process may use 8 % of a core and the database 4 %.
what.ja = UDP で毎秒 20,000 件を 10 分間、続いて 100,000 件を 1 分間送ります。1 件も失わず、20,000 件では syslog プロセスが 1 コアの 8 % 以内、データベースが 4 % 以内であることを確かめます。
targets = box azekura
options = time size sources layout
goal_loss_percent = 0

transport = udp
size = 100
canaries = 10

[20,000]
rate = 20000
time = 10m
goal_syslog_percent = 8
goal_database_percent = 4

[100,000]
rate = 100000
time = 60s
