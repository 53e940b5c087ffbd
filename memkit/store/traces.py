"""What tells that a text was here: the fragments of one entry that no other living entry holds.

Entries that are erased together count as one: their fragments are what none of the living others holds.

A fragment is a word or a sequence of words. A word is a run of ASCII letters and digits and of any bytes beyond ASCII,
in lower case; JSON escapes are undone first, so that a text is the same words in an envelope, a log line and a record.
Of the entry's texts (question, tags, panel, source path, every text, key and long number of the result) these are
chosen:

- each word of at least four characters with a letter in it, or of six digits, that occurs in no other living entry;
- of up to 64 sequences of six words, spread evenly over the text (fewer where very many entries go together), those
  that occur in no other living entry: they tell a text whose words are all common;
- of long runs without spaces (scripts written so, encoded data) up to 64 stretches, likewise.

Living entries are those in `results/` and those in `trash/` that can be restored. Ids, times, the project's path, the
words of memkit's own files and some two hundred of the most frequent words are no fragments: they stand everywhere.

A text may hold a fragment by chance: a name, a technical word. It *quotes* the entry where chance is out of the
question: a sequence, a word of twelve characters or of letters and digits mixed, or fragments that make up half of what
it says. What is a person's own goes only where it quotes; telemetry and log text go for any fragment; what holds one
and stays is named by the scan afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from memkit.model import jsontext

MAX_SEQUENCES = 64
SEQUENCE_WORDS = 6
RARE_CHARS = 12
RARE_MIXED_CHARS = 8
MAX_RARE = 32
# Of entries erased together: so many sequences are looked for in all, but at least so many of each.
MAX_SEQUENCES_TOGETHER = 4_096
LEAST_SEQUENCES = 4
MAX_RARE_TOGETHER = 128
FEW = 32
LEAST_CHARS = 4
LEAST_DIGITS = 6
LONG_WORD = 64
STRETCH = 32
_TABLE = bytes(
    byte + 32 if 65 <= byte <= 90 else byte if 48 <= byte <= 57 or 97 <= byte <= 122 or byte >= 128 else 32
    for byte in range(256)
)
_UNICODE = re.compile(rb"\\u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?")
_LETTER = re.compile(rb"[a-z\x80-\xff]")
# Words that memkit's own files consist of, apart from the texts in them; names of Parquet's columns among them.
OWN_WORDS = frozenset(
    b"""schemaversion storedat projectkey projectpath panelid question tags result replaces source kind path sha256
    questionpreview finalscore judgeconfidence bytes formatversion created format rows tokens generation covered
    fingerprint live segments damaged entries postings parquet name size first doc end last occurred schema version
    event entry operation record usage store import wipe repair acknowledge recall decided erase prune restore scan
    status done failed actor python notebook query count counts detail reason null true false arrow cpp pandas json
    code file start moved consensus tripwireid entryid evidence acknowledgedat erasedat salt place content
    par1 element list item utf8 zstd snappy
    len term word title conclusion summary synthesis raw decided supersedes superseded amends partly read when
    tripwires number slug document judge confidence final score problem stored panel crc""".split()
)


# Words of at least four letters that tell nothing, wherever they stand.
COMMON_WORDS = frozenset(
    b"""about above across added adds after again against ahead allow allows almost alone along already also always
    among anything around back based because been before begin behind being below best better between both bring
    build built call called cannot case change changed clear close come comes could data date days decide decided
    decision different does doing done down drop during each early easy either else enough even ever every
    everything example fact fail fails fast file files find first following found four from full general give
    given gives goes going good great have having help here high hold holds home hour hours however idea instead
    into item just keep kept kind know known large last late later least leave left less like line lines list
    little long longer look made main make makes making many mark matter maybe mean means might more most move
    much must name named near need needed needs never next nobody none nothing number often once only open option
    order other others over part parts people place plan point possible problem project question quite rather read
    ready real reason result right same says second seen several shall short should show shows side since small
    some something soon sort stand start state stay step still stop such take taken takes tell text than that
    their them then there these they thing things think this those though three through time times today together
    told toward turn under until upon used uses using very want wants week well went were what when where whether
    which while whole whom whose will with within without word words work works would write written year years
    your yours""".split()
)


_TELLS_NOTHING = OWN_WORDS | COMMON_WORDS


def words_in(data: bytes) -> list[bytes]:
    """The words of bytes, in order; what is no word character parts them."""
    return data.translate(_TABLE).split()


def unescaped(data: bytes) -> bytes:
    """Bytes of JSON with the escapes in texts undone, as far as they matter for words."""
    if b"\\" not in data:
        return data
    data = data.replace(b"\\\\", b" ")
    for escape in (b"\\n", b"\\t", b"\\r", b"\\b", b"\\f"):
        if escape in data:
            data = data.replace(escape, b" ")
    return _UNICODE.sub(_character, data) if b"\\u" in data else data


def _character(match: re.Match[bytes]) -> bytes:
    high, low = match[1], match[2]
    number = int(high, 16)
    if 0xD800 <= number < 0xDC00 and low:
        return chr(0x10000 + ((number - 0xD800) << 10) + int(low, 16) - 0xDC00).encode()
    rest = b"" if not low else chr(int(low, 16)).encode("utf-8", "surrogatepass")
    return chr(number).encode("utf-8", "surrogatepass") + rest


def texts_in(value: jsontext.Json) -> Iterator[str]:
    """Every text of a JSON value, keys among them, and whole numbers of many digits."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            todo += reversed([part for pair in item.items() for part in pair])
        elif isinstance(item, (list, tuple)):
            todo += reversed(item)
        elif isinstance(item, int) and not isinstance(item, bool) and abs(item) >= 10**LEAST_DIGITS:
            yield str(item)


