"""What processes took of the machine, as Linux counts it."""

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def processes_under(pid: int) -> list[int]:
    """Return a process and those that it started, theirs included."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (words := _stat(int(entry.name))):
            parents.setdefault(int(words[1]), []).append(int(entry.name))
    found = [pid]
    for each in found:
        found += parents.get(each, [])
    return found


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process and all that it started, also those that ended."""
    ticks = 0
    for each in processes_under(pid):
        if words := _stat(each):
            # Its own, and that of children it has waited for.
            ticks += sum(int(word) for word in words[11:15])
    return ticks / TICKS


def memory_mb(pid: int) -> float:
    """Return the memory of a process, pages that are shared counted in proportion (PSS)."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def _stat(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat behind the name, none if the process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
