"""Reads pictures as their pixels."""

import struct
import zlib


def decode_png(data):
    """Returns the rows of (red, green, blue) bytes of an 8 bit RGB or RGBA image."""
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", chunk[:10])
            assert depth == 8 and color in (2, 6)
        elif kind == b"IDAT":
            packed += chunk
        at += 12 + size
    step = 3 if color == 2 else 4
    raw, stride = zlib.decompress(packed), width * step
    result, above = [], bytearray(stride)
    for y in range(height):
        kind = raw[y * (stride + 1)]
        row = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            left = row[x - step] if x >= step else 0
            corner = above[x - step] if x >= step else 0
            if kind == 1:
                row[x] = (row[x] + left) & 255
            elif kind == 2:
                row[x] = (row[x] + above[x]) & 255
            elif kind == 3:
                row[x] = (row[x] + (left + above[x]) // 2) & 255
            elif kind == 4:
                guess = left + above[x] - corner
                best = min((left, above[x], corner), key=lambda v: abs(guess - v))
                row[x] = (row[x] + best) & 255
        result += [tuple(row[x:x + 3]) for x in range(0, stride, step)]
        above = row
    return result


def colorful_share(some_pixels):
    """Returns the share of pixels far from grey: those of bodies, not of ground or background."""
    return sum(max(p) - min(p) > 90 for p in some_pixels) / len(some_pixels)


def count_changed(first, second):
    """Returns how many pixels of two pictures differ by more than a browser's dithering.

    A browser rounds the background's gradient to whole levels, not the same way in every picture.
    """
    return sum(max(abs(a - b) for a, b in zip(p, q)) > 2 for p, q in zip(first, second))
