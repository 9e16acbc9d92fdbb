"""Commands of pitfalls are read and folded without changing what they do."""

import shlex

import pytest

from macros.pitfalls import folded, launches, simple_commands

COMMANDS = [
    "vllm serve a/B --max-num-seqs 8 --served-model-name 'x -y'"
    ' --speculative-config \'{"method":"mtp"}\'',
    "docker run --rm --gpus all -e A=b -v ~/.cache:/root/.cache"
    " vllm/vllm-openai:v0.28.0 a/B --max-num-seqs 8",
    'docker run --rm -v "$HOME/a b:/x" nvcr.io/nvidia/vllm:26.08-py3'
    " vllm serve a/B --gpu-memory-utilization 0.5",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folded_command_has_the_same_words(command):
    text = folded(command, width=20)
    assert len(text.splitlines()) > 1
    assert shlex.split(text.replace("\\\n", "")) == shlex.split(command)


@pytest.mark.parametrize(
    "command",
    [
        "docker logs x 2>&1 | grep -F 'a very long line of text that goes on' | tail -n 5 | cat",
        "python3 -m venv ~/vllm-0.28.0 && ~/vllm-0.28.0/bin/pip install vllm==0.28.0 --no-cache",
        "vllm serve a/B",
    ],
)
def test_what_starts_no_server_or_is_short_stays_as_it_is(command):
    assert folded(command) == command


def test_a_launch_has_its_image_variables_and_flags():
    (launch,) = launches(COMMANDS[1])
    assert launch.image == "vllm/vllm-openai:v0.28.0"
    assert launch.variables == {"A": "b"}
    assert launch.flags == {"model": ["a/B"], "--max-num-seqs": ["8"]}


def test_the_engine_may_stand_after_the_image():
    (launch,) = launches(COMMANDS[2])
    assert launch.image == "nvcr.io/nvidia/vllm:26.08-py3"
    assert launch.flags == {"model": ["a/B"], "--gpu-memory-utilization": ["0.5"]}


def test_variables_before_a_server_and_exported_ones_are_read():
    first, second = launches("export VLLM_A=1 && VLLM_B=2 vllm serve a/B --host 127.0.0.1")
    assert first.variables == {"VLLM_A": "1"}
    assert second.variables == {"VLLM_B": "2"}


def test_another_program_in_the_image_is_no_server():
    assert launches("docker run --entrypoint python3 vllm/vllm-openai:v0.28.0 -c 'import x'") == []


def test_an_open_quote_yields_nothing():
    assert list(simple_commands("echo 'a")) == []
