"""A chip behind a switch, and a machine at that switch that makes half-open connections."""

import select
import socket
import struct
import threading
import time

from chip import SECONDS, Chip, free_port


class Switch(threading.Thread):
    """Passes frames between the chip, the network of the emulator and the stranger, and none to the wrong one.

    Without it, the network of the emulator would answer what the chip sends to the stranger.
    """

    MAC = b"\x52\x54\x00\xbe\xef\x01"
    IP = socket.inet_aton("10.0.2.66")
    CHIP = socket.inet_aton("10.0.2.15")

    def __init__(self, elf):
        super().__init__(daemon=True)
        self.mac, self.answered = None, set()
        self.to_chip, self.to_user = self.line(), self.line()
        self.chip = Chip(elf, self.nic)
        self.ends = False
        self.start()

    @staticmethod
    def line():
        """A socket, and the options of the other end."""
        ours, theirs = free_port(socket.SOCK_DGRAM), free_port(socket.SOCK_DGRAM)
        line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        line.bind(("127.0.0.1", ours))
        line.connect(("127.0.0.1", theirs))
        local = f"local.type=inet,local.host=127.0.0.1,local.port={theirs}"
        return line, f"dgram,{local},remote.type=inet,remote.host=127.0.0.1,remote.port={ours}"

    def nic(self, chip):
        hub = ["-netdev", f"{chip.user.replace('user,', 'user,id=user,', 1)}", "-netdev", "hubport,hubid=0,id=a,netdev=user"]
        hub += ["-netdev", self.to_user[1].replace("dgram,", "dgram,id=line,", 1), "-netdev", "hubport,hubid=0,id=b,netdev=line"]
        chip.helpers.append(chip.run(["-M", "none", *hub]))
        return ["-netdev", self.to_chip[1].replace("dgram,", "dgram,id=line,", 1), "-net", "nic,netdev=line,model=stellaris"]

    def run(self):
        chip, user = self.to_chip[0], self.to_user[0]
        while not self.ends:
            for line in select.select([chip, user], [], [], 0.1)[0]:
                try:
                    frame = line.recv(2048)
                    if line is user:
                        chip.send(frame)
                    elif not self.take(frame):
                        user.send(frame)
                except ConnectionRefusedError:
                    # the receiver has not started yet
                    pass

    def take(self, frame):
        """Whether a frame of the chip is for the stranger only."""
        if frame[12:14] == b"\x08\x06" and frame[38:42] == self.IP:
            self.mac = frame[22:28]
            if frame[20:22] == b"\x00\x01":
                self.arp(2, self.mac)
            return True
        if frame[12:14] == b"\x08\x00" and frame[30:34] == self.IP:
            if frame[23] == 6 and frame[47] & 0x17 == 0x12:
                self.answered.add(struct.unpack(">H", frame[36:38])[0])
            return True
        return False

    def send(self, destination, kind, payload):
        self.to_chip[0].send(destination + self.MAC + struct.pack(">H", kind) + payload)

    def arp(self, operation, mac):
        body = struct.pack(">HHBBH", 1, 0x0800, 6, 4, operation) + self.MAC + self.IP + mac + self.CHIP
        self.send(b"\xff" * 6 if operation == 1 else mac, 0x0806, body)

    def find(self):
        until = time.monotonic() + SECONDS
        while self.mac is None and time.monotonic() < until:
            self.arp(1, b"\0" * 6)
            time.sleep(0.1)
        return self.mac is not None

    def syn(self, port):
        """Begins a handshake and never ends it."""
        head = struct.pack(">HHIIBBHHH", port, 80, port * 977, 0, 6 << 4, 2, 8192, 0, 0) + b"\x02\x04\x05\xb4"
        pseudo = self.IP + self.CHIP + struct.pack(">BBH", 0, 6, len(head))
        head = head[:16] + struct.pack(">H", checksum(pseudo + head)) + head[18:]
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(head), port, 0, 64, 6, 0) + self.IP + self.CHIP
        ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
        self.send(self.mac, 0x0800, ip + head)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ends = True
        self.join()
        self.chip.end()


def checksum(data):
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
