# The soak: one rate for hours, so that compaction, retention and memory have their say.
title.en = Soak: one rate for hours
title.ja = 長時間試験：一定の速度で数時間
what.en = Sends 10,000 messages a second by UDP for four hours and watches memory, delay and losses while merging, retention and everything else that happens by itself goes on.
what.ja = UDP で毎秒 10,000 件を 4 時間送り続け、結合や保持期間の処理が動く間のメモリー、遅延、損失を調べます。
targets = box azekura
options = time rates size transport connections sources layout
goal_loss_percent = 0

transport = udp
rate = 10000
size = 100
time = 4h
canaries = 10

[soak]
