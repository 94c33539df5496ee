#!/usr/bin/env python3
"""Joint targets of a trot for examples/quadruped: gait.csv, beside this file.

    python3 gait.py > gait.csv

Diagonal pairs of feet swing in turn, one stride a second. In the body's frame a foot in stance goes straight back by
STRIDE, in swing it comes forward and is lifted by LIFT (half a sine squared, so that it leaves and lands without a
jump in speed). The leg in its plane is two links of 0.1 m: the law of cosines gives knee and pitch; front knees bend
back, rear knees forward. The stride grows over the first two seconds, from standing.
"""
import math

LINK = 0.10      # thigh and shank [m]
HEIGHT = 0.165   # of the pitch joint above the foot [m]
STRIDE = 0.060   # [m]
LIFT = 0.035     # [m]
PERIOD = 1.0     # [s]
START = 0.5      # standing before the first step [s]
DURATION = 10.0  # [s]
SAMPLE = 0.025   # [s]
LEGS = {"front_left": (0.0, +1), "front_right": (0.5, +1), "rear_left": (0.5, -1), "rear_right": (0.0, -1)}


def foot(phase, stride, lift):
    """Position of the foot below its pitch joint (x forward, z up) [m]; the first half of a stride is swing."""
    if phase < 0.5:
        s = phase / 0.5
        return stride * (0.5 * (1.0 - math.cos(math.pi * s)) - 0.5), -HEIGHT + lift * math.sin(math.pi * s) ** 2
    s = (phase - 0.5) / 0.5
    return stride * (0.5 - s), -HEIGHT


def leg(x, z, bend):
    """Pitch and knee [rad] that put the foot at (x, z); joints turn about +y, at zero the leg points down."""
    reach = math.hypot(x, z)
    inner = math.acos(min(1.0, reach / (2.0 * LINK)))  # between thigh and the line to the foot
    line = math.atan2(-x, -z)                          # of that line about +y
    return line - bend * inner, bend * 2.0 * inner


def main():
    names = [f"{name}_{joint}" for name in LEGS for joint in ("pitch", "knee")]
    print("time, " + ", ".join(names))
    for k in range(round(DURATION / SAMPLE) + 1):
        time = k * SAMPLE
        walked = max(0.0, time - START)
        grown = min(1.0, walked / 2.0)
        row = [f"{time:.3f}"]
        for offset, bend in LEGS.values():
            phase = (walked / PERIOD + offset) % 1.0
            x, z = foot(phase, STRIDE * grown, LIFT * min(1.0, walked / 0.5))
            row += [f"{angle:.5f}" for angle in leg(x, z, bend)]
        print(", ".join(row))


if __name__ == "__main__":
    main()
