"""The checks that several images share."""

import time

from chip import check, within


def median(call, count=500):
    """Microseconds: the median of so many calls of `add` by `call`."""
    times = []
    for at in range(count):
        begin = time.perf_counter()
        call("add", at, 1)
        times.append(time.perf_counter() - begin)
    return round(sorted(times)[count // 2] * 1e6)


def round_trip(client):
    """The median of the calls of `client`, and then the status of the chip."""
    micros, status = median(client.call), client.call("status")
    client.close()
    return micros, status


def beside_slow_peers(image, chip, client, new_client, message, seconds=5):
    """Peers that send one byte of `message` a second, three more each second, beside `client` and new ones. Returns the peers."""
    peers = []
    for second in range(seconds):
        peers += [chip.connect() for _ in range(3)]
        for peer in peers:
            try:
                peer.send(message[second : second + 1])
            except OSError:
                pass
        other = new_client(chip)
        begin = time.monotonic()
        served = client.is_open() and other.is_open()
        other.close()
        check(f"{image}: beside {len(peers)} slow peers", served and within(0, time.monotonic() - begin, 0.5))
        time.sleep(1)
    return peers
