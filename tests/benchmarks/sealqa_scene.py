"""SealQA as a user runs it: rows the test invents in files of their own, and a configuration file."""

import json
from pathlib import Path
from typing import Any

from journey import Ended, Suite

JUDGE_PROMPT = "Q={question}\nTRUTH={target}\nANSWER={predicted_answer}\n"
DOCUMENTS = [
    {"title": "Stones", "date": "2026", "url": "https://stones.example", "text": "Stones lie still."}
]


def write_tasks(suite: Suite, stem: str, n_tasks: int, *, n_right: int, **columns: Any) -> None:
    """The rows of a category in a file called `stem`; the model answers the first `n_right` of them right."""
    rows: list[dict[str, Any]] = []
    for n in range(1, n_tasks + 1):
        rows.append(
            {"question": f"Which stone lies under <{stem} {n}>?", "answer": f"stone {n}", "topic": "x"}
            | columns
        )
        suite.models.answers[f"<{stem} {n}>"] = f"stone {n}" if n <= n_right else "pebble"
    folder = suite.folder / "sealqa"
    folder.mkdir(exist_ok=True)
    (folder / f"{stem}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def two_categories(suite: Suite) -> None:
    write_tasks(suite, "seal-0", 3, n_right=3)
    write_tasks(suite, "longseal", 2, n_right=1, golds=DOCUMENTS, **{"12_docs": DOCUMENTS * 2})


def run(suite: Suite, *more: str, category: Any = ("seal_0", "longseal"), own: Any = None) -> Ended:
    """Run SealQA from a file; `own` are settings by category."""
    prompt = suite.folder / "sealqa-judge.txt"
    prompt.write_text(JUDGE_PROMPT)
    params = {
        "category": category,
        "dataset_path": str(suite.folder / "sealqa"),
        "judge_model": {"id": "judge-1", "base_url": suite.models.judge_url},
        "judge_prompt": str(prompt),
    }
    harness = {"id": "openai_chat", "params": {"max_retry": 0}}
    sealqa = {"params": params, "harness": harness, "by_category": own or {}}
    model = {"id": "m", "base_url": suite.models.model_url}
    (suite.folder / "run.yaml").write_text(json.dumps({"model": model, "benchmarks": {"sealqa": sealqa}}))
    return suite.run(str(suite.root / "benchmarks/sealqa"), "--config=run.yaml", *more, bare=True)


def directories(suite: Suite) -> dict[str, Path]:
    return {found.name: found for found in sorted((suite.folder / "results").glob("*/*/*"))}


def read(directory: Path, name: str) -> Any:
    return json.loads((directory / name).read_text())


def outcomes(directory: Path) -> dict[str, str]:
    return {
        file.stem: json.loads(file.read_text())["attempts"]["1"]["outcome"]
        for file in (directory / "details").glob("*.json")
    }
