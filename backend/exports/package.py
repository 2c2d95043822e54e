"""A zip that comes out the same, byte for byte, from the same content."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO, Self
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

SUMS = "SHA256SUMS"

# The earliest time that a zip can tell: a real one would make every package different.
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_READABLE_FILE = 0o100644 << 16


@dataclass(frozen=True)
class Member:
    """One file of a package."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What a package holds, in its order."""

    members: tuple[Member, ...]


class Package:
    """A zip being written, file after file; its content is never held in memory."""

    def __init__(self, to: BinaryIO) -> None:
        self._zip = ZipFile(to, "w", ZIP_DEFLATED)
        self._members: list[Member] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def add(self, name: str, content: Iterable[bytes]) -> None:
        """Write one file from its pieces."""
        info = ZipInfo(name, _NO_TIME)
        info.compress_type = ZIP_DEFLATED
        info.create_system = _UNIX
        info.external_attr = _READABLE_FILE
        digest, size = hashlib.sha256(), 0
        with self._zip.open(info, "w") as member:
            for piece in content:
                digest.update(piece)
                size += member.write(piece)
        self._members.append(Member(name, size, digest.hexdigest()))

    def add_text(self, name: str, content: Iterable[str]) -> None:
        """Write one file from pieces of text, as UTF-8 with every character as it is."""
        self.add(name, (piece.encode() for piece in content))

    def finish(self) -> Manifest:
        """Write the checksums of all files so far, and return what there is."""
        lines = [f"{member.sha256}  {member.name}\n" for member in self._members]
        self.add_text(SUMS, lines)
        return Manifest(tuple(self._members))
