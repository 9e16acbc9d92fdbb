"""One recipe as docker run, Compose, the engine's own command, a systemd unit and Kubernetes.

Every form is made from the record and from nothing else. A form is kept in pieces, one an
argument, so that a reader may leave an argument out and still get the same text.
"""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from macros.records import ArgumentValue, Checkpoint, Recipe

PORT = 8000
LOCAL = "127.0.0.1"
ANY = "0.0.0.0"
PROBE_PERIOD_S = 10
SHORTEST_START_LIMIT_S = 900
MODEL_KEY = "model"
HUGGINGFACE = "/root/.cache/huggingface"
COMPILED = "/root/.cache/vllm"
SERVED_CACHE = "/srv/huggingface"
RANK = "$NODE_RANK"
OF_THE_FORM = ("--node-rank", "--headless", "--host", "--port")
SERVERS = {"llama.cpp": ("llama-server",)}
MODEL_FLAGS = {"llama.cpp": "--hf-repo"}


@dataclass(frozen=True)
class Form:
    """A text in pieces: what stands before, one line an argument, and what stands after."""

    name: str
    syntax: str
    before: str
    lines: tuple[tuple[str, str], ...]
    separator: str
    after: str = "\n"

    @property
    def text(self) -> str:
        """Return the whole text."""
        return self.before + self.separator.join(line for _, line in self.lines) + self.after


def spelled(value: ArgumentValue) -> str:
    """Return one value as the command line has it; mappings and lists as compact JSON."""
    if isinstance(value, (dict, list)):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=_plain)
    if isinstance(value, Decimal):
        return f"{value:f}"
    return str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    raise TypeError(f"{value!r} has no JSON form")


def argument_words(flag: str, value: ArgumentValue) -> list[str]:
    """Return a flag with its value as words: a bare flag for true, `--no-…` for false."""
    if value is True or value is None:
        return [flag]
    if value is False:
        return [f"--no-{flag.removeprefix('--')}"]
    if isinstance(value, list) and all(not isinstance(item, (dict, list)) for item in value):
        return [flag, *(spelled(item) for item in value)]
    return [flag, spelled(value)]


def model_of(recipe: Recipe, checkpoint: Checkpoint) -> str:
    """Return what the engine is asked to load: a path, or the repository."""
    return recipe.model_path or checkpoint.repository or checkpoint.name


def container_name(recipe: Recipe) -> str:
    """Return a name for the container and for what belongs to it."""
    return recipe.served_name.lower().replace("/", "-").replace(".", "-").replace("_", "-")


def served_arguments(
    recipe: Recipe, checkpoint: Checkpoint, extra: Mapping[str, ArgumentValue] = {}
) -> list[tuple[str, list[str]]]:
    """Return (key, words) of the model, the served name, every flag, and those of a form."""
    model = model_of(recipe, checkpoint)
    name_flag = "--alias" if recipe.engine.name == "llama.cpp" else "--served-model-name"
    first = [MODEL_FLAGS[recipe.engine.name]] if recipe.engine.name in MODEL_FLAGS else []
    found = [(MODEL_KEY, [*first, model]), (name_flag, [name_flag, recipe.served_name])]
    for flag, value in {**recipe.engine.arguments, **extra}.items():
        found.append((flag, argument_words(flag, value)))
    return found


def quoted(word: str) -> str:
    """Return a word for the shell; a variable stays one, in double quotes."""
    return f'"{word}"' if word.startswith("$") else shlex.quote(word)


def _shell_lines(
    arguments: list[tuple[str, list[str]]], indent: str = "  "
) -> tuple[tuple[str, str], ...]:
    return tuple(
        (key, indent + " ".join(quoted(word) for word in words)) for key, words in arguments
    )


