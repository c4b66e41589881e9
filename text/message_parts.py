"""Conversion of the parts of a message (content blocks, OneBot segments, CQ codes) to one text.

Texts are unchanged. A part that is no text becomes a placeholder: `[image]`, in Chinese `[图片]`.
Thoughts and tool calls of a model, and references to a replied message, are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from ..schema.language import Language
from .language import detect_language

_MEDIA: tuple[tuple[str, str, str], ...] = (
    ("image|img|photo|picture", "图片", "image"),
    ("audio|voice|record|speech", "语音", "audio"),
    ("video", "视频", "video"),
    ("face|sticker|emoji", "表情", "sticker"),
    ("file|document|attachment", "文件", "file"),
)
"""Words in the type of a part (`image_url`, `input_audio`), and the placeholder in Chinese and
English."""
_MEDIUM = re.compile("|".join(f"({types})" for types, _, _ in _MEDIA))
_TYPES, _IN_CHINESE = ("|".join(one[n] for one in _MEDIA) for n in (0, 1))
_PLACEHOLDER = re.compile(rf"(?i)\[(?:[一-鿿]{{0,2}}(?:{_IN_CHINESE})|{_TYPES})\]")
"""Placeholders of this module and of chat clients: [动画表情], [Photo]."""
_NO_TALK = re.compile(r"think|reason|tool_?(?:use|call|result)|function_call|^reply$")
"""Types of parts that nobody said, such as thoughts and tool calls."""
_NOT_IN_NAMES = re.compile(r"[^\w .-]+")

_NOT_IN_CAPTIONS = re.compile(r"[\[\]\s]+")
_AUTHORS = ("nickname", "name", "user_id", "uin")
"""Keys of the author of a node in a OneBot forward."""

_CODE = re.compile(r"\[CQ:(?P<type>[\w.-]{1,40})(?P<data>(?:,[^\[\]]{0,4000})?)\]")
BY_ID = re.compile(r"\[CQ:at,qq=(?P<cq>[^\[\],]+)[^\[\]]*\]|<@[!&]?(?P<discord>\w+)>")
"""Mentions by id, of OneBot and of Discord."""
_ESCAPE = re.compile(r"&(amp|#91|#93|#44);")
_ESCAPED = {"amp": "&", "#91": "[", "#93": "]", "#44": ","}
_UNESCAPED = re.compile(r"[\[\]`]|&(?!(?:amp|#91|#93|#44);)")
"""Characters that OneBot escapes in the text of a CQ string, and backticks: code may contain
literal escapes."""


def text_of_parts(parts: Sequence[Any], name: str = "") -> str:
    """Return the text of a message's parts.

    Placeholders are in the language of the text, or of the sender's `name` if there is no text.

    >>> text_of_parts([{"type": "text", "text": "look at my cat"}, {"type": "image_url", "image_url": {"url": "x"}}])
    'look at my cat\\n[image]'
    >>> text_of_parts([{"type": "text", "data": {"text": "看我的猫"}}, {"type": "image", "data": {"file": "x"}}])
    '看我的猫[图片]'
    """
    known = (one for one in parts if isinstance(one, Mapping))
    between = "" if any(isinstance(one.get("data"), Mapping) for one in known) else "\n"
    texts = [_text_of(one, "en") for one in parts]
    if detect_language(without_placeholders(between.join(texts)) or name) == "zh":
        texts = [_text_of(one, "zh") for one in parts]
    return between.join(filter(None, texts))


def replied_id(content: object) -> str:
    """Return the id of the message to which OneBot's segments or a CQ string reply, or "".

    >>> replied_id("[CQ:reply,id=7]yes"), replied_id([{"type": "reply", "data": {"id": 7}}])
    ('7', '7')
    """
    if isinstance(content, str):
        content = [_segment(*code) for code in _CODE.findall(content)]
    for one in content if isinstance(content, list | tuple) else ():
        data = one.get("data") if isinstance(one, Mapping) and one.get("type") == "reply" else None
        if isinstance(data, Mapping) and data.get("id") not in (None, ""):
            return str(data["id"])
    return ""


def forwarded_from(message: Mapping[str, Any]) -> str:
    """Return the author's name of a message forwarded in Telegram, or "" for other messages."""
    origin = message.get("forward_origin")
    keys: tuple[str, ...] = ("forward_sender_name", "forward_from", "forward_from_chat")
    of_origin = ("sender_user_name", "sender_user", "sender_chat", "chat")
    keys, message = (of_origin, origin) if isinstance(origin, Mapping) else (keys, message)
    return next((_called(message[key]) for key in keys if message.get(key)), "")


def as_forwarded(text: str, author: str) -> str:
    """Return a forwarded text, prefixed with its author.

    >>> as_forwarded("I quit my job", "Ann"), as_forwarded("我辞职了", "阿明")
    ('[forwarded from Ann] I quit my job', '[转发自 阿明] 我辞职了')
    """
    name = _NOT_IN_NAMES.sub("", author).strip()
    if detect_language(without_placeholders(text) or name) == "zh":
        return f"[转发自 {name}] {text}" if name else f"[转发] {text}"
    return f"[forwarded from {name}] {text}" if name else f"[forwarded] {text}"


def _called(who: object) -> str:
    """Return the name of a Telegram user or chat."""
    if not isinstance(who, Mapping):
        return str(who)
    parts = [str(who[key]) for key in ("title", "first_name", "last_name") if who.get(key)]
    return " ".join(parts) or str(who.get("username") or who.get("id") or "")


