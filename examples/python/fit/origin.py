"""Says where a table was made: date, processor and build."""
import datetime
import os
import platform

import amontons as am


def origin():
    """Returns one line, such as "2026-11-30, AMD EPYC, 2 cores, Amontons 0.1.0 (...)"."""
    processor = platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file
                     if line.startswith("model name")]
        processor = names[0] if names else processor
    except OSError:
        pass  # no Linux: the architecture stands for the processor
    return (f"{datetime.date.today()}, {processor}, {len(os.sched_getaffinity(0))} cores, "
            f"Amontons {am.__version__} ({am.build})")
