"""What is wrong with a value and what to write instead, in words that a newcomer can follow."""

import re
import types
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from macros.fields import MONTH, NAME, REFERENCE, REPOSITORY, SHA, SLUG, URL, VERSION, Text
from macros.findings import Finding, listed, renamed
from macros.loading import ISO_DATE, Document, join
from macros.records import KIND_OF_FIELD

Location = tuple[str | int, ...]
Ids = Mapping[str, Sequence[str]]

FORMS = {
    SLUG: "an id: lower-case letters, digits, `-`, `.` and `+`",
    URL: "an address that begins with https:// or http://",
    SHA: "a commit: 7 to 40 of the letters a to f and digits",
    MONTH: "a month: YYYY-MM, or YYYY in quotes",
    REPOSITORY: "a repository as on Hugging Face: owner/name",
    REFERENCE: "a record as `kind/id`, such as `models/gpt-oss-20b`",
    VERSION: "a version without `v`, such as 0.28.0",
    NAME: "a name: lower-case letters, digits and `_`",
}
SCALARS = {
    str: "text", int: "a whole number", Decimal: "a number", bool: "true or false",
    date: "a date",
}  # fmt: skip
LANGUAGES = {"en": "English", "zh": "Chinese"}
LIMITS = {
    "greater_than": "more than {gt}",
    "greater_than_equal": "{ge} or more",
    "less_than": "less than {lt}",
    "less_than_equal": "{le} or less",
    "string_too_short": "text",
    "string_too_long": "at most {max_length} letters",
    "too_short": "a list of at least {min_length}",
    "too_long": "a list of at most {max_length}",
}
QUOTES = " '\"“”„‘’`"
YES, NO = ("yes", "on", "true", "y"), ("no", "off", "false", "n")
DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
FIGURE = re.compile(
    r"(-?\d+(?:[.,]\d+)?)\s*(?:tok(?:en)?s?(?:/s|/sec)?|t/s|tps|ms|s|GB(?:/s)?|GiB|%)?", re.I
)
ADDRESS = re.compile(r"^(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)/|/+$")


def _has(data: Any, key: str | int) -> bool:
    """Tell whether a mapping has a key, or a list a place."""
    if isinstance(data, dict):
        return key in data
    return isinstance(data, list) and isinstance(key, int) and key < len(data)


def field_name(location: Location, data: Any) -> str:
    """Return the field a validation error points at, without the names of union branches."""
    at = ""
    for key in location:
        if _has(data, key):
            data, at = data[key], join(at, key)
        elif isinstance(data, dict) and isinstance(key, str) and "[" not in key and "(" not in key:
            return join(at, key)
    return at


def value_at(data: Any, location: Location) -> Any:
    """Return the value a location leads to, as far as it exists."""
    for key in location:
        if _has(data, key):
            data = data[key]
    return data


def spelled(value: Any) -> str:
    """Return a value as its file spells it, with its kind where that is the fault."""
    match value:
        case None:
            return "null"
        case "":
            return "nothing"
        case bool():
            return f"{str(value).lower()} (yes or no)"
        case str():
            return repr(value)
        case dict() | list():
            return f"a {'mapping' if isinstance(value, dict) else 'list'} of {len(value)}"
        case _:
            return f"{value} ({'date' if hasattr(value, 'isoformat') else 'number'})"


def model_at(annotation: Any, location: Location) -> type[BaseModel] | None:
    """Return the class that describes the mapping at the parent of a location."""
    current: Any = annotation
    for key in location:
        current = _class_inside(current)
        if current is None:
            return None
        if isinstance(key, str) and key in current.model_fields:
            current = current.model_fields[key].annotation
    return _class_inside(current)


