"""Every form of every recipe parses, validates, and says what the record says."""

import html
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from configparser import ConfigParser
from functools import cache

import jsonschema
import pytest
import yaml
from py_mini_racer import MiniRacer

from macros import library as library_module
from macros.diagnose.knowledge import knowledge
from macros.diagnose.runner import Diagnoser
from macros.plans import draft_of, expectations, load_of, memory_plan, start_limit, start_up
from macros.recipes import (
    MODEL_KEY,
    PORT,
    Form,
    argument_words,
    forms,
    parsed_arguments,
    recorded_arguments,
    served_arguments,
    start_limit_s,
)
from macros.records import Checkpoint, Recipe
from macros.rendering.pages import builder as builder_pages
from macros.rendering.pages import recipes as pages
from tests.conftest import ROOT

OF_THE_FORM = {"--host", "--port", "--node-rank", "--headless"}
BLOCK = re.compile(r"<pre><code>(.*?)</code></pre>", re.S)


@cache
def library():
    """Return the library of this project."""
    return library_module.load(ROOT)[0]


def recipes() -> list[Recipe]:
    """Return every recipe."""
    return list(library().records(Recipe))


@cache
def schema(name: str) -> jsonschema.Draft7Validator:
    """Return the validator of a schema kept beside the tests."""
    text = (ROOT / "tests" / "schemas" / f"{name}.json").read_text("utf-8")
    return jsonschema.Draft7Validator(json.loads(text))


@cache
def pages_in(language: str):
    """Return the pages of recipes in a language."""
    return pages.pages(library(), language)


def forms_of(recipe: Recipe) -> dict[str, Form]:
    """Return the forms of a recipe by name."""
    return {form.name: form for form in pages.recipe_forms(library(), recipe)}


def of_the_record(found: dict[str, list[str]], recipe: Recipe) -> dict[str, list[str]]:
    """Leave out what a form adds for its own machine."""
    own = recorded_arguments(recipe, library().get(Checkpoint, recipe.checkpoint))
    return {key: words for key, words in found.items() if key in own or key not in OF_THE_FORM}


def expected(recipe: Recipe) -> dict[str, list[str]]:
    """Return the arguments of a record."""
    return recorded_arguments(recipe, library().get(Checkpoint, recipe.checkpoint))


def arguments_of_shell(code: str, recipe: Recipe) -> dict[str, list[str]]:
    """Return the engine's arguments of a shell command."""
    words = shlex.split(code.replace("\\\n", " "))
    if "docker" in words[:2]:
        words = words[words.index(recipe.engine.image) + 1 :]
    else:
        start = words.index("llama-server") if "llama-server" in words else words.index("serve")
        words = words[start + 1 :]
    return parsed_arguments(words)


def each(chosen: list[Recipe]):
    """Return the mark that runs a test for each of some recipes."""
    return pytest.mark.parametrize("recipe", chosen, ids=[recipe.id for recipe in chosen])


each_recipe = each(recipes())
each_in_a_container = each([one for one in recipes() if one.engine.image and one.num_nodes == 1])


def test_there_are_enough_recipes():
    assert len(recipes()) >= 24
    assert sum(recipe.num_nodes == 1 for recipe in recipes()) >= 16


@each_recipe
def test_shell_forms_parse(recipe):
    for form in forms_of(recipe).values():
        if form.syntax == "bash":
            for command in (["bash", "-n"], ["shellcheck", "--shell=bash", "-"]):
                if shutil.which(command[0]):
                    ran = subprocess.run(command, input=form.text, text=True, capture_output=True)
                    assert ran.returncode == 0, f"{form.name}: {ran.stdout}{ran.stderr}"


@each_recipe
def test_shell_forms_carry_the_record(recipe):
    for form in forms_of(recipe).values():
        if form.syntax == "bash":
            found = arguments_of_shell(form.text, recipe)
            found = {key: words for key, words in found.items() if key not in OF_THE_FORM}
            assert found == expected(recipe), form.name