@dataclass(frozen=True, slots=True)
class Sequence:
    """Words one behind another, with one space between them.

    Attributes:
        text: Their bytes.
        words: The words; empty for a stretch of a longer run, which is looked for as it is.
    """

    text: bytes
    words: frozenset[bytes] = frozenset()


class _ByKey:
    """Sequences, each found by the longest of its words: most texts hold none of these."""

    def __init__(self, sequences: Iterable[Sequence]) -> None:
        self._keyed: dict[bytes, list[Sequence]] = {}
        self._always: list[Sequence] = []
        for each in sequences:
            if each.words:
                self._keyed.setdefault(_key(each), []).append(each)
            else:
                self._always.append(each)

    def near(self, words: frozenset[bytes] | set[bytes]) -> list[Sequence]:
        """Those whose words are all among these, and those without words."""
        found = [each for key in self._keyed.keys() & words for each in self._keyed[key] if each.words <= words]
        return found + self._always if self._always else found

    def discard(self, sequence: Sequence) -> None:
        """Take one out."""
        for listed in (self._always, *(self._keyed[key] for key in self._keyed.keys() & sequence.words)):
            if sequence in listed:
                listed.remove(sequence)


def _key(sequence: Sequence) -> bytes:
    return max(sequence.words, key=lambda word: (len(word), word))


def _standing_in(near: list[Sequence], words: list[bytes]) -> list[bytes]:
    """Which of these sequences stand in a text of these words."""
    parted: dict[bytes, list[tuple[int, list[bytes]]]] = {}
    for each in near if len(near) > FEW else ():
        if each.words:
            parts = each.text.split(b" ")
            parted.setdefault(_key(each), []).append((parts.index(_key(each)), parts))
    if not parted:
        joined = b" ".join(words)
        return [each.text for each in near if each.text in joined]
    # So many are not looked for one by one in a long text: each is where the longest of its words is.
    found: dict[bytes, None] = {}
    for place in [place for place, word in enumerate(words) if word in parted]:
        for before, parts in parted[words[place]]:
            start = place - before
            if start >= 0 and words[start : start + len(parts)] == parts:
                found[b" ".join(parts)] = None
    return [*found, *_standing_in([each for each in near if not each.words], words)]