def _class_inside(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (list, dict, Union, types.UnionType) or get_args(annotation):
        for inner in get_args(annotation):
            if found := _class_inside(inner):
                return found
    return None


def field_at(record_class: type[BaseModel], location: Location) -> FieldInfo | None:
    """Return the field that a location ends in; None inside a list or a free mapping."""
    owner = model_at(record_class, location[:-1])
    fields = {
        info.alias or name: info for name, info in (owner.model_fields if owner else {}).items()
    }
    return fields.get(location[-1]) if location else None  # type: ignore[call-overload]


def form_of(annotation: Any) -> str:
    """Return what a field may hold, in words."""
    inner = get_args(annotation)
    match get_origin(annotation):
        case origin if origin is Annotated:
            return form_of(inner[0])
        case origin if origin is Literal:
            return f"one of {', '.join(map(str, inner))}"
        case origin if origin in (Union, types.UnionType):
            forms = [form_of(each) for each in inner if each is not type(None)]
            if date in inner:
                forms = ["a date: YYYY-MM-DD" + (" or YYYY-MM" if len(forms) > 1 else "")]
            return " or ".join(dict.fromkeys(forms)) + ", or null" * (type(None) in inner)
        case origin if origin is list:
            below = _class_inside(inner[0])
            return f"a list, each entry {form_of(below)}" if below else "a list"
        case origin if origin is dict:
            return "a mapping"
    if annotation is Text:
        return "a text in both languages, `en` and `zh`"
    if _class_inside(annotation):
        return f"a mapping with {listed(_wanted(annotation))}"
    return SCALARS.get(annotation, "a value")


def _wanted(record_class: type[BaseModel]) -> list[str]:
    """Return the fields that a class needs, or all that it knows where it needs none."""
    fields = {info.alias or name: info for name, info in record_class.model_fields.items()}
    return [name for name, info in fields.items() if info.is_required()] or list(fields)


def schema_findings(
    document: Document, record_class: type[BaseModel], errors: Sequence[Any], ids: Ids
) -> list[Finding]:
    """Return one finding for every field that the errors of a schema point at."""
    fields: dict[str, list[Any]] = {}
    for error in errors:
        at = field_name(error["loc"], document.data)
        if error["type"] == "missing":
            at = join(field_name(error["loc"][:-1], document.data), error["loc"][-1])
        fields.setdefault(at, []).append(error)
    return sorted(
        _finding(document, record_class, at, alternatives, ids)
        for at, alternatives in fields.items()
    )


def _finding(
    document: Document, record_class: type[BaseModel], at: str, errors: list[Any], ids: Ids
) -> Finding:
    """Return the finding at a field; several errors are what it could have been instead."""
    value = value_at(document.data, errors[0]["loc"])
    first = errors[0]["type"]
    info = field_at(record_class, tuple(k for k in errors[0]["loc"] if k != "[key]"))
    if first == "missing":
        expected, fix = _missing(at, info)
        value = ""
    elif first == "extra_forbidden":
        expected, fix = _extra(model_at(record_class, errors[0]["loc"][:-1]), errors[0]["loc"][-1])
        value = str(errors[0]["loc"][-1])
    elif first.startswith("date"):
        expected, fix = _date(value, month=len(errors) > 1)
    else:
        answers = [_answer(error, at, value, info, ids) for error in errors]
        expected = " or ".join(dict.fromkeys(each for each, _ in answers))
        fix = answers[0][1]
    return document.finding(
        rule=f"schema/{first.replace('_', '-')}", at=at, expected=expected, got=spelled(value),
        fix=fix,
    )  # fmt: skip


def _missing(at: str, info: FieldInfo | None) -> tuple[str, str]:
    name = at.rpartition(".")[2]
    form = form_of(info.annotation) if info else "a value"
    below = _class_inside(info.annotation) if info else None
    if name in LANGUAGES:
        return (
            f"the same text in {LANGUAGES[name]}",
            f"add `{name}:` and say it in {LANGUAGES[name]}",
        )
    if below is Text:
        return f"`{name}`: {form}", f"add `{name}:` with `en:` and `zh:` below it"
    if below:
        names = ", ".join(f"`{each}`" for each in _wanted(below))
        return f"`{name}`: {form}", f"add `{name}:` with {names} below it"
    null = ", or null where nobody knows" if form.endswith("null") else ""
    return f"`{name}`: {form}", f"add `{name}:` with its value{null}"


def _extra(owner: type[BaseModel] | None, key: str | int) -> tuple[str, str]:
    names = [info.alias or name for name, info in owner.model_fields.items()] if owner else []
    expected = f"one of {listed(names, str(key))}" if names else "no such field"
    return expected, renamed(str(key), names, "delete it")


def _date(value: Any, *, month: bool) -> tuple[str, str]:
    expected = "YYYY-MM-DD" + (", or YYYY-MM where the day is not known" if month else "")
    if isinstance(value, int) and not isinstance(value, bool):
        year = f', or quote the year: "{value}"' if month else ""
        return expected, f"write the whole date{year}"
    text = str(value or "").strip(QUOTES)
    day_first = DAY_FIRST.fullmatch(text)
    written = "{2}-{1:0>2}-{0:0>2}".format(*day_first.groups()) if day_first else text
    try:
        return expected, f"write {date.fromisoformat(written)}" + _unquoted(written, value)
    except ValueError:
        if ISO_DATE.fullmatch(written):
            return expected, "correct the month or the day; there is no such date"
    return expected, "write the year first, such as 2026-11-29"


def _unquoted(right: str, value: Any) -> str:
    """Say that quotes are the fault, where they are all that is wrong."""
    return ", without quotes" if right == value else ""


def _answer(error: Any, at: str, value: Any, info: FieldInfo | None, ids: Ids) -> tuple[str, str]:
    """Return what is expected of a value, and what to do."""
    match error["type"]:
        case "literal_error":
            return _literal(error["ctx"]["expected"], value)
        case "string_pattern_mismatch":
            return _pattern(error["ctx"]["pattern"], at, value, ids)
        case "string_type":
            return _text(at, value)
        case "is_instance_of" | "decimal_type" | "float_type":
            return _number(value, whole=False)
        case "int_type" | "int_from_float":
            return _number(value, whole=True)
        case "bool_type":
            word = str(value).lower()
            known = "true" if word in YES else "false" if word in NO else "true` or `false"
            return "true or false", f"write `{known}`, without quotes"
        case "model_type" | "dict_type" | "list_type":
            return _container(error["type"], at, value, info)
        case kind if kind in LIMITS:
            expected = LIMITS[kind].format(**error["ctx"]) + _described(info, kind)
            return expected, "fill it in" if value in ("", [], {}) else "correct the value"
    message = error["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    return message, "fill it in" if value == "" else "correct the value"


def _literal(choices: str, value: Any) -> tuple[str, str]:
    known = re.findall("'(.*?)'", choices)
    near = get_close_matches(re.sub("[ _]", "-", str(value).lower()), known, n=1)
    fix = f"write `{near[0]}`" if near else "choose one of the list"
    return f"one of {', '.join(known)}", fix


def _text(at: str, value: Any) -> tuple[str, str]:
    kind = KIND_OF_FIELD.get(_key(at))
    expected = _id_of(kind) if kind else "text"
    if value is None:
        return expected, f"name a {_key(at)}" if kind else "write it, or delete the line"
    if isinstance(value, (dict, list)):
        return expected, "write one text, not several"
    return expected, f'quote it: "{str(value).lower() if isinstance(value, bool) else value}"'


def _id_of(kind: str) -> str:
    return f"the id of a record in data/{kind}/"


def _key(at: str) -> str:
    """Return the key that a field stands under: `model`, and `engine` for the name of an engine."""
    names = re.sub(r"\[\d+\]", "", at).split(".")
    return "engine" if names[-2:] == ["engine", "name"] else names[-1]


def _pattern(pattern: str, at: str, value: str, ids: Ids) -> tuple[str, str]:
    kind = KIND_OF_FIELD.get(_key(at)) if pattern == SLUG else None
    expected = _id_of(kind) if kind else FORMS.get(pattern, f"text like {pattern}")
    right = _respelled(pattern, at, value.strip(QUOTES), ids)
    if value == "":
        return expected, "fill it in"
    return expected, f"write {right}" if right else "write it in this form"


def _respelled(pattern: str, at: str, text: str, ids: Ids) -> str | None:
    """Return the right spelling of a text, where one can be guessed."""
    slug = re.sub(r"[^a-z0-9.+-]+", "-", text.lower()).strip("-")
    if pattern == SLUG:
        known = ids.get(KIND_OF_FIELD.get(_key(at), ""), ())
        near = get_close_matches(slug, known, n=1)
        return f"`{near[0] if near else slug}`" if slug else None
    if pattern == VERSION and (found := re.search(r"\d+(\.\d+)+[A-Za-z0-9.+-]*", text)):
        return f'"{found[0]}"'
    if pattern == NAME:
        return f"`{re.sub('[^a-z0-9_]+', '_', text.lower()).strip('_')}`"
    if pattern == REPOSITORY and re.match(REPOSITORY, found := ADDRESS.sub("", text)):
        return f"`{found}`"
    if pattern == URL and re.match(r"^[\w-]+(\.[\w-]+)+/", text):
        return f"`https://{text}`"
    if pattern == REFERENCE:
        kinds = [kind for kind, names in ids.items() if slug in names]
        return f"`{kinds[0]}/{slug}`" if kinds else None
    return None


def _number(value: Any, *, whole: bool) -> tuple[str, str]:
    expected = "a whole number, without unit" if whole else (
        "a number with a decimal point, without unit"
    )  # fmt: skip
    figure = FIGURE.fullmatch(value.strip(QUOTES)) if isinstance(value, str) else None
    number = figure[1].replace(",", ".") if figure else ""
    three = bool(figure) and re.search(r",\d{3}$", figure[1])  # thousands, or a decimal comma
    if number and not three and not (whole and "." in number):
        return expected, f"write {Decimal(number)}" + _unquoted(number, value)
    if value in ("", None):
        return expected, "fill it in"
    return expected, "write " + ("a whole number" if whole else "digits and a decimal point only")


def _container(kind: str, at: str, value: Any, info: FieldInfo | None) -> tuple[str, str]:
    name = _key(at)
    form = (form_of(info.annotation) if info else SHAPES[kind]) + _described(info, kind)
    below = _class_inside(info.annotation) if info else None
    leave = "" if info is None or info.is_required() else ", or delete the line"
    if kind == "list_type" and below:
        first = f"- {_wanted(below)[0]}: …"
        return form, f"write its entries below it, each from `{first}` on{leave}"
    if kind == "list_type":
        entries = value if isinstance(value, str) and value else "first, second"
        return form, f"write `{name}: [{entries}]`{leave}"
    if below is Text:
        return form, f"write `en:` and `zh:` below it{leave}"
    entries = f", such as `{_wanted(below)[0]}: …`" if below else ", each as `name: value`"
    return form, f"write its entries below it{entries}{leave}"


def _described(info: FieldInfo | None, kind: str) -> str:
    """Return what the entries of a list are, where the class says it."""
    is_list = kind in ("list_type", "too_short", "too_long")
    return f": {info.description}" if info and info.description and is_list else ""


SHAPES = {"model_type": "a mapping", "dict_type": "a mapping", "list_type": "a list"}
