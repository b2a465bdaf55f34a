"""The two languages in which a map is described: all that is grammar and punctuation."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

# numbered labels in a row that are worth a range
_RANGE = 3
# keys of one small weight that are worth a "the others"
_OTHERS = 3


class Share(NamedTuple):
    """Keys whose weights are written alike."""

    weight: str
    keys: list[int]
    rest: bool
    """Whether these are all the visible keys that were not named before."""


class English:
    """Sentences with commas, words in quotation marks."""

    def quote(self, label: str) -> str:
        return f'"{label}"' if re.search("[A-Za-z]{2}", label) else label

    def numbered(self, name: str, number: int) -> str:
        return f"{name} (key {number})" if is_readable(name) else f"key {number}"

    def single(self, query: str, n_keys: int, row: str) -> str:
        return f"Row {query}, {n_keys} {'key' if n_keys == 1 else 'keys'}: {row}."

    def several(
        self, queries: list[str], keys: list[str], rows: list[str], hidden: Sequence[int]
    ) -> str:
        columns = "1 key" if len(keys) == 1 else f"{len(keys)} keys"
        sentences = [f"Attention map, {len(queries)} queries by {columns}."]
        if len(hidden):
            sentences.append(f"Hidden in every row: {self.names(hidden, keys)}.")
        for row, places in _alike(rows):
            noun = "Row" if len(places) == 1 else "Rows"
            sentences.append(f"{noun} {self.names(places, queries)}: {row}.")
        return " ".join(sentences)

    def row(self, shares: list[Share], hidden: Sequence[int], keys: list[str]) -> str:
        if not shares:
            return "every key hidden"
        first, *others = shares
        each = f"{first.weight} each" if len(first.keys) > 1 else first.weight
        names = self.names(first.keys, keys)
        if not first.rest:
            text = ", ".join([f"most on {names} ({each})", *self.others(others, keys)])
        elif len(first.keys) == len(keys) > 1:
            text = f"all {len(keys)} keys alike ({each})"
        else:
            text = f"{names} alike ({each})" if len(first.keys) > 1 else f"only {names} ({each})"
        return f"{text}; {self.names(hidden, keys)} hidden" if len(hidden) else text

    def others(self, shares: list[Share], keys: list[str]) -> list[str]:
        texts = []
        for share in shares:
            then = "" if texts else "then "
            if share.rest and len(share.keys) >= _OTHERS:
                texts.append(f"{then}the other {len(share.keys)} keys {share.weight} each")
            else:
                each = " each" if len(share.keys) > 1 else ""
                texts.append(f"{then}{self.names(share.keys, keys)} {share.weight}{each}")
        return texts

    def names(self, keys: Iterable[int], names: list[str]) -> str:
        *front, last = _spans(keys, names, "{} to {}".format)
        return f"{', '.join(front)} and {last}" if front else last


class Chinese:
    """Full-width punctuation, and a space where Chinese meets what is not."""

    def quote(self, label: str) -> str:
        return f"「{label}」" if re.search("[A-Za-z]{2}|[\u3400-\u9fff]", label) else label

    def numbered(self, name: str, number: int) -> str:
        return f"{name}（第 {number} 个键）" if is_readable(name) else f"第 {number} 个键"

    def single(self, query: str, n_keys: int, row: str) -> str:
        return _set(query, f"一行，{n_keys} 个键：{row}。")

    def several(
        self, queries: list[str], keys: list[str], rows: list[str], hidden: Sequence[int]
    ) -> str:
        sentences = [f"注意力图，{len(queries)} 个查询，{len(keys)} 个键。"]
        if len(hidden):
            sentences.append(_set("每一行都被遮住的键：", self.names(hidden, keys), "。"))
        for row, places in _alike(rows):
            noun = "一行" if len(places) == 1 else "各行"
            sentences.append(_set(self.names(places, queries), f"{noun}：{row}。"))
        return "".join(sentences)

    def row(self, shares: list[Share], hidden: Sequence[int], keys: list[str]) -> str:
        if not shares:
            return "所有键都被遮住"
        first, *others = shares
        each = f"各 {first.weight}" if len(first.keys) > 1 else first.weight
        names = self.names(first.keys, keys)
        if not first.rest:
            text = "，".join([_set("最大的是", names, f"（{each}）"), *self.others(others, keys)])
        elif len(first.keys) == len(keys) > 1:
            text = f"{len(keys)} 个键都一样（{each}）"
        elif len(first.keys) > 1:
            text = _set(names, f"都一样（{each}）")
        else:
            text = _set("只有", names, f"（{each}）")
        return f"{text}；{_set(self.names(hidden, keys), '被遮住')}" if len(hidden) else text

    def others(self, shares: list[Share], keys: list[str]) -> list[str]:
        texts = []
        for share in shares:
            then = "" if texts else "其次"
            if share.rest and len(share.keys) >= _OTHERS:
                texts.append(f"其余 {len(share.keys)} 个各 {share.weight}")
            else:
                each = "各 " if len(share.keys) > 1 else ""
                texts.append(_set(then, self.names(share.keys, keys), f"{each}{share.weight}"))
        return texts

    def names(self, keys: Iterable[int], names: list[str]) -> str:
        spans = _spans(keys, names, lambda first, last: _set(first, "至", last))
        # quotation marks part words by themselves
        return "、".join(spans).replace("」、「", "」「")


def is_readable(label: str) -> bool:
    """Tell whether a label can be read out."""
    # a dash or a dot is seen but not read out
    return any(character.isalnum() for character in label)


def _spans(keys: Iterable[int], names: Sequence[str], through: Callable[[str, str], str]) -> list:
    """Name keys, those whose labels count up by one as ranges."""

    def start(pair: tuple[int, int]) -> tuple[str, int]:
        place, key = pair
        stem, number = re.fullmatch(r"(.*?)(\d*)", names[key]).groups()
        return (stem, int(number) - place) if number else (names[key], -key)

    spans = []
    for _, run in groupby(enumerate(keys), key=start):
        run = [names[key] for _, key in run]
        spans += run if len(run) < _RANGE else [through(run[0], run[-1])]
    return spans


def _alike(rows: list[str]) -> list[tuple[str, list[int]]]:
    """Return the rows in order, with the places of those that follow with the same words."""
    groups = groupby(range(len(rows)), key=rows.__getitem__)
    return [(row, list(places)) for row, places in groups]


def _set(*pieces: str) -> str:
    """Join pieces of a Chinese sentence, with a space where Chinese meets what is not."""
    text = ""
    for piece in filter(None, pieces):
        ends = text[-1:], piece[0]
        alike = all(map(_is_han, ends)) or any(map(_carries_space, ends))
        text += piece if alike else f" {piece}"
    return text


def _is_han(character: str) -> bool:
    return "\u3400" <= character <= "\u9fff"


def _carries_space(character: str) -> bool:
    """Tell whether a sign needs no space: full-width punctuation, or none at all."""
    width = unicodedata.east_asian_width(character) if character else "F"
    return width in "FW" and not _is_han(character)