@dataclass(frozen=True)
class Traces:
    """The fragments of one entry, or of several that are erased together; see the module.

    Attributes:
        id: The entry, or the first of them.
        words: Words that no other living entry holds.
        sequences: Sequences that no other living entry holds.
        others: Ids of the entries that are erased with it.
    """

    id: str
    words: frozenset[bytes] = frozenset()
    sequences: tuple[Sequence, ...] = ()
    others: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.words) + len(self.sequences)

    @cached_property
    def ids(self) -> frozenset[str]:
        """Every id."""
        return self.others | {self.id}

    @cached_property
    def _id_words(self) -> frozenset[bytes]:
        return frozenset(each.encode("utf-8", "surrogatepass") for each in self.ids)

    def name_in(self, data: bytes) -> bool:
        """Whether bytes hold one of the ids: the only one wherever it stands, of several each as a word."""
        if not self.others:
            return self.id.encode("utf-8", "surrogatepass") in data
        return not self._id_words.isdisjoint(words_in(data))

    def of(self, data: bytes) -> list[bytes]:
        """The fragments that bytes (whose escapes are undone) hold as whole words; sorted words, then sequences."""
        words = words_in(data)
        there = self._sought.intersection(words)
        if not there and self._has_words_in_all:
            return []
        found = sorted(self.words & there)
        near = self._by_key.near(there)
        return found + _standing_in(near, words) if near else found

    @cached_property
    def _by_key(self) -> _ByKey:
        return _ByKey(self.sequences)

    @cached_property
    def _sought(self) -> frozenset[bytes]:
        """Every word that is a fragment or stands in one."""
        return self.words.union(*(each.words for each in self.sequences))

    @cached_property
    def _has_words_in_all(self) -> bool:
        return all(each.words for each in self.sequences)

    def are_in(self, text: str | bytes) -> bool:
        """Whether a text, or bytes of JSON or of anything, hold a fragment."""
        return any(self.of(each) or self._rare_in(each) for each in _readings(text))

    def quoted_in(self, text: str | bytes) -> bool:
        """Whether a text, or bytes of JSON or of anything, quote the entry; see the module."""
        return any(self._quoted(each) for each in _readings(text))

    def _quoted(self, data: bytes) -> bool:
        found = self.of(data)
        if not found:
            return self._rare_in(data)
        if any(b" " in each or each not in self.words or _is_rare(each) for each in found):
            return True
        said = [word for word in words_in(data) if len(word) >= LEAST_CHARS and word not in _TELLS_NOTHING]
        return 2 * sum(word in self.words for word in said) >= len(said)

    @cached_property
    def _rare(self) -> tuple[bytes, ...]:
        """The longest of the rare words: they are looked for inside longer ones too."""
        most = MAX_RARE_TOGETHER if self.others else MAX_RARE
        return tuple(sorted(filter(_is_rare, self.words), key=lambda word: (-len(word), word))[:most])

    def _rare_in(self, data: bytes) -> bool:
        if not self._rare:
            return False
        lower = data.translate(_LOWER)
        return any(each in lower for each in self._rare)

    def buried_in(self, data: bytes) -> list[bytes]:
        """The rare words and the sequences that bytes hold in whatever surroundings, inside longer words too."""
        lower = data.translate(_LOWER)
        near = self._by_inner_words.near(set(words_in(data))) if self.sequences else []
        return [each for each in (*self._rare, *(sequence.text for sequence in near)) if each in lower]

    @cached_property
    def _by_inner_words(self) -> _ByKey:
        """Only the first and the last word of a sequence can be part of a longer one."""
        return _ByKey(Sequence(each.text, frozenset(each.text.split(b" ")[1:-1])) for each in self.sequences)


def _readings(text: str | bytes) -> Iterator[bytes]:
    """A text as bytes; bytes with the escapes of JSON undone, and as they are."""
    if isinstance(text, str):
        yield text.encode("utf-8", "surrogatepass")
        return
    plain = unescaped(text)
    yield plain
    if plain is not text:
        yield text


