# sngbench's matrix: its eleven lines, where each is for the configuration it was made for.  Targets with one
# configuration (azekura, rsyslog) take the lines of both.
#
#   lines 1–4, 7–10   one loggen of 1, 10, 50, 128 connections to one port
#   line 5, 6         four loggens of 32, 128 connections to a port each      the fast configuration's
#   line 11           four loggens of 32 connections to one port              the distribution's
title.en = sngbench: as fast as it takes, by TCP
title.ja = sngbench：TCP の最大速度
what.en = The matrix of sngbench: 1 to 512 TCP connections send 256-byte messages as fast as the collector takes them, three times each. Unlike sngbench it counts what was stored.
what.ja = sngbench の試験一式です。1～512 の TCP 接続から 256 バイトのメッセージを最大速度で 3 回ずつ送ります。sngbench と異なり、保存された件数を数えます。
targets = box azekura
options = time runs size input
runs = 3
warm_up = 1
goal_loss_percent = 0

transport = tcp
layout = loggen
size = 256
rate = 0
time = 10s
canaries = 0
loggens = 1

[1 connection]
connections = 1

[10 connections]
connections = 10

[50 connections]
connections = 50

[128 connections]
connections = 128

[4 x 32 connections, a port each]
loggens = 4
connections = 128
ports = 4
except = syslog-ng:distro

[4 x 128 connections, a port each]
loggens = 4
connections = 512
ports = 4
except = syslog-ng:distro

[4 x 32 connections, one port]
loggens = 4
connections = 128
except = syslog-ng:maxperf