def start_limit_s(recipe: Recipe, high_s: int | None) -> int:
    """Return how long a probe must wait: half again the longest start, in whole minutes."""
    if high_s is None:
        return SHORTEST_START_LIMIT_S
    minutes = -(-high_s * 3 // 120)
    return max(SHORTEST_START_LIMIT_S, minutes * 60)


def node_extra(recipe: Recipe, rank: int) -> dict[str, ArgumentValue]:
    """Return the flags that differ from machine to machine; rank 1 stands for all but the first."""
    if recipe.num_nodes == 1 or "--nnodes" not in recipe.engine.arguments:
        return {}
    if rank == 0:
        return {"--node-rank": 0}
    return {"--node-rank": 1 if recipe.num_nodes == 2 else RANK, "--headless": True}


def key_variable(recipe: Recipe) -> str:
    """Return the variable from which the engine reads its API key."""
    return "LLAMA_API_KEY" if recipe.engine.name == "llama.cpp" else "VLLM_API_KEY"


def published(network: bool) -> str:
    """Return how a container's port is published: to this machine, or to the network."""
    return f"{PORT}:{PORT}" if network else f"{LOCAL}:{PORT}:{PORT}"


def docker_run(
    recipe: Recipe, checkpoint: Checkpoint, rank: int = 0, *, network: bool = False
) -> Form:
    """Return `docker run`; to this machine only, or to the network with a key."""
    name = container_name(recipe)
    several = recipe.num_nodes > 1
    options = ["docker run --detach", f"--name {name}", "--gpus all --ipc host"]
    if several:
        options += [
            "--network host --device /dev/infiniband",
            "--ulimit memlock=-1 --cap-add IPC_LOCK",
        ]
    else:
        options += ["--restart unless-stopped", f"--publish {published(network)}"]
    options += [f'--volume "$HOME/.cache/huggingface:{HUGGINGFACE}"']
    if recipe.engine.name != "llama.cpp":
        options += [f'--volume "$HOME/.cache/vllm:{COMPILED}"']
    options += [f"--env {quoted(f'{k}={v}')}" for k, v in recipe.engine.environment.items()]
    options += [f"--env {key_variable(recipe)}"] if network else []
    options += [recipe.engine.image or "IMAGE"]
    extra: dict[str, ArgumentValue] = dict(node_extra(recipe, rank))
    if several and rank == 0:
        extra |= {"--host": ANY if network else LOCAL, "--port": PORT}
    if recipe.engine.name == "llama.cpp":
        extra |= {"--host": ANY, "--port": PORT}
    before = " \\\n  ".join(options) + " \\\n"
    return Form(
        "docker" if rank == 0 else f"docker-{rank}", "bash", before,
        _shell_lines(served_arguments(recipe, checkpoint, extra)), " \\\n",
    )  # fmt: skip


def serve(recipe: Recipe, checkpoint: Checkpoint, rank: int = 0, *, network: bool = False) -> Form:
    """Return the engine's own command; to this machine only, or to the network with a key."""
    variables = "".join(
        f"export {name}={quoted(str(value))}\n" for name, value in recipe.engine.environment.items()
    )
    if network and rank == 0:
        key = key_variable(recipe)
        variables += f'export {key}="${{{key}:?}}"\n'
    program = " ".join(SERVERS.get(recipe.engine.name, ("vllm", "serve")))
    extra: dict[str, ArgumentValue] = dict(node_extra(recipe, rank))
    if rank == 0:
        extra |= {"--host": ANY if network else LOCAL, "--port": PORT}
    return Form(
        "serve" if rank == 0 else f"serve-{rank}", "bash", f"{variables}{program} \\\n",
        _shell_lines(served_arguments(recipe, checkpoint, extra)), " \\\n",
    )  # fmt: skip


def _yaml(word: str) -> str:
    """Return a word as a quoted YAML scalar; JSON stays readable in single quotes."""
    if '"' in word and "'" not in word:
        return f"'{word}'"
    return json.dumps(word, ensure_ascii=False)


def _yaml_lines(arguments: list[tuple[str, list[str]]], indent: str) -> tuple[tuple[str, str], ...]:
    """Return one item an argument; a flag with one value is `--flag=value`."""
    found = []
    for key, words in arguments:
        items = ["=".join(words)] if len(words) == 2 and words[0].startswith("--") else words
        found.append((key, "\n".join(f"{indent}- {_yaml(item)}" for item in items)))
    return tuple(found)


def _container_extra(recipe: Recipe) -> dict[str, ArgumentValue]:
    if recipe.engine.name == "llama.cpp":
        return {"--host": ANY, "--port": PORT}
    return {}


def compose(recipe: Recipe, checkpoint: Checkpoint, limit_s: int, *, network: bool = False) -> Form:
    """Return a Compose file with a health check that waits for the whole start."""
    name = container_name(recipe)
    lines = [
        "services:",
        f"  {name}:",
        f"    image: {recipe.engine.image or 'IMAGE'}",
        "    ipc: host",
        "    restart: unless-stopped",
        "    ports:",
        f'      - "{published(network)}"',
        "    volumes:",
        f'      - "${{HOME}}/.cache/huggingface:{HUGGINGFACE}"',
    ]
    if recipe.engine.name != "llama.cpp":
        lines.append(f'      - "${{HOME}}/.cache/vllm:{COMPILED}"')
    variables = {k: _yaml(str(v)) for k, v in recipe.engine.environment.items()}
    if network:
        variables[key_variable(recipe)] = f"${{{key_variable(recipe)}:?}}"
    if variables:
        lines.append("    environment:")
        lines += [f"      {name}: {value}" for name, value in variables.items()]
    lines += [
        "    deploy:",
        "      resources:",
        "        reservations:",
        "          devices:",
        "            - driver: nvidia",
        "              count: all",
        "              capabilities: [gpu]",
        "    healthcheck:",
        f'      test: ["CMD", "curl", "-fsS", "http://{LOCAL}:{PORT}/health"]',
        "      interval: 30s",
        "      timeout: 5s",
        "      retries: 3",
        f"      start_period: {limit_s}s",
        "    command:",
    ]
    return Form(
        "compose", "yaml", "\n".join(lines) + "\n",
        _yaml_lines(
            served_arguments(recipe, checkpoint, _container_extra(recipe)), " " * 6
        ), "\n",
    )  # fmt: skip


def systemd(recipe: Recipe, checkpoint: Checkpoint, limit_s: int, *, network: bool = False) -> Form:
    """Return a systemd unit that counts as started only when the server answers."""
    name = container_name(recipe)
    volumes = [f"--volume ${{MODEL_CACHE}}:{HUGGINGFACE}"]
    if recipe.engine.name != "llama.cpp":
        volumes.append(f"--volume vllm-cache:{COMPILED}")
    options = [
        "/usr/bin/docker run --rm",
        f"--name {name}",
        "--gpus all --ipc host",
        f"--publish {published(network)}",
        *volumes,
        *(f"--env {_unit(f'{k}={v}')}" for k, v in recipe.engine.environment.items()),
        *([f"--env {key_variable(recipe)}"] if network else []),
        recipe.engine.image or "IMAGE",
    ]
    joined = " \\\n  ".join(options)
    secret = f"EnvironmentFile=/etc/{name}.env\n" if network else ""
    before = f"""[Unit]
Description={recipe.served_name} on {PORT}
Requires=docker.service
After=docker.service network-online.target
Wants=network-online.target

[Service]
Environment=MODEL_CACHE={SERVED_CACHE}
{secret}ExecStartPre=-/usr/bin/docker rm --force {name}
ExecStart={joined} \\
"""
    retries = limit_s // PROBE_PERIOD_S
    after = f"""
ExecStartPost=/usr/bin/curl --silent --fail --output /dev/null \\
  --retry {retries} --retry-delay {PROBE_PERIOD_S} --retry-all-errors http://{LOCAL}:{PORT}/health
ExecStop=/usr/bin/docker stop {name}
TimeoutStartSec={limit_s + 60}
Restart=on-failure
RestartSec=30

[Install]
WantedBy=multi-user.target
"""
    lines = tuple(
        (key, "  " + " ".join(_unit(word) for word in words))
        for key, words in served_arguments(recipe, checkpoint, _container_extra(recipe))
    )
    return Form("systemd", "ini", before, lines, " \\\n", after)


def _unit(word: str) -> str:
    """Return a word for a unit file, where `%` and `$` are doubled."""
    return shlex.quote(word.replace("%", "%%").replace("$", "$$"))


def kubernetes(recipe: Recipe, checkpoint: Checkpoint, limit_s: int) -> Form:
    """Return a Deployment and a Service; the API key comes from a Secret."""
    name = container_name(recipe)
    key = key_variable(recipe)
    before = f"""apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  labels:
    app: {name}
spec:
  replicas: 1
  strategy:
    type: Recreate
  selector:
    matchLabels:
      app: {name}
  template:
    metadata:
      labels:
        app: {name}
    spec:
      enableServiceLinks: false
      volumes:
        - name: models
          hostPath:
            path: {SERVED_CACHE}
            type: DirectoryOrCreate
        - name: shm
          emptyDir:
            medium: Memory
            sizeLimit: 8Gi
      containers:
        - name: server
          image: {recipe.engine.image or "IMAGE"}
          ports:
            - name: http
              containerPort: {PORT}
          env:
            - name: {key}
              valueFrom:
                secretKeyRef:
                  name: {name}-api-key
                  key: key
"""
    for variable, value in recipe.engine.environment.items():
        before += f"            - name: {variable}\n              value: {_yaml(str(value))}\n"
    before += f"""          resources:
            limits:
              nvidia.com/gpu: 1
          volumeMounts:
            - name: models
              mountPath: {HUGGINGFACE}
            - name: shm
              mountPath: /dev/shm
          startupProbe:
            httpGet:
              path: /health
              port: http
            periodSeconds: {PROBE_PERIOD_S}
            timeoutSeconds: 5
            failureThreshold: {limit_s // PROBE_PERIOD_S}
          readinessProbe:
            httpGet:
              path: /health
              port: http
            periodSeconds: {PROBE_PERIOD_S}
            timeoutSeconds: 5
            failureThreshold: 3
          args:
"""
    after = f"""
---
apiVersion: v1
kind: Service
metadata:
  name: {name}
spec:
  selector:
    app: {name}
  ports:
    - name: http
      port: {PORT}
      targetPort: http
"""
    return Form(
        "kubernetes", "yaml", before,
        _yaml_lines(
            served_arguments(recipe, checkpoint, _container_extra(recipe)), " " * 12
        ), "\n", after,
    )  # fmt: skip


def forms(
    recipe: Recipe, checkpoint: Checkpoint, limit_s: int, *, network: bool = False
) -> list[Form]:
    """Return every form of a recipe; of several machines, the first and all others."""
    if recipe.num_nodes > 1:
        ranks = range(2 if "--nnodes" in recipe.engine.arguments else 1)
        return [
            *(
                docker_run(recipe, checkpoint, rank, network=network)
                for rank in ranks
                if recipe.engine.image
            ),
            *(serve(recipe, checkpoint, rank, network=network) for rank in ranks),
        ]
    found = [serve(recipe, checkpoint, network=network)]
    if recipe.engine.image:
        found = [
            docker_run(recipe, checkpoint, network=network),
            compose(recipe, checkpoint, limit_s, network=network),
            *found,
            systemd(recipe, checkpoint, limit_s, network=network),
            kubernetes(recipe, checkpoint, limit_s),
        ]
    return found


def line_templates(name: str) -> dict[str, str]:
    """Return how a form writes `{flag}` alone and with a plain `{value}`."""
    marks = [("bare", ["--FLAG"]), ("valued", ["--FLAG", "VALUE"])]
    kind = name.partition("-")[0]
    if kind in ("compose", "kubernetes"):
        lines = _yaml_lines(marks, " " * (6 if kind == "compose" else 12))
    else:
        lines = _shell_lines(marks)
    return {
        key: line.replace("--FLAG", "{flag}").replace("VALUE", "{value}") for key, line in lines
    }


def parsed_arguments(words: list[str]) -> dict[str, list[str]]:
    """Return {flag: its words} of a command's arguments; what stands first is the model."""
    found: dict[str, list[str]] = {}
    key = MODEL_KEY
    for word in words:
        if word.startswith("--"):
            flag, equals, value = word.partition("=")
            key = flag
            found[key] = [value] if equals else []
        else:
            found.setdefault(key, []).append(word)
    return found


def recorded_arguments(recipe: Recipe, checkpoint: Checkpoint) -> dict[str, list[str]]:
    """Return {flag: its words} as the record has them, to compare with a parsed command."""
    words = [word for _, each in served_arguments(recipe, checkpoint) for word in each]
    return parsed_arguments(words)
