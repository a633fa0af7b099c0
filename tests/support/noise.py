"""Messages that hardly shrink when they are compressed."""

import random
import threading

TABLE = bytes(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789xy"[i % 64] for i in range(256))


def noise(seed, n, size):
    """n times `size` letters and figures."""
    source = random.Random(seed)
    return (source.randbytes(size).translate(TABLE) for _ in range(n))


class Sender(threading.Thread):
    """Messages of 4 KB, so many a second, by TCP until `is_over` is set; `sent` counts them."""

    def __init__(self, box, rate):
        super().__init__(daemon=True)
        self.box = box
        self.rate = rate
        self.sent = 0
        self.is_over = False

    def run(self):
        batch = max(self.rate // 5, 100)
        for seed in range(1 << 30):
            if self.is_over:
                return
            texts = enumerate(noise(seed, batch, 4000))
            self.sent += self.box.send_tcp((b"<%d>host app: %d %s" % (8 + i % 8, i, text) for i, text in texts),
                                           rate=self.rate)
