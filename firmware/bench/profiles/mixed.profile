# Reception and searches at once: 70 % of what the target takes without loss, found out first.
title.en = Mixed: reception and searches at once
title.ja = 混合：受信と検索を同時に
what.en = Finds out roughly how many messages a second are stored without loss, then receives at 70 % of that rate while users search all the time, and tells how long their searches take.
what.ja = 損失なしで保存できるレートをおおまかに調べ、その 70 % で受信しながら絶えず検索を行い、検索にかかる時間を調べます。
targets = box azekura
options = time size searches start_rate max_rate layout
goal_loss_percent = 0

transport = udp
layout = mix
size = 0
canaries = 10
start_rate = 10000
max_rate = 200000

[limit]
find = knee
precision_percent = 25
short_time = 6s
time = 10s

[reception and searches]
rate_percent = 70
searches = 2
time = 60s