def _forwarded(known: Mapping[str, Any], language: Language) -> str:
    """Return the text of a OneBot forward or of one of its nodes.

    Each message is on its own line, with its author.
    """
    content = known.get("content")
    if isinstance(content, list | tuple) and content and all(map(_is_node, content)):
        return "\n".join(_forwarded(one.get("data") or one, language) for one in content)
    sender = known.get("sender")
    known = {**sender, **known} if isinstance(sender, Mapping) else known
    author = next((str(known[key]) for key in _AUTHORS if known.get(key)), "")
    words = known.get("message") if content in (None, "", [], ()) else content
    words = from_cq(words) if isinstance(words, str) else words
    words = text_of_parts(words) if isinstance(words, list | tuple) else words
    if isinstance(words, str) and words.strip():
        return as_forwarded(words.strip(), author)
    return "[转发]" if language == "zh" else "[forwarded]"


def _is_node(one: object) -> bool:
    return isinstance(one, Mapping) and (one.get("type") == "node" or "sender" in one)


def placeholder(kind: str, language: Language) -> str:
    """Return the placeholder for a type of part: `[image]` for `image_url`.

    For an unknown type it is the name of the type.
    """
    medium = _MEDIUM.search(kind)
    if medium is None:
        return f"[{_NOT_IN_NAMES.sub('', kind)[:40] or 'attachment'}]"
    _, zh, en = _MEDIA[(medium.lastindex or 1) - 1]
    return f"[{zh if language == 'zh' else en}]"


def without_placeholders(text: str) -> str:
    """Return a text without placeholders and CQ codes."""
    return _PLACEHOLDER.sub("", _CODE.sub("", text)).strip() if "[" in text else text


def without_media(text: str) -> str:
    """Return a text without placeholders; if it has nothing else, return it unchanged."""
    return (_PLACEHOLDER.sub("", text).strip() or text) if "[" in text else text


def is_part(given: object) -> bool:
    """Return True for a part of a message (content block or OneBot segment), not for a message."""
    of_messages = {"role", "content", "message", "output"}
    return isinstance(given, Mapping) and "type" in given and of_messages.isdisjoint(given)


def from_cq(text: str, *, by_form: bool = True) -> str:
    """Return the text of a CQ string (OneBot's `raw_message`).

    Codes become parts of the message, and the four escapes are decoded once.

    >>> from_cq("[CQ:reply,id=7]I work at AT&amp;T [CQ:face,id=14]")
    'I work at AT&T [sticker]'

    With `by_form`, a text with escapes and without codes counts as a CQ string too. Escapes are
    decoded only if the text has no unescaped character that OneBot would escape. Any other text is
    returned unchanged.
    """
    if not (_CODE.search(text) if "[CQ:" in text else by_form and _ESCAPE.search(text)):
        return text
    read = str if _UNESCAPED.search(_CODE.sub("", text)) else _unescaped
    pieces = _CODE.split(text)
    parts: list[Any] = [{"type": "text", "data": {"text": read(one)}} for one in pieces[::3]]
    codes = map(_segment, pieces[1::3], pieces[2::3])
    return text_of_parts([*chain(*zip(parts, codes, strict=False)), parts[-1]]).strip()


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda one: _ESCAPED[one[1]], text)


def _segment(kind: str, data: str) -> dict[str, Any]:
    pairs = (pair.partition("=") for pair in data.split(",")[1:])
    return {"type": kind, "data": {key.strip(): _unescaped(value) for key, _, value in pairs}}


def _text_of(part: Any, language: Language) -> str:
    if isinstance(part, str):
        return part
    if hasattr(part, "model_dump"):
        part = part.model_dump()
    if not isinstance(part, Mapping):
        return ""
    kind, data = str(part.get("type") or next(iter(part), "")).lower(), part.get("data")
    known = data if isinstance(data, Mapping) else part
    if kind in ("at", "mention", "mention_all"):
        return _mention(kind, known, language)
    if _NO_TALK.search(str(part.get("type", ""))):
        return ""
    if kind in ("forward", "node"):
        return _forwarded(known, language)
    words = _words_in(known)
    if words is not None:
        return words
    caption = _NOT_IN_CAPTIONS.sub(" ", str(known.get("caption") or "")).strip()
    shown = placeholder(kind, language)
    return f"{shown[:-1]}{'：' if language == 'zh' else ': '}{caption}]" if caption else shown


def _words_in(known: Mapping[str, Any]) -> str | None:
    """Return the text of a part, or None if it has none."""
    for name in ("text", "refusal", "transcript", "content", "output"):
        value = known.get(name)
        if isinstance(value, Mapping):
            value = value.get("value", value.get("text"))
        if isinstance(value, list | tuple):
            value = text_of_parts(value)
        if isinstance(value, str):
            return value
    return None


def _mention(kind: str, known: Mapping[str, Any], language: Language) -> str:
    """Return a mention with its name or, without one, as a CQ code, which is replaced later."""
    who = str(known.get("qq") or known.get("user_id") or known.get("id") or "")
    if kind == "mention_all" or who == "all":
        return "@全体成员 " if language == "zh" else "@everyone "
    name = str(known.get("name") or known.get("text") or "").lstrip("@").strip()
    return f"@{name} " if name else f"[CQ:at,qq={who}]" if who else ""