@each_in_a_container
def test_compose_validates_and_carries_the_record(recipe):
    form = forms_of(recipe)["compose"]
    document = yaml.safe_load(form.text)
    schema("compose-spec").validate(document)
    (service,) = document["services"].values()
    assert of_the_record(parsed_arguments(service["command"]), recipe) == expected(recipe)
    assert service["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]
    assert {key: str(value) for key, value in recipe.engine.environment.items()} == {
        key: str(value) for key, value in service.get("environment", {}).items()
    }


@each_in_a_container
def test_kubernetes_validates_and_waits_long_enough(recipe):
    form = forms_of(recipe)["kubernetes"]
    documents = list(yaml.safe_load_all(form.text))
    for document in documents:
        schema("kubernetes-deployment-service").validate(document)
    (container,) = documents[0]["spec"]["template"]["spec"]["containers"]
    assert of_the_record(parsed_arguments(container["args"]), recipe) == expected(recipe)
    probe = container["startupProbe"]
    assert probe["periodSeconds"] * probe["failureThreshold"] >= start_limit(library(), recipe) - 10
    assert probe["periodSeconds"] * probe["failureThreshold"] >= 900
    assert any(entry["name"].endswith("_API_KEY") for entry in container["env"])


@each_in_a_container
def test_systemd_unit_carries_the_record(recipe):
    form = forms_of(recipe)["systemd"]
    unit = ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    unit.optionxform = str
    unit.read_string(form.text.replace("\\\n", " "))
    words = shlex.split(unit["Service"]["ExecStart"].replace("%%", "%").replace("$$", "$"))
    found = parsed_arguments(words[words.index(recipe.engine.image) + 1 :])
    assert of_the_record(found, recipe) == expected(recipe)
    assert int(unit["Service"]["TimeoutStartSec"]) > start_limit(library(), recipe)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_copied_commands_equal_the_record(language):
    made = pages_in(language)
    for recipe in recipes():
        blocks = BLOCK.findall(made[f"recipes/{recipe.id}.md"].markdown)
        shown = [html.unescape(re.sub(r"<[^>]+>", "", block)) for block in blocks]
        wanted = [form.text.strip("\n") for form in forms_of(recipe).values()]
        assert [text for text in shown if text in wanted] == wanted
        for text in shown[len(wanted) :]:
            assert subprocess.run(["bash", "-n"], input=text, text=True).returncode == 0


@pytest.mark.parametrize("language", ["en", "zh"])
def test_pages_state_the_calculated_numbers(language):
    for recipe in recipes():
        text = pages_in(language)[f"recipes/{recipe.id}.md"].markdown
        plain = html.unescape(re.sub(r"<[^>]+>", " ", text))
        for known in expectations(library(), recipe):
            assert f"{known.answer.ceiling_tokens_per_s:.1f}" in plain.replace("\u202f", "")
        assert f'id="{recipe.id}"' not in text


def test_no_form_listens_to_the_network():
    for recipe in recipes():
        for form in forms_of(recipe).values():
            assert f"{PORT}:{PORT}" not in form.text.replace(f"127.0.0.1:{PORT}:{PORT}", "")
            assert "--trust-remote-code" not in form.text
            if form.name == "serve":
                assert "--host 127.0.0.1" in form.text


def test_a_switch_is_written_as_the_engine_has_it():
    assert argument_words("--enable-x", True) == ["--enable-x"]
    assert argument_words("--enable-x", False) == ["--no-enable-x"]
    assert argument_words("--names", ["a", "b"]) == ["--names", "a", "b"]
    assert argument_words("--config", {"a": [1, "b"]}) == ["--config", '{"a":[1,"b"]}']


def test_parsed_arguments_read_both_spellings():
    found = parsed_arguments(["a/model", "--x=1", "--y", "2", "3", "--z"])
    assert found == {MODEL_KEY: ["a/model"], "--x": ["1"], "--y": ["2", "3"], "--z": []}


def test_a_form_without_an_argument_stays_whole():
    recipe = library().get(Recipe, "qwen3.6-35b-a3b-redhat-nvfp4-mtp1")
    form = forms_of(recipe)["docker"]
    lines = tuple(line for line in form.lines if line[0] != "--speculative-config")
    shorter = Form(form.name, form.syntax, form.before, lines, form.separator, form.after)
    assert subprocess.run(["bash", "-n"], input=shorter.text, text=True).returncode == 0
    found = arguments_of_shell(shorter.text, recipe)
    assert "--speculative-config" not in found
    assert found["--reasoning-parser"] == ["qwen3"]


def test_the_probe_waits_half_again_the_longest_start():
    assert start_limit_s(recipes()[0], None) == 900
    assert start_limit_s(recipes()[0], 100) == 900
    assert start_limit_s(recipes()[0], 1000) == 1500
    assert start_limit_s(recipes()[0], 1001) == 1560


def test_drafts_are_read_from_the_arguments():
    recipe = library().get(Recipe, "qwen3.6-35b-a3b-nvidia-nvfp4-mtp3")
    assert (draft_of(recipe).method, draft_of(recipe).num_tokens) == ("mtp", 3)
    load = load_of(recipe, context_tokens=0)
    assert (load.draft, load.draft_tokens, load.kv_format) == ("mtp", 3, "fp8")
    assert draft_of(library().get(Recipe, "gpt-oss-20b-vllm")).method == "none"


def test_conversion_at_load_raises_the_ceiling_and_is_untested():
    converted = [
        recipe for recipe in recipes() if "--quantization-config" in recipe.engine.arguments
    ]
    assert len(converted) >= 3
    for recipe in converted:
        assert recipe.status == "untested"
        plain = recipe.model_copy(update={"load_as": None})
        before, after = (expectations(library(), one)[0] for one in (plain, recipe))
        assert after.answer.ceiling_tokens_per_s > before.answer.ceiling_tokens_per_s


def test_a_longer_context_needs_more_memory():
    recipe = library().get(Recipe, "qwen3.5-122b-a10b-int4-autoround-mtp2")
    longer = recipe.model_copy(update={"planned_context_tokens": 262144})
    short, long = memory_plan(library(), recipe), memory_plan(library(), longer)
    assert short.weight_bytes == long.weight_bytes
    assert long.kv_cache_bytes == pytest.approx(2 * short.kv_cache_bytes)


def test_a_bigger_file_starts_later():
    small, big = (
        start_up(library(), library().get(Recipe, name))
        for name in ("qwen3.6-35b-a3b-redhat-nvfp4-mtp1", "qwen3.5-122b-a10b-int4-autoround-mtp2")
    )
    assert small.low_s < small.high_s < big.high_s
    assert not small.measured


def test_of_several_machines_the_first_and_the_others_have_a_command():
    made = forms_of(library().get(Recipe, "qwen3.5-397b-a17b-nvfp4-four-sparks"))
    assert [name for name in made if name.startswith("serve")] == ["serve", "serve-1"]
    assert "--node-rank 0" in made["serve"].text and "--headless" not in made["serve"].text
    assert '--node-rank "$NODE_RANK"' in made["serve-1"].text
    assert "--headless" in made["serve-1"].text and "--host" not in made["serve-1"].text
    two = forms_of(library().get(Recipe, "qwen3.5-122b-a10b-fp8-two-sparks"))
    assert "--node-rank 1 " in two["docker-1"].text.replace("\\", " ")


def test_forms_are_made_from_the_record_alone():
    recipe = recipes()[0]
    checkpoint = library().get(Checkpoint, recipe.checkpoint)
    assert [form.text for form in forms(recipe, checkpoint, 900)] == [
        form.text for form in forms(recipe, checkpoint, 900)
    ]
    keys = [key for key, _ in served_arguments(recipe, checkpoint)]
    assert keys[0] == MODEL_KEY and set(recipe.engine.arguments) <= set(keys)


OPTIONS = (
    {"context": "8192"},
    {"requests": "1", "tools": "off"},
    {"drafts": "off", "caching": "on"},
    {"kv": "auto", "network": "open"},
    {"context": "16384", "requests": "2", "drafts": "off", "caching": "off", "network": "open"},
)


@pytest.fixture(scope="module")
def build() -> Iterator[Callable[..., str]]:
    """Yield the function of the browser that puts a command together, with its data."""
    source = (ROOT / "docs" / "assets" / "js" / "command_forms.js").read_text("utf-8")
    context = MiniRacer()
    context.eval(re.sub(r"^export ", "", source, flags=re.MULTILINE))
    context.eval(f"const data = {builder_pages.files(library())[builder_pages.DATA]};")
    context.eval(
        "const build = (id, name, options, fraction) => {"
        " const recipe = data.recipes[id], form = recipe.forms.find((each) => each.name === name);"
        " const whole = { ...optionsOf(recipe), ...options };"
        " const changes = changesOf(recipe, whole, fraction);"
        " const open = whole.network === 'open';"
        " return textOf(form, changes, data.templates, data.of_the_form, open); };"
    )
    yield lambda *inputs: context.call("build", *inputs)
    context.close()


def with_options(recipe: Recipe, options: dict[str, str]) -> Recipe:
    """Return a recipe whose arguments are changed as the builder changes them."""
    arguments = dict(recipe.engine.arguments)
    llama = recipe.engine.name == "llama.cpp"
    names = builder_pages.FLAGS["llama.cpp" if llama else "vllm"]
    for option in ("context", "requests"):
        if option in options and names[option] in arguments:
            arguments[names[option]] = int(options[option])
    if options.get("drafts") == "off":
        arguments.pop(names.get("drafts"), None)
    on = arguments.get("--enable-prefix-caching", False) is not False
    if "caching" in options and not llama and (options["caching"] == "on") != on:
        arguments["--enable-prefix-caching"] = options["caching"] == "on"
    if options.get("tools") == "off":
        arguments.pop("--enable-auto-tool-choice", None)
        arguments.pop("--tool-call-parser", None)
    if options.get("kv") == "auto":
        arguments.pop("--kv-cache-dtype", None)
    engine = recipe.engine.model_copy(update={"arguments": arguments})
    return recipe.model_copy(update={"engine": engine})


@each_recipe
def test_the_builder_gives_the_recipe_as_it_stands(recipe, build):
    for name, form in forms_of(recipe).items():
        assert build(recipe.id, name, {}, None) == form.text


@each_recipe
def test_the_builder_gives_what_the_changed_record_would(recipe, build):
    checkpoint = library().get(Checkpoint, recipe.checkpoint)
    for options in OPTIONS:
        changed = with_options(recipe, options)
        wanted = forms(
            changed, checkpoint, start_limit(library(), recipe),
            network=options.get("network") == "open",
        )  # fmt: skip
        for form in wanted:
            got = build(recipe.id, form.name, options, None)
            assert got == form.text, (options, form.name)


def test_the_builder_raises_the_memory_fraction_in_place(build):
    text = build("qwen3.6-35b-a3b-redhat-nvfp4-mtp1", "docker", {}, "0.72")
    assert "--gpu-memory-utilization 0.72 \\\n  --no-enable-prefix-caching" in text


@pytest.fixture(scope="module")
def diagnoser() -> Iterator[Diagnoser]:
    """Yield the diagnosis that also reads the commands of readers."""
    made = Diagnoser(knowledge(library()))
    yield made
    made.close()


@each_recipe
def test_the_diagnosis_of_a_recipe_has_no_surprise(recipe, diagnoser):
    version = None if recipe.engine.name == "llama.cpp" else recipe.engine.version
    for form in forms_of(recipe).values():
        if form.syntax != "bash":
            continue
        for finding in diagnoser.diagnose(form.text, version)["findings"]:
            assert finding["severity"] != "error", (form.name, finding)
            if finding["severity"] == "warning":
                assert finding["pitfall"] in recipe.pitfalls, (form.name, finding)
