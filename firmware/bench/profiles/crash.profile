# The crash: the syslog process is killed with SIGKILL under load.  What was told to be stored must be there
# afterwards, once; what arrived while nobody listened is lost and named.
title.en = Crash: killed under load
title.ja = 強制終了：負荷中の停止
what.en = Kills the receiving process three times while 5,000 messages a second arrive, and checks that everything that was stored is still there, once. Not for a box in service.
what.ja = 毎秒 5,000 件の受信中に受信プロセスを 3 回強制終了し、保存済みのメッセージがすべて 1 回ずつ残っていることを確かめます。運用中の装置では実行できません。
targets = azekura
options = time rates size kills
goal_loss_percent = -1

size = 100
rate = 5000
time = 60s
kills = 3
canaries = 10

[udp]
transport = udp
