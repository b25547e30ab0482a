"""The top floor's options, as pytest parses them."""

from types import SimpleNamespace
from typing import cast

import pytest

from benchmarks.configuration.options import Options, add_options
from harnesses.options import add_options as add_harness_options


@pytest.fixture
def parser() -> pytest.Parser:
    parser = pytest.Parser(_ispytest=True)
    add_options(parser)
    add_harness_options(parser)
    return parser


def options(parser: pytest.Parser, *arguments: str) -> Options:
    return Options.from_pytest(cast("pytest.Config", SimpleNamespace(option=parser.parse(arguments))))


def test_nothing_typed_is_the_empty_options(parser: pytest.Parser) -> None:
    assert options(parser) == Options()


def test_every_option_reaches_its_field(parser: pytest.Parser) -> None:
    typed = options(
        parser,
        "--config=a.yaml",
        "--config=b.yaml",
        *("--model=m", "--model-base-url=u", "--model-api-key=key", "--model-api-protocol=p"),
        *("--model-params={1}", "--harness=h", "--harness-params={2}"),
        *("--benchmark-params={3}", "--execution-params={4}", "--k=3", "--attempt-strategy=pass"),
        *("--task-concurrency=16", "--env=host_process", "--results-dir=r", "--run-dir=d", "--run-name=n"),
        *("--min-accuracy=0.6", "--min-accuracy=level1=0.8", "--min-coverage=0.95", "--max-errors=0"),
        *("--baseline=b", "--max-regression=0.05", "--baseline-anyway", "--gate-policy=confident"),
        *("--demo", "--demo-model=x.gguf", "--show-ground-truth"),
    )
    assert typed == Options(
        config_files=("a.yaml", "b.yaml"),
        model="m",
        model_base_url="u",
        model_api_key="key",
        model_api_protocol="p",
        model_params="{1}",
        harness="h",
        harness_params="{2}",
        benchmark_params="{3}",
        execution_params="{4}",
        k=3,
        attempt_strategy="pass",
        task_concurrency=16,
        env="host_process",
        results_dir="r",
        run_dir="d",
        run_name="n",
        min_accuracy=("0.6", "level1=0.8"),
        min_coverage="0.95",
        max_errors=0,
        baseline="b",
        max_regression="0.05",
        baseline_anyway=True,
        gate_policy="confident",
        demo=True,
        demo_model="x.gguf",
        show_ground_truth=True,
    )


@pytest.mark.parametrize(
    ("argument", "rule"),
    [
        ("--k=0", "'0' is refused: give a whole number of 1 or more, e.g. 1"),
        ("--k=two", "'two' is refused: give a whole number of 1 or more, e.g. 1"),
        ("--k=1.0", "'1.0' is refused"),
        ("--task-concurrency=-1", "'-1' is refused"),
        ("--task-concurrency=²", "'²' is refused"),
        ("--max-errors=-1", "'-1' is refused: give a whole number of 0 or more, e.g. 1"),
    ],
)
def test_a_number_that_is_none_is_refused_with_value_rule_and_remedy(
    parser: pytest.Parser, argument: str, rule: str
) -> None:
    with pytest.raises(pytest.UsageError) as caught:
        parser.parse([argument])
    assert f"argument {argument.partition('=')[0]}: {rule}" in str(caught.value)


def test_the_repr_of_options_shows_no_text_that_may_hold_a_key() -> None:
    secret = "sk-in-an-option"
    typed = Options(
        model_base_url=f"https://u:{secret}@h/v1",
        model_api_key=secret,
        model_params=f'{{"h": "{secret}"}}',
        harness_params=f'{{"serper_api_key": "{secret}"}}',
        benchmark_params=f'{{"judge_model": {{"api_key": "{secret}"}}}}',
        execution_params=secret,
    )
    assert secret not in repr(typed)


def test_the_help_tells_each_default_and_unit(parser: pytest.Parser) -> None:
    text = " ".join(parser.optparser.format_help().split())
    assert "benchmarks: what is asked, what counts, what is written" in text
    for told in (
        "--demo-model NAME|PATH",
        "(default: smollm2)",
        "--min-accuracy [SCOPE=]SHARE",
        "(default: results)",
        "(default: 16 without -n and with -n auto, W with -n W)",
        "time limits in seconds",
    ):
        assert told in text
