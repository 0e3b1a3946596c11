"""OpenAI-compatible servers that many people use, each with a model to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Server(NamedTuple):
    """A server that many people use: its address, a model to begin with, whether it is on this machine."""

    base_url: str
    model: str
    local: bool


SERVERS: Mapping[str, Server] = {
    "OpenAI": Server("https://api.openai.com/v1", "gpt-4o-mini", False),
    "DeepSeek": Server("https://api.deepseek.com/v1", "deepseek-chat", False),
    "Ollama": Server("http://localhost:11434/v1", "qwen2.5:7b", True),
    "vLLM": Server("http://localhost:8000/v1", "", True),
    "LM Studio": Server("http://localhost:1234/v1", "", True),
}
