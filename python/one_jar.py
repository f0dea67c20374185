"""Build hook of the wheel: the package carries exactly one jar a Spark minor."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class OneJar(BuildHookInterface[Any]):
    """Fails the build unless src/hudilite/jars holds exactly one jar."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Count the jars before anything is packed."""
        jars = sorted(Path(self.root, "src", "hudilite", "jars").glob("*.jar"))
        if len(jars) != 1:
            names = ", ".join(jar.name for jar in jars) or "none"
            raise RuntimeError(f"the wheel carries one jar, found {names}: run `make build`")
