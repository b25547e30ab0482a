"""Gates from the command line to the exit code: scopes, confidence, a baseline."""

import json
from typing import Any

import pytest
from journey import Ended, Suite


def gate_sentence(ended: Ended) -> str:
    """The gate's sentence, wherever the terminal puts it."""
    (sentence,) = [line for line in ended.out.splitlines() if line.startswith("Gate ")]
    return sentence


def test_a_scope_decides_on_its_own_tasks(suite: Suite) -> None:
    suite.add_right("a", "b", "c")
    suite.add_right("d", level=2)
    suite.add_wrong("e", level=2)
    ended = suite.run("--min-accuracy=0.5", "--min-accuracy=Level 2=0.6", "-n2")
    assert ended.code == 1, ended.out
    sentence = "Gate missed: Level 2 accuracy 0.500 (1/2) is below --min-accuracy Level 2=0.6."
    assert gate_sentence(ended) == sentence
    assert sentence in (ended.run / "summary.md").read_text()
    told = json.loads((ended.run / "run.json").read_text())["gates"]
    assert told["min_accuracy"] == {"overall": 0.5, "Level 2": 0.6}
    assert told["scopes"] == {"Level 2": "2"}
    each = [(one["scope"], one["status"]) for one in ended.metrics["gate"]["each"]]
    assert each == [("overall", "passed"), ("Level 2", "missed"), ("overall", "passed")]


def test_a_value_that_chance_could_have_made_is_inconclusive(suite: Suite) -> None:
    suite.add_right("a", "b", "c")
    suite.add_wrong("d")
    ended = suite.run("--min-accuracy=0.6", "--gate-policy=confident", params={"limit": 3})
    assert ended.code == 11, ended.out
    assert gate_sentence(ended).startswith("Gate inconclusive on a part of the set (limit 3): accuracy 1.000")


def test_a_run_is_held_against_its_baseline(suite: Suite) -> None:
    ids = [f"task-{n}" for n in range(7)]
    suite.add_right(*ids)
    before = suite.run("--run-dir=before", "--min-accuracy=1")
    assert before.code == 0, before.out
    suite.tasks.clear()
    suite.add_right(ids[0])
    suite.add_wrong(*ids[1:])
    after = suite.run("--run-dir=after", "--baseline=before")
    assert after.code == 1, after.out
    assert "is a regression." in gate_sentence(after)
    kept = json.loads((suite.folder / "after" / "run.json").read_text())["baseline"]
    assert kept["outcomes_by_task"]["task-6"] == ["correct"]
    asked = len(suite.models.asked)
    others = suite.run(
        "-n2", "--baseline=before/metrics.json", params={"judge": "contains", "judge_model": None}
    )
    assert others.code == 12, others.out
    assert "not comparable with the baseline 'before/metrics.json', so nothing was asked" in others.out
    assert "judge.id: 'llm' in BASE, 'contains' in NEW" in others.out
    assert "Traceback" not in others.out
    assert len(suite.models.asked) == asked
    assert not others.results.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(
            ["--min-accuracy=levl2=0.5", "--min-accuracy=sealqa=0.5"],
            [
                "gates.min_accuracy: there is no scope 'levl2'; nearest first, there are 'level2', 'level1'",
                "gates.min_accuracy: 'sealqa' is not asked for in this session (gaia); leave the scope out",
            ],
            id="scopes that mean nothing here",
        ),
        pytest.param(
            ["--baseline=nowhere"],
            ["gates.baseline: 'nowhere' is no folder"],
            id="a baseline that is not there",
        ),
        pytest.param(
            ["--min-coverage=1", "--config=tree.yaml"],
            [
                "category_hierarchy: no task has the category 'level2', and the tasks of '2' would not count",
            ],
            id="a tree with a misspelt leaf",
        ),
    ],
)
def test_what_cannot_be_held_is_refused_before_anything_is_asked(
    suite: Suite, arguments: list[str], said: list[str]
) -> None:
    suite.add_right("a")
    suite.add_right("b", level=2)
    tree: dict[str, Any] = {"overall": {"aggregation": "unweighted", "children": {"1": {}, "level2": {}}}}
    params = {"benchmark": {"params": {"category_hierarchy": tree}}}
    (suite.folder / "tree.yaml").write_text(json.dumps(params))
    ended = suite.run(*arguments)
    assert ended.code == pytest.ExitCode.USAGE_ERROR, ended.out
    for line in said:
        assert line in ended.out
    assert suite.models.asked == []
    assert not ended.results.exists()