def _is_rare(word: bytes) -> bool:
    mixed = _LETTER.search(word) is not None and any(48 <= byte <= 57 for byte in word)
    return len(word) >= RARE_CHARS or (mixed and len(word) >= RARE_MIXED_CHARS)


_LOWER = bytes(byte + 32 if 65 <= byte <= 90 else byte for byte in range(256))


@dataclass
class Sifting:
    """Finds the traces of an entry: `compare` is called with the bytes of every other living entry.

    Attributes:
        id: The entry.
        texts: What it says.
        own: Words that stand everywhere.
        together: What the entries say that are erased with it, by id.
        n_words: Words it began with.
    """

    id: str
    texts: Iterable[str]
    own: Iterable[bytes] = ()
    together: Mapping[str, Iterable[str]] = field(default_factory=dict)
    n_words: int = 0
    _wanted: frozenset[bytes] = field(default=frozenset(), init=False)
    _shared: set[bytes] = field(default_factory=set, init=False)
    _sequences: dict[bytes, Sequence] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        ids = (self.id, *self.together)
        own = OWN_WORDS.union(self.own, *(words_in(each.encode("utf-8", "surrogatepass")) for each in ids))
        most = min(MAX_SEQUENCES, max(LEAST_SEQUENCES, MAX_SEQUENCES_TOGETHER // len(ids)))
        wanted: set[bytes] = set()
        for texts in (self.texts, *self.together.values()):
            everything = [word for text in texts for word in words_in(text.encode("utf-8", "surrogatepass"))]
            long = [word for word in everything if len(word) > LONG_WORD]
            wanted.update(everything)
            found = (*_sequences(everything, own, most), *_stretches(long, most))
            self._sequences.update((each.text, each) for each in found)
        self._wanted = frozenset(wanted)
        self._tellable = {
            word for word in self._wanted if _tells(word) and word not in own and word not in COMMON_WORDS
        }
        self.n_words = len(self._tellable)
        self._by_key = _ByKey(self._sequences.values())

    def compare(self, data: bytes) -> float:
        """Take the bytes of another living entry; returns the share of the entry's telling words it holds."""
        words = words_in(unescaped(data))
        shared = self._wanted.intersection(words)
        self._shared |= shared
        near = self._by_key.near(shared)
        if near:
            joined = b" ".join(words)
            for each in near:
                if each.text in joined:
                    self._by_key.discard(each)
                    del self._sequences[each.text]
        return len(shared & self._tellable) / self.n_words if self.n_words else 0.0

    def traces(self) -> Traces:
        """What is left: the fragments nobody else holds."""
        words = frozenset(self._tellable - self._shared)
        return Traces(self.id, words, tuple(self._sequences.values()), frozenset(self.together))


def _tells(word: bytes) -> bool:
    if len(word) < LEAST_CHARS:
        return False
    return _LETTER.search(word) is not None or len(word) >= LEAST_DIGITS


def _sequences(words: list[bytes], own: frozenset[bytes], most: int) -> list[Sequence]:
    """At most so many windows over the words, spread evenly; of a short text the whole."""
    if len(words) < 3:
        return []
    n_starts = max(1, len(words) - SEQUENCE_WORDS + 1)
    step = max(1, SEQUENCE_WORDS // 2, n_starts // most + 1)
    found: dict[bytes, Sequence] = {}
    for start in range(0, n_starts, step):
        window = words[start : start + SEQUENCE_WORDS]
        distinct = frozenset(window)
        if len(distinct - own) >= 3 and sum(map(len, distinct)) >= 12:
            text = b" ".join(window)
            found[text] = Sequence(text, distinct)
    return list(found.values())[:most]


def _stretches(words: list[bytes], most: int) -> list[Sequence]:
    """At most so many stretches of runs too long to be met whole, at whole characters."""
    found: dict[bytes, None] = {}
    for word in words:
        for start in range(0, len(word) - STRETCH + 1, STRETCH):
            piece = word[start : start + STRETCH].decode("utf-8", "ignore").encode()
            found[piece] = None
    pieces = list(found)
    step = len(pieces) // most + 1
    return [Sequence(piece) for piece in pieces[::step]]
