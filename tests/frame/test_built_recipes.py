"""What a reader copies from a built page of a recipe, in any language, is what its record says."""

import html
import re

import pytest

from macros.library import load
from macros.recipes import OF_THE_FORM, recorded_arguments
from macros.records import Checkpoint, Recipe
from tests.conftest import ROOT
from tests.macros.test_recipes import arguments_of_shell

STARTS = re.compile(r"^(?:docker run --detach|vllm serve|llama-server) ", re.M)
BLOCK = re.compile(r"<pre[^>]*><code[^>]*>(.*?)</code></pre>", re.S)


@pytest.mark.parametrize("language", ["zh", "en", "zh-Hant"])
def test_commands_of_built_pages_equal_the_record(built_site, language):
    library, _ = load(ROOT)
    for recipe in library.records(Recipe):
        page = (built_site / language / "recipes" / recipe.id / "index.html").read_text("utf-8")
        blocks = [html.unescape(re.sub(r"<[^>]+>", "", each)) for each in BLOCK.findall(page)]
        commands = [each for each in blocks if STARTS.search(each)]
        assert commands, recipe.id
        record = recorded_arguments(recipe, library.get(Checkpoint, recipe.checkpoint))
        for command in commands:
            found = arguments_of_shell(command, recipe)
            own = {key: words for key, words in found.items() if key not in OF_THE_FORM}
            assert own == record, (language, recipe.id)
