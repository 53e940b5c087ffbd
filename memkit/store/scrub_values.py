"""Whether the value beside a name is a secret: a word after `password=` is one, `None` is not, nor is `required`.

Shapes alone cannot say. The judgement weighs three things: how the value is tied to its name (`=` in an environment
file binds tighter than `is` in a sentence), what the name promises (a password may be a word, a token is never one),
and whether the value reads as words, code, a path or a quantity. Where it is in doubt about a sentence it lets the
sentence stand; where it is in doubt about an assignment it masks.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from memkit.store.scrub_marks import bare
from memkit.store.scrub_patterns import Family

LONGEST_WORD = 15
"""The most letters of what still counts as one word."""

_RUN = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^A-Za-z]+")
_NUMBERED = re.compile(r"[A-Za-z]{1,15}[0-9]{1,4}|[0-9]{1,6}[A-Za-z]{1,12}")
_SWITCH = re.compile(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_FILLER = re.compile(r"(?:[*xX•·.\-_?#…=~ ]|\[\.\.\.\])+")
_VARIABLE = re.compile(
    r"0x[0-9A-Fa-f]{1,8}|%\(.*|\$\{.*|\$\(.*|\$[A-Za-z_][A-Za-z0-9_]*(?:[.:\[(].*)?|\$[0-9@*]|%[A-Za-z_][A-Za-z0-9_]*%|%[sdr]"
    r"|\{.*|<.*|\(.*|\[.*|&[A-Za-z]\w*|\*[A-Za-z]\w*\*?|![A-Za-z].*|@[A-Za-z][\w.]*|#.*|\\.*|`.*|:[a-z_]+|--.*|//.*"
)
_SCHEME = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]{0,30}://.*|(?:arn|vault|env|file|ssm|kms|secretref|secretsmanager|keyring|keychain|ref|gopass"
    r"|sha[0-9]{1,3}|md5|urn|mailto|data):\S.*"
)
_PATH = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.${}/\\-]*|[\w.-]+/[\w./-]+")
_CALL = re.compile(r"([A-Za-z_][\w.:>-]{0,80})[(\[].*")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.|::|->|\?\.)[A-Za-z_][\w.:>?-]*\W{0,3}")
_NUMBER_PART = re.compile(r"\.[0-9]")
_VARIABLE_NAME = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z_-]*[0-9]?")
_QUANTITY = re.compile(
    r"[+~<>≥≤]?[0-9][0-9.,:–-]{0,9}\s?(?:[-–]?(?:ms|s|m|h|d|w|y|k|kb|mb|gb|kib|mib|x|%|st|nd|rd|th|bits?|bytes?"
    r"|chars?|characters?|digits?|words?|letters?|symbols?|days?|hours?|minutes?|mins?|seconds?|secs?|weeks?|months?|years?"
    r"|times?|tokens?|factor|step|way|level|tier)(?:[-–]\S*)?)?\+?",
    re.IGNORECASE,
)
_ALGORITHM = re.compile(
    r"(?:sha|md|rs|es|hs|ps|ed|aes|rsa|ecdsa|ecdh|dsa|p|x|utf|base|iso|rfc|http|https|tls|ssl|oauth|bcrypt|argon|pbkdf|scrypt"
    r"|blake|crc|uuid|v|ipv|pkcs|ec|nist|cve|python|py|node|java|postgres|pg|web|ver|version|level|type|step|no|nr|aal|ial"
    r"|loa|sp|fips|hmac|curve|secp|chacha|keccak|ripemd|ascii|latin|cl|gpt|llama|claude|bert|top|word|sub|k|i|l|a)"
    r"[-_ ]?v?[0-9]{1,5}[a-z]{0,4}(?:[-_/.+:][a-z0-9_/.+:-]{0,24})?",
    re.IGNORECASE,
)
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\S{0,24}|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{2,4}")
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}")
_ASKING = re.compile(
    r"(?:your|insert|enter|replace|example|dummy|sample|fake|change|choose|put|use|type|paste|provide|set|get|add|copy|some)"
    r"[-_ ].*|.*[-_ ]here|.*(?:redacted|placeholder|\*\*\*|\.\.\.|…|xxxx).*",
    re.IGNORECASE,
)
_STEM = re.compile(r"pass|pwd|secret|token|key|cred|auth", re.IGNORECASE)
_DIGIT_IN_WORD = re.compile(r"[A-Za-z]{2}[0-9]{1,4}[A-Za-z]|[A-Za-z][0-9]{1,4}[A-Za-z]{3}")
_SYMBOL = re.compile(r"[A-Za-z0-9][!@#$%^&?~|]+[A-Za-z0-9]")
_COOKIE_ATTRIBUTE = re.compile(
    r"(?:samesite|path|domain|max-age|expires|httponly|secure|partitioned|priority)\b", re.IGNORECASE
)


class Tie(IntEnum):
    """How tightly a value is bound to its name, loosest first."""

    BESIDE = 0  # merely next to it: `token abc`, `("token", "abc")`
    SPOKEN = 1  # `password is abc`, `--password abc`, a cell of a table
    MAPPED = 2  # `token: abc`, `token = abc`
    ASSIGNED = 3  # `TOKEN=abc`, `"token": "abc"`


@dataclass(frozen=True, slots=True)
class Value:
    """What stands beside a name.

    Attributes:
        text: The value, without its quotes.
        tie: How it is bound to the name.
        quoted: Whether it stood in quotes.
        constant: Whether the name is written as a constant (`API_TOKEN`), as in environments.
        identifier: Whether the name has an underscore in it.
        code: Whether an unquoted value could as well be a name in a program (`password=password`).
        line: Whether name and value make up a line of their own, as in a settings file.
        bare: Whether nothing but `=` stood between them.
    """

    text: str
    tie: Tie
    quoted: bool = False
    constant: bool = False
    identifier: bool = False
    code: bool = False
    line: bool = False
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Judge:
    """Decides about values; the words it knows are data of the pattern table."""

    placeholders: frozenset[str]
    sentence_words: frozenset[str]

    def is_secret(self, value: Value, family: Family) -> bool:
        """Whether `value`, beside a name of this family, is to be masked."""
        text = value.text
        if family == "secret" and (len(text) < 8 or (not (value.constant and value.bare) and wordy(text))):
            return False
        if not bare(text) or self.is_placeholder(text):
            return False
        if " " in text or "\t" in text:
            return value.quoted and family == "password" and value.tie >= Tie.MAPPED and not self._is_sentence(text)
        if not value.quoted and not (value.constant and value.tie is Tie.ASSIGNED) and _is_code(value, family):
            return False
        return _password(value) if family == "password" else _secret(value)

    def is_placeholder(self, text: str) -> bool:
        """Whether `text` stands in for a secret: `None`, `<token>`, `${TOKEN}`, `****`, `your-key-here`, a path."""
        plain = text.strip().strip("*_\"'`.,;:").lower()
        if plain in self.placeholders or _FILLER.fullmatch(text) or _VARIABLE.fullmatch(text):
            return True
        if _SCHEME.fullmatch(text) or (_DATE.fullmatch(text) and not _UUID.fullmatch(text)):
            return True
        if _VARIABLE_NAME.fullmatch(text) and _STEM.search(text) and wordy(text):
            return True
        if _QUANTITY.fullmatch(text) and not text.isdigit():
            return True
        if _ASKING.fullmatch(text) and wordy(text):
            return True
        return _PATH.fullmatch(text) is not None and wordy(text)

    def _is_sentence(self, text: str) -> bool:
        words = text.lower().replace(",", " ").replace(".", " ").split()
        return len(words) > 12 or any(word.strip("!?:;()'\"") in self.sentence_words for word in words)


def wordy(text: str, longest: int = LONGEST_WORD) -> bool:
    """Whether `text` is made of words and small numbers, as names, slugs and prose are; random characters are not.

    Args:
        text: Any text.
        longest: The most letters one word may have.
    """
    return all(_wordy_run(run, longest) for run in _RUN.findall(text))


def _wordy_run(run: str, longest: int) -> bool:
    if len(run) <= longest and run.isalpha() and run.islower():
        return True
    if run.isdigit():
        return len(run) < 16
    if not run.isascii():
        return not any(char.isdigit() for char in run)
    if run.isalpha():
        words = _CAMEL.findall(run)
        return max(map(len, words)) <= longest and (len(words) < 5 or len(run) >= 3 * len(words))
    if _NUMBERED.fullmatch(run):
        return True
    return len(run) < 8 and len(_SWITCH.findall(run)) <= 2


def _is_code(value: Value, family: Family) -> bool:
    """Whether an unquoted value reads as an expression: a call, an attribute, a variable."""
    text = value.text
    call = _CALL.fullmatch(text)
    if call and (family == "secret" or wordy(call[1], 20)):
        return True
    if _DOTTED.fullmatch(text) and _NUMBER_PART.search(text) is None and wordy(text):
        return True
    if not value.code or not _NAME.fullmatch(text) or not wordy(text):
        return False
    return "_" in text or not (text.islower() or text.isupper()) or _STEM.search(text) is not None


def _digit_and_letter(text: str) -> bool:
    return any(c.isdigit() for c in text) and any(c.isalpha() for c in text)


def _like_password(text: str) -> bool:
    text = text.strip("*_`\"'.,;:()")
    if len(text) < 6 or _ALGORITHM.fullmatch(text) or _QUANTITY.fullmatch(text) or _EMAIL.fullmatch(text):
        return False
    if _DATE.fullmatch(text) or not any(c.isalpha() for c in text):
        return False
    if _SYMBOL.search(text) or _DIGIT_IN_WORD.search(text):
        return True
    runs = _RUN.findall(text)
    if len(runs) > 1 and wordy(text):  # a slug: four words or more make a passphrase
        return len(runs) >= 4 and len(text) >= 20 and "-" in text and "/" not in text
    return _digit_and_letter(text) or not wordy(text, 20)


def _password(value: Value) -> bool:
    text = value.text
    n = len(text)
    if value.tie is Tie.ASSIGNED:
        return n >= 4
    if value.tie is Tie.MAPPED:
        if value.quoted or value.code:
            return n >= 4
        if value.line and n >= 6 and (text.isalnum() or _digit_and_letter(text)):
            return True
        return _like_password(text) or (text.isdigit() and n >= 6)
    if value.tie is Tie.SPOKEN:
        return _like_password(text) or (value.quoted and n >= 6 and not _ALGORITHM.fullmatch(text))
    if value.quoted:
        return _like_password(text) and "/" not in text
    return n >= 8 and not wordy(text) and not _UUID.fullmatch(text)


def _secret(value: Value) -> bool:
    text = value.text
    n = len(text)
    if _ALGORITHM.fullmatch(text) and n <= 24:
        return False
    if text.isdigit():
        return n >= 16
    if value.tie is Tie.ASSIGNED:
        return (n >= 8 and not wordy(text)) or (value.constant and value.bare and n >= 10)
    if value.tie is Tie.MAPPED:
        return n >= 10 and not wordy(text)
    if _UUID.fullmatch(text):
        return False
    enough = 8 if value.constant else 12 if value.tie is Tie.SPOKEN or value.identifier else 16
    return n >= enough and not wordy(text, 20)


# --- tests of a match that its pattern cannot make ------------------------------------------------------------------


def _base64_userpass(text: str) -> bool:
    padded = text.rstrip("=")
    try:
        plain = base64.urlsafe_b64decode(padded.replace("+", "-").replace("/", "_") + "=" * (-len(padded) % 4)).decode()
    except (binascii.Error, ValueError):
        return False
    return ":" in plain and plain.isprintable()


def checks(judge: Judge) -> dict[str, Callable[[str], bool]]:
    """The tests a kind may name in its field `check`."""

    def opaque(text: str) -> bool:
        return bool(bare(text)) and not judge.is_placeholder(text)

    def login(text: str) -> bool:
        port = re.match(r"[0-9]{1,5}(?:[?#].*)?", text)
        return opaque(text) and not (port and port.end() == len(text) and len(text) > 5)

    return {
        "token": lambda text: not wordy(text),
        "digit": lambda text: any(c.isdigit() for c in text),
        "mixed": lambda text: (
            any(c.isdigit() for c in text) and any(c.islower() for c in text) and any(c.isupper() for c in text)
        ),
        "dotted": lambda text: not wordy(text),
        "opaque": opaque,
        "login": login,
        "userpass": _base64_userpass,
        "cookie": lambda text: opaque(text) and _COOKIE_ATTRIBUTE.match(text) is None,
    }


def name_parts(name: str) -> list[str]:
    """The parts of a name in lower case: `client_secret`, `clientSecret` and `client-secret` give the same two."""
    return [part.lower() for run in _RUN.findall(name) for part in _CAMEL.findall(run)]
