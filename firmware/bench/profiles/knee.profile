# The knee: the highest rate without any loss, and with at most 0.01 %, by bisection: short trials search, a
# long one confirms.
title.en = Knee: the highest rate without loss
title.ja = 限界：損失のない最大レート
what.en = Searches the highest rate that is stored without any loss, and the highest with at most 0.01 % of it, by UDP and by TCP: short trials find it, a long one confirms it.
what.ja = 損失なしで保存できる最大レートと、損失 0.01 % 以下の最大レートを、UDP と TCP で探します。短い試行で探し、長い試行で確認します。
targets = box azekura
options = time short_time size start_rate min_rate max_rate precision_percent sources layout
goal_loss_percent = 0

find = knee
size = 100
time = 60s
short_time = 10s
start_rate = 10000
min_rate = 100
max_rate = 2000000
precision_percent = 5
canaries = 10

[udp]
transport = udp
connections = 1

[tcp]
transport = tcp
connections = 4
