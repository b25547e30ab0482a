"""An examiner on a desk, with a harness and a judge that do as they are told."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.configuration.model import BenchmarkChoice
from benchmarks.examiner import Examiner
from benchmarks.gaia.params import GaiaParams
from benchmarks.plan import Unit, units
from benchmarks.redaction import Redactor
from benchmarks.results.record import Record
from benchmarks.results.spool import Place, Spool
from benchmarks.run import Run
from benchmarks.stop_mark import StopMark
from benchmarks.task import Task
from benchmarks.tries import Bench, TimeLimits
from harnesses.attempt import Attempt, Prompt, StopReason
from harnesses.endpoint.messages import TokenUsage
from harnesses.openai_chat import OpenAIChatParams
from judges.judge import Judge, Judgment
from judges.verdict import CORRECT

NO_LIMITS = TimeLimits(run_s=None, judge_s=None)
STRICT = Redactor(["sk-secret-1"], show_ground_truth=False)


def attempt_with(text: str | None) -> Attempt:
    message = None if text is None else {"role": "assistant", "content": text}
    return Attempt(final_message=message, finish_reason="stop", stop_reason=StopReason.COMPLETED)


class ToldHarness:
    """Answers with `answer(prompt)`; may wait for a gate, and remembers every prompt."""

    name: ClassVar[str] = "told"
    readable_suffixes: ClassVar[frozenset[str]] = frozenset()
    searches: ClassVar[bool] = False
    asks_model: ClassVar[bool] = True

    def __init__(self, answer: Callable[[Prompt], Attempt], gate: asyncio.Event | None = None) -> None:
        self.answer = answer
        self.gate = gate
        self.prompts: list[Prompt] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.files: list[str] = []

    async def run(self, prompt: Prompt) -> Attempt:
        self.prompts.append(prompt)
        self.files += [path.read_text() for path in prompt.attachments]
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            if self.gate is not None:
                await self.gate.wait()
            return self.answer(prompt)
        finally:
            self.in_flight -= 1

    async def aclose(self) -> None: ...


class ToldJudge:
    """Judges as told; remembers the answers it was given."""

    evaluation_type: ClassVar[str] = "llm_judge"
    is_scorer: ClassVar[bool] = False

    def __init__(self, judge: Callable[[str], Judgment]) -> None:
        self.judge = judge
        self.answers: list[str] = []

    async def grade(self, question: str, ground_truth: str, answer: str) -> Judgment:  # noqa: ARG002 - the protocol's
        self.answers.append(answer)
        return self.judge(answer)

    async def aclose(self) -> None: ...


def pleased(_: str) -> Judgment:
    return Judgment(
        verdict=CORRECT, evaluation_type="llm_judge", usage=TokenUsage(input_tokens=7, n_requests=1)
    )


def made_tasks(n_tasks: int, **more: Any) -> tuple[Task, ...]:
    return tuple(
        Task(
            task_id=f"t-{n}",
            question=f"Which stone is number {n} of the row?",
            ground_truth=f"stone {n}",
            category="1",
            **more,
        )
        for n in range(n_tasks)
    )


def made_run(tasks: tuple[Task, ...], **params: Any) -> Run:
    choice = BenchmarkChoice(
        name="gaia", params=GaiaParams(**params), harness_id="told", harness_params=OpenAIChatParams()
    )
    return Run(choice=choice, tasks=tasks, directory=None, judge_prompt=None)


class Desk:
    """An examiner with everything it needs; `records` is what it wrote, in order."""

    def __init__(
        self,
        tmp_path: Path,
        run: Run,
        harness: ToldHarness,
        judges: tuple[Judge, ...],
        *,
        share: int,
        limits: TimeLimits,
        n_tries: int,
        before: Sequence[Record],
    ) -> None:
        self.records: list[Record] = []
        self.run = run
        self.units = units(run.tasks, k=n_tries, strategy="pass")
        self.stop_mark = StopMark(tmp_path / "stop")
        self.harness = harness
        self.bench = Bench(run=run, harness=harness, judges=judges, limits=limits, redactor=STRICT)
        self.spool = tmp_path / "spool.jsonl"
        self.examiner = Examiner(
            share=share, stop_mark=self.stop_mark, write=self.write, made_before=lambda _unit: before
        )

    def write(self, _run: Run, record: Record) -> Place:
        self.records.append(record)
        spool = Spool(self.spool)
        place = spool.append(record)
        spool.close()
        return place

    def start(self, *chosen: Unit) -> None:
        self.examiner.start(chosen or self.units, self.bench)

    async def settle(self) -> None:
        """Let the loop run until nothing more happens by itself."""
        for _ in range(50):
            await asyncio.sleep(0)

    async def finish(self) -> list[Record]:
        self.start()
        for unit in self.units:
            found = self.examiner.find(unit)
            assert found is not None
            await asyncio.wait([found.attempt])
            await asyncio.wait([found.judgment])
        await self.settle()
        await self.examiner.aclose()
        return self.records


def desk(
    tmp_path: Path,
    harness: ToldHarness,
    *,
    judges: tuple[Judge, ...] | None = None,
    tasks: tuple[Task, ...] | None = None,
    params: Mapping[str, Any] | None = None,
    share: int = 1,
    limits: TimeLimits = NO_LIMITS,
    n_tries: int = 1,
    before: Sequence[Record] = (),
) -> Desk:
    run = made_run(made_tasks(1) if tasks is None else tasks, **(params or {}))
    return Desk(
        tmp_path,
        run,
        harness,
        (ToldJudge(pleased),) if judges is None else judges,
        share=share,
        limits=limits,
        n_tries=n_tries,
        before=before,
    )


async def one_record(tmp_path: Path, harness: ToldHarness, **more: Any) -> Record:
    (record,) = await desk(tmp_path, harness, **more).finish()
    return record


def raising(error: BaseException) -> Callable[[Any], Any]:
    def act(_: Any) -> Any:
        raise error

    return act
