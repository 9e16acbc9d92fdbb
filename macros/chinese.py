"""Simplified Chinese becomes Traditional Chinese, and Chinese text is cut into words for search."""

import json
import re
import tempfile
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path

import jieba
import opencc

from macros.hypertext import VOID_TAGS, pieces

HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")
LINE_END_AFTER_HAN = re.compile(
    r"(?<=[\u3400-\u9fff])\n(?=[\u3000-\u9fff\uff00-\uffef“])"
    r"|(?<=[\u3000-\u303f\uff00-\uffef”])\n(?=\S)"
)
WORD_BREAK = "\u200b"
QUOTATION_MARKS = str.maketrans("“”", "「」")

TEXT_ATTRIBUTE = re.compile(
    r"(?<=\s)(title|alt|aria-label|placeholder|content|data-label|data-say-[a-z-]+)=\"([^\"]*)\"",
    re.IGNORECASE,
)
FOREIGN = re.compile(r"(?<!\S)(?:lang|hreflang)=|class=\"[^\"]*\bnotranslate\b", re.IGNORECASE)
STRUCTURED_DATA = 'type="application/ld+json"'  # text for search engines inside a script
VERBATIM_TAGS = {"pre", "code", "kbd", "samp", "script", "style", "textarea"}


def traditional_converter(folder: Path) -> Callable[[str], str]:
    """Return the function that writes Simplified text in Traditional Chinese as used in Taiwan.

    `words.txt` holds words that OpenCC gets wrong in this field, `variants.txt` characters.
    """
    words = _pairs(folder / "words.txt")
    variants = _pairs(folder / "variants.txt")
    kept = {traditional: traditional for traditional in words.values()}
    with tempfile.TemporaryDirectory() as temporary:
        first = _write_pairs(Path(temporary, "first.txt"), words)
        second = _write_pairs(Path(temporary, "second.txt"), kept | variants)
        configuration = Path(temporary, "ours.json")
        configuration.write_text(json.dumps(_configuration(first, second)), "utf-8")
        convert = opencc.OpenCC(str(configuration)).convert

    @lru_cache(maxsize=100_000)
    def to_traditional(text: str) -> str:
        return text if text.isascii() else convert(text).translate(QUOTATION_MARKS)

    return to_traditional


def _pairs(path: Path) -> dict[str, str]:
    return dict(line.split("\t") for line in path.read_text("utf-8").splitlines())


def _write_pairs(path: Path, pairs: dict[str, str]) -> Path:
    path.write_text("".join(f"{key}\t{value}\n" for key, value in pairs.items()), "utf-8")
    return path


def _configuration(first: Path, second: Path) -> dict:
    """Return OpenCC's configuration for Taiwan with our words before its own in both stages.

    Without the second list the second stage would undo what the first one chose.
    """
    data = Path(opencc.__file__).parent / "clib" / "share" / "opencc"

    def with_full_path(item: dict) -> dict:
        return item | {"file": str(data / item["file"])} if "file" in item else item

    text = (data / "s2twp.json").read_text("utf-8")
    configuration = json.loads(text, object_hook=with_full_path)
    ours = [{"type": "text", "file": str(path)} for path in (first, second)]
    configuration["segmentation"]["dict"]["dicts"].insert(0, ours[0])
    for stage, dictionary in zip(configuration["conversion_chain"], ours, strict=True):
        stage["dict"]["dicts"].insert(0, dictionary)
    return configuration


def convert_html(html: str, convert: Callable[[str], str]) -> str:
    """Convert the text of a page, but not its code, nor what is marked as another language."""
    converted = []
    inside: str | None = None  # the verbatim element that we are in
    depth = 0
    for piece in pieces(html):
        if isinstance(piece, str):
            converted.append(piece if inside else convert(piece))
            continue
        converted.append(piece[0] if inside else _convert_attributes(piece, convert))
        name = (piece["name"] or "").lower()
        if inside:
            if name == inside and not piece[0].endswith("/>"):
                depth += -1 if piece["close"] else 1
                inside = inside if depth else None
        elif name and not piece["close"] and name not in VOID_TAGS and _is_verbatim(name, piece):
            inside, depth = name, 1
    return "".join(converted)


def _is_verbatim(name: str, tag: re.Match) -> bool:
    if name == "html" or tag[0].endswith("/>") or STRUCTURED_DATA in tag[0]:
        return False
    return name in VERBATIM_TAGS or bool(FOREIGN.search(tag["attributes"]))


def _convert_attributes(tag: re.Match, convert: Callable[[str], str]) -> str:
    if not HAN.search(tag[0]) or FOREIGN.search(tag["attributes"] or ""):
        return tag[0]
    return TEXT_ATTRIBUTE.sub(lambda match: f'{match[1]}="{convert(match[2])}"', tag[0])


def join_lines(text: str) -> str:
    """Remove the line ends inside a Chinese paragraph, which browsers would show as spaces."""
    return LINE_END_AFTER_HAN.sub("", text)


@cache
def _converter(name: str) -> Callable[[str], str]:
    return opencc.OpenCC(name).convert


def simplified(text: str) -> str:
    """Return a text in Simplified characters; its words stay."""
    return _converter("t2s")(text)


def traditional(text: str) -> str:
    """Return a text in the Traditional characters of Taiwan; its words stay."""
    return _converter("s2tw")(text)


def cut_words(text: str, convert: Callable[[str], str] | None = None) -> str:
    """Put an invisible break between the words of Chinese text, so that search finds them.

    With `convert` the text is converted as well; its words are those of the Simplified original.
    """

    def cut(match: re.Match) -> str:
        words = list(jieba.cut(match[0]))
        if convert:
            words = _converted_words(match[0], words, convert)
        return WORD_BREAK + WORD_BREAK.join(words) + WORD_BREAK

    return HAN.sub(cut, text).strip(WORD_BREAK)


def _converted_words(text: str, words: list[str], convert: Callable[[str], str]) -> list[str]:
    converted = convert(text)
    one_by_one = [convert(word) for word in words]
    if "".join(one_by_one) == converted:
        return one_by_one
    original = simplified(converted)  # a word changed with its neighbours: cut again
    if len(original) != len(converted):
        return [converted]
    words, start = [], 0
    for word in jieba.cut(original):
        words.append(converted[start : start + len(word)])
        start += len(word)
    return words
