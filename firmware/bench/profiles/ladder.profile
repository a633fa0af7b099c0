# The ladder: the four steps of a load test by UDP.  --time 3600 is the real thing.
title.en = Ladder: rising rates
title.ja = ラダー：段階的に上がる速度
what.en = Sends 100-byte messages by UDP at 5,000, 10,000, 15,000 and 20,000 a second and tells for each step how many were stored, what the processors did, and where a lost message was lost.
what.ja = 100 バイトのメッセージを UDP で毎秒 5,000、10,000、15,000、20,000 件送信し、段階ごとに保存件数、CPU 使用率、失われたメッセージの場所を調べます。
targets = box azekura
options = time rates size transport connections sources layout runs
goal_loss_percent = 0

transport = udp
rates = 5000 10000 15000 20000
size = 100
connections = 1
time = 60s
canaries = 10

[step]
