"""Tapes: the exchanges of one attempt in a file, a line for each; a recording writes, a replay reads them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakKeyDictionary

from harnesses.endpoint.errors import CassetteMissError, EndpointError
from harnesses.endpoint.exchanges import Asked, Exchange, Fault, Reply, mask_of
from harnesses.endpoint.scope import Scope, current_scope

SUFFIX = ".jsonl"
_OUTSIDE = "_session"
_AROUND_CHARACTERS = 100


def tape_of(folder: Path, scope: Scope | None) -> Path:
    """The tape of an attempt in a cassette; that of all that is asked outside of attempts for ``None``."""
    return folder / f"{_OUTSIDE if scope is None else scope.name}{SUFFIX}"


def exchanges_on(tape: Path) -> Iterator[Exchange]:
    """What a tape holds, in the order it was written; nothing if there is no such tape.

    A line that is no exchange is left out: a recording that was killed may have left half of one.
    """
    try:
        lines = tape.read_bytes().split(b"\n")
    except FileNotFoundError:
        return
    for line in lines:
        try:
            exchange = Exchange.from_line(line.decode())
        except ValueError:
            continue
        yield exchange


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where an exchange belongs: the `n`-th equal request (from 1) of the attempt with that tape."""

    tape: Path
    n: int


class RecordedTapes:
    """The tapes that one process writes.

    Args:
        folder: The cassette; made when the first exchange is kept.
        secrets: Keys, which are masked wherever they would be kept.
    """

    def __init__(self, folder: Path, *, secrets: Iterable[str] = ()) -> None:
        self.mask = mask_of(secrets)
        self._folder = folder
        self._outside = Counter[str]()
        self._counts: WeakKeyDictionary[Scope, Counter[str]] = WeakKeyDictionary()

    def place(self, asked: Asked) -> Place:
        """The place of a request about to be sent. The first one of an attempt begins its tape anew.

        Raises:
            EndpointError: An older tape cannot be removed.
        """
        scope = current_scope.get()
        tape, counts = tape_of(self._folder, scope), self._outside
        if scope is not None:
            if scope not in self._counts:
                self._counts[scope] = Counter()
                self._begin_anew(tape)
            counts = self._counts[scope]
        counts[asked.digest] += 1
        return Place(tape=tape, n=counts[asked.digest])

    def keep(self, place: Place, asked: Asked, came: Reply | Fault) -> None:
        """Write down at once what came of a request.

        Raises:
            EndpointError: It cannot be written.
        """
        line = Exchange(n=place.n, asked=asked, came=came).to_line()
        try:
            place.tape.parent.mkdir(parents=True, exist_ok=True)
            with place.tape.open("a", encoding="utf-8") as file:
                file.write(line)
        except OSError as error:
            raise self._unwritable(error) from None

    def _begin_anew(self, tape: Path) -> None:
        try:
            tape.unlink(missing_ok=True)
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> EndpointError:
        return EndpointError(
            f"the cassette {self._folder.name!r} cannot be written ({error.strerror}); make room for it, or "
            "record into another folder",
            detail=str(error),
        )


@dataclass(kw_only=True)
class _ReplayedTape:
    """One tape in the course of a replay; what came is by the digest of a request and its number."""

    path: Path
    came: dict[tuple[str, int], Reply | Fault]
    n_asked: Counter[str] = field(default_factory=Counter[str])

    @classmethod
    def read(cls, path: Path) -> "_ReplayedTape":
        tape = cls(path=path, came={})
        for exchange in exchanges_on(path):
            tape.came.setdefault((exchange.asked.digest, exchange.n), exchange.came)
        return tape


class ReplayedTapes:
    """The tapes that answer one process; each is read when its attempt asks first.

    Args:
        folder: The cassette.
        secrets: Keys, which are masked in requests as they were when these were recorded.
    """

    def __init__(self, folder: Path, *, secrets: Iterable[str] = ()) -> None:
        self.mask = mask_of(secrets)
        self._folder = folder
        self._outside: _ReplayedTape | None = None
        self._read: WeakKeyDictionary[Scope, _ReplayedTape] = WeakKeyDictionary()

    def next(self, asked: Asked) -> Reply | Fault:
        """What came of this request when it was recorded: of the n-th of equal ones, what came of the n-th.

        Raises:
            CassetteMissError: It was not recorded, or not so often.
        """
        tape = self._current()
        tape.n_asked[asked.digest] += 1
        n = tape.n_asked[asked.digest]
        came = tape.came.get((asked.digest, n))
        if came is None:
            such = "" if n == 1 else f", the {_ordinal(n)} such request"
            line = f"holds no reply to {asked.in_words}{such}"
            raise self._miss(line, detail=_nearest(asked, exchanges_on(tape.path)))
        return came

    def was_cut(self, asked: Asked) -> CassetteMissError:
        """For a request that was cancelled when it was recorded, and is not now."""
        return self._miss(f"breaks off at {asked.in_words}, which a stop or a time limit ended")

    def _miss(self, what: str, *, detail: str = "") -> CassetteMissError:
        tape = tape_of(Path(self._folder.name), current_scope.get()).as_posix()
        return CassetteMissError(
            f"cassette {tape!r} {what}; record it again with --cassette-mode record", detail=detail
        )

    def _current(self) -> _ReplayedTape:
        scope = current_scope.get()
        if scope is None:
            self._outside = self._outside or _ReplayedTape.read(tape_of(self._folder, None))
            return self._outside
        if scope not in self._read:
            self._read[scope] = _ReplayedTape.read(tape_of(self._folder, scope))
        return self._read[scope]


def _ordinal(n: int) -> str:
    is_teen = n % 100 in {11, 12, 13}
    return f"{n}{'th' if is_teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"


def _nearest(asked: Asked, exchanges: Iterable[Exchange]) -> str:
    """Where a request parts from the recorded one that is most like it: for private records."""
    texts = [exchange.asked.text for exchange in exchanges]
    if not texts:
        return "this tape holds nothing"
    nearest = max(texts, key=lambda text: _n_shared(asked.text, text))
    if nearest == asked.text:
        return "it was recorded fewer times than it is asked now"
    n_shared = _n_shared(asked.text, nearest)
    around = slice(max(0, n_shared - _AROUND_CHARACTERS), n_shared + _AROUND_CHARACTERS)
    return f"asked now: …{asked.text[around]}…\nrecorded: …{nearest[around]}…"


def _n_shared(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
