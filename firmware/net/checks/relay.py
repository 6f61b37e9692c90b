"""Joins its standard streams with a port of this machine: the emulator runs it for each connection of a chip to the broker."""

import os
import socket
import sys
import threading

stream = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
# the emulator also uses TCP for these streams: acknowledge at once, because it waits for that
chip = socket.socket(fileno=os.dup(0))
chip.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def to_chip():
    while data := stream.recv(4096):
        os.write(1, data)
    os._exit(0)


threading.Thread(target=to_chip, daemon=True).start()
while True:
    chip.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
    if not (data := os.read(0, 4096)):
        break
    stream.sendall(data)
