"""Asking a language model one question and waiting for its answer (extra `llm`): what can go wrong has one error.

Whoever asks says what an answer looks like and what is wrong with one; a wrong answer is sent back once. What was spent
is counted, also where the answer never came.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel

from memkit.errors import MissingExtraError, ModelError

if TYPE_CHECKING:
    from pydantic_ai.models import Model

A = TypeVar("A", bound=BaseModel)


class Asker(Generic[A]):
    """A model, what it is told, and the shape of its answers.

    Args:
        model: A name as pydantic-ai knows it, such as `provider:name`, or a model object of it.
        answer: The shape of an answer.
        instructions: What the model is told.
        max_seconds: How long to wait for one answer.
        fault: What is wrong with an answer to a question about `about` (see `ask`); "" for a good one.

    Raises:
        MissingExtraError: pydantic-ai is not installed.
        ModelError: the model's name is not known, or its provider's package or key is missing.
    """

    def __init__(
        self,
        model: str | Model,
        answer: type[A],
        instructions: str,
        *,
        max_seconds: float,
        fault: Callable[[A, Any], str] | None = None,
    ) -> None:
        try:
            from pydantic_ai import Agent, ModelRetry, RunContext
            from pydantic_ai.exceptions import UserError
        except ImportError as error:
            raise MissingExtraError(
                "pydantic-ai is not installed", remedy='Install it with: pip install "memkit[llm]"'
            ) from error

        def checked(context: RunContext[Any], given: A) -> A:
            wrong = fault(given, context.deps) if fault else ""
            if wrong:
                raise ModelRetry(wrong)
            return given

        try:
            self._agent = Agent(model, deps_type=object, output_type=answer, instructions=instructions, retries=1)
        except (UserError, ImportError, ValueError) as error:
            raise ModelError(
                f"{str(model)[:80]} cannot be used: {str(error)[:300]}",
                field="consolidation.model",
                remedy="Give a name that pydantic-ai knows, with its provider's package and key.",
            ) from error
        self._agent.output_validator(checked)
        self._max_seconds = max_seconds
        self.name = f"model:{model if isinstance(model, str) else model.model_name}"

    def ask(self, prompt: str, spent: dict[str, int], about: Any = None) -> A:
        """The answer to one question.

        Args:
            prompt: The question.
            spent: `calls`, `input_tokens`, `output_tokens`; what this one costs is added.
            about: What `fault` is given beside an answer.

        Raises:
            ModelError: it failed, took too long, or gave a wrong answer twice.
        """
        from pydantic_ai.exceptions import AgentRunError, UserError
        from pydantic_ai.usage import RunUsage

        used = RunUsage()
        try:
            answer: A = _wait_for(
                asyncio.wait_for(self._agent.run(prompt, deps=about, usage=used), self._max_seconds)
            ).output
        except TimeoutError as error:
            raise ModelError(
                f"no answer within {self._max_seconds:g} s", field="consolidation.model", remedy="Try again later."
            ) from error
        except (AgentRunError, UserError, OSError) as error:
            raise ModelError(
                f"{type(error).__name__}: {str(error)[:300]}",
                field="consolidation.model",
                remedy="Check the model's name, its key and the network; the rules need none of them.",
            ) from error
        finally:
            counts = {"calls": used.requests, "input_tokens": used.input_tokens, "output_tokens": used.output_tokens}
            for what, n in counts.items():
                spent[what] = spent.get(what, 0) + n
        return answer


def _wait_for(job: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine, also where an event loop runs already, as in a notebook."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, job).result()
