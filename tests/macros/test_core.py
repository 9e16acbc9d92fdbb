"""Loading, library, schema, templates and tidying keep every value and name every fault."""

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import jsonschema
import pytest

from macros.findings import Finding, listed, report
from macros.library import load, validate
from macros.loading import load_file, load_text
from macros.records import KINDS, Checkpoint, Measurement
from macros.schema import SINGULAR, schemas, template
from macros.style import tidy, write_whole

ROOT = Path(__file__).resolve().parents[2]
HEALTHY = ROOT / "tests" / "cases" / "healthy"


def data_of(text: str):
    document, findings = load_text(text, "file.yaml")
    assert findings == []
    return document.data


def test_only_five_plain_forms_are_not_text():
    text = (
        "a: null\nb: true\nc: 12\nd: 0.10\ne: 2026-11-29\n"
        "f: no\ng: 010\nh: 12:30:00\ni: 20.9e9\nj: '0.10'\nk: ~\nl: 2026-13-41\n"
    )
    assert data_of(text) == {
        "a": None, "b": True, "c": 12, "d": Decimal("0.10"), "e": date(2026, 11, 29),
        "f": "no", "g": "010", "h": "12:30:00", "i": "20.9e9", "j": "0.10", "k": "~",
        "l": "2026-13-41",
    }  # fmt: skip


def test_decimals_stay_as_stated():
    assert str(data_of("x: 116.10\n")["x"]) == "116.10"


def test_lines_are_known_for_every_field():
    document, _ = load_text("a:\n  - b: 1\n    c: 2\n  - b: 3\n", "file.yaml")
    assert document.line("a[0].c") == 3 and document.line("a[1].b") == 4
    assert document.line("a[1].missing") == 4 and document.line("nowhere") == 1


@pytest.mark.parametrize("text", ["", "# only a comment\n", "- a list\n", "just text\n"])
def test_a_file_is_one_mapping(text):
    document, findings = load_text(text, "file.yaml")
    assert document is None and findings[0].rule == "yaml/mapping"


def test_binary_file_is_a_finding_and_not_a_crash(tmp_path):
    path = tmp_path / "data.yaml"
    path.write_bytes(b"\xff\xfe\x00bad")
    document, findings = load_file(path, tmp_path)
    assert document is None and findings[0].rule == "yaml/syntax"


def test_all_faults_of_a_file_are_reported_at_once():
    text = (HEALTHY / "data/checkpoints/somebody-small-moe-nvfp4.yaml").read_text("utf-8")
    text = text.replace("quantization: nvfp4", "quantisation: nvfp4").replace(
        "weight_format: safetensors", "weight_format: safetensor"
    )
    document, _ = load_text(text, "data/checkpoints/x.yaml")
    record, findings = validate(document, Checkpoint)
    assert record is None
    assert {finding.field for finding in findings} == {
        "quantization", "quantisation", "weight_format",
    }  # fmt: skip


def test_numbers_are_not_words_and_words_are_not_numbers():
    text = (HEALTHY / "data/measurements/2026-01-10-vllm-small.yaml").read_text("utf-8")
    for wrong in ("decode_tokens_per_s: fast", "decode_tokens_per_s: true"):
        document, _ = load_text(text.replace("decode_tokens_per_s: 1000.5", wrong), "x.yaml")
        assert validate(document, Measurement)[0] is None


def test_report_caps_one_rule_and_counts_all():
    many = [Finding(f"data/{n}.yaml", 1, "a/b", "x", "1", "2", "3") for n in range(9)]
    text = report(many, num_records=20)
    assert text.count("a/b: x") == 5 and "… and 4 more of a/b" in text
    assert text.endswith("9 findings in 9 files; 11 records are well-formed.")
    assert "python -m macros check --all" in text
    assert report(many, num_records=20, most_of_one_rule=9).count("a/b: x") == 9
    assert report([], num_records=20) == "20 records, no findings."


def test_long_lists_of_names_show_the_nearest():
    names = ["one", "two", "three", "four", "five", "six", "seven"]
    assert listed(names[:5], "six") == "one, two, three, four, five"
    assert listed(names, "sixx").startswith("six, ")
    assert listed(names, "sixx").endswith(", … and 2 more")


@pytest.mark.parametrize("kind", KINDS)
def test_template_holds_every_field_in_order(kind):
    text = template(kind, "an-id")
    positions = []
    for name, info in KINDS[kind].model_fields.items():
        spelled = f"{info.alias or name}:"
        lines = enumerate(text.splitlines())
        found = [n for n, line in lines if line.lstrip("# ").startswith(spelled)]
        assert found, f"{spelled} is missing"
        positions.append(found[0])
    assert text.startswith("# ") and "id: an-id" in text


def test_template_opens_the_fields_below_a_field_that_is_required():
    text = template("measurements", "an-id")
    assert "\n    results:\n      # decode_tokens_per_s: null\n" in text


def test_schemas_are_fresh_and_accept_the_data():
    on_disk = {path.name: path.read_text("utf-8") for path in (ROOT / "schemas").glob("*.json")}
    assert on_disk == schemas(), "run: python -m macros fix"
    library, _ = load(HEALTHY)
    for kind, entries in library.kinds.items():
        schema = json.loads(on_disk[f"{SINGULAR[kind]}.schema.json"])
        jsonschema.Draft202012Validator.check_schema(schema)
        for entry in entries.values():
            plain = json.loads(json.dumps(entry.document.data, default=lambda value: float(value)
                               if isinstance(value, Decimal) else str(value)))  # fmt: skip
            jsonschema.validate(plain, schema)


def test_tidy_orders_fields_quotes_text_and_keeps_values():
    text = "name: X\nid: small   \n# about the model\nmodel: 0.10\n\n\n"
    document, _ = load_text(text, "x.yaml")
    tidied = tidy(text, Checkpoint, document)
    assert tidied == 'id: small\nname: X\n# about the model\nmodel: "0.10"\n'


def test_tidy_changes_nothing_in_our_own_data():
    library, findings = load(ROOT)
    assert findings == []
    for kind in ("checkpoints", "models", "claims", "causes", "hardware", "faq"):
        for entry in library.kinds[kind].values():
            text = (ROOT / entry.document.path).read_text("utf-8")
            assert tidy(text, KINDS[kind], entry.document) == text, entry.document.path


def test_failed_write_leaves_the_old_file_whole(tmp_path, monkeypatch):
    path = tmp_path / "record.yaml"
    write_whole(path, "old\n")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("macros.style.os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write_whole(path, "new and longer\n")
    assert path.read_text("utf-8") == "old\n" and list(tmp_path.iterdir()) == [path]
