"""The machine that a run was made on, without its name."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path


def machine() -> dict[str, str]:
    """Processor, memory, system, Java and Python."""
    memory = re.search(r"MemTotal:\s+(\d+) kB", Path("/proc/meminfo").read_text(encoding="ascii"))
    model = re.search(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    java = Path(os.environ.get("JAVA_HOME", "/usr")) / "bin" / "java"
    done = subprocess.run([str(java), "-version"], check=True, capture_output=True, text=True)
    return {
        "processor": f"{model[1] if model else platform.machine()}, {os.cpu_count()} cores",
        "memory": f"{int(memory[1]) / 1024**2:.0f} GiB" if memory else "not told",
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "java": done.stderr.splitlines()[0],
        "python": platform.python_version(),
    }
