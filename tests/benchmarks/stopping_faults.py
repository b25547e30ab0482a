"""Faults that no retry cures: they stop the session."""

from fault import AGENT, Fault, failed, unjudged
from faulty_server import refuses, sends

NO_TOOLS = sends(
    {
        "object": "error",
        "message": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "type": "BadRequestError",
        "code": 400,
    },
    status=400,
)
MODEL_KEY = "check its api_key (MODEL_API_KEY for the model, JUDGE_API_KEY for the judge)"
NO_CREDITS = (
    "says that the account has no credits left (HTTP {status}): recharge it, or set {key} to the key of "
    "another account"
)
STOPS: tuple[Fault, ...] = (
    failed("x-key-refused", "401", refuses(401), f"{{model}} answered HTTP 401; {MODEL_KEY}", stops=True),
    failed(
        "x-no-credit",
        "402",
        refuses(402),
        "{model} answered HTTP 402; its account has no credit left: top it up, or use another api_key",
        stops=True,
    ),
    failed(
        "x-wrong-address",
        "404 before it ever answered",
        refuses(404),
        "{model} answered HTTP 404; check the model id, and base_url: it ends with the version, e.g. "
        "https://api.example/v1",
        stops=True,
    ),
    failed(
        "44-no-tools",
        "400, started without its tool options",
        NO_TOOLS,
        "{model} does not serve tools (HTTP 400); start the server with its tool options (vLLM: "
        "--enable-auto-tool-choice --tool-call-parser …, llama.cpp: --jinja), choose a model that knows "
        "tools, or use a harness without them (openai_chat)",
        harness=AGENT,
        stops=True,
    ),
    unjudged(
        "x-judge-key-refused",
        "judge: 401",
        refuses(401),
        f"{{judge}} answered HTTP 401; {MODEL_KEY}",
        stops=True,
    ),
    failed(
        "62-search-key-refused",
        "search: 403, unauthorized",
        sends({"message": "Unauthorized.", "statusCode": 403}, status=403),
        "Serper refused the key (HTTP 403): set SERPER_API_KEY to a valid key",
        role="search",
        harness=AGENT,
        stops=True,
    ),
    failed(
        "62-search-no-credits",
        "search: 400, not enough credits",
        sends({"message": "Not enough credits", "statusCode": 400}, status=400),
        "Serper " + NO_CREDITS.format(status=400, key="SERPER_API_KEY"),
        role="search",
        harness=AGENT,
        stops=True,
    ),
    failed(
        "63-search-quota-wrapped",
        "search: 400 that wraps a 402 and repeats the query",
        sends(
            {"error": "upstream (402): You have exceeded your credits limit", "tag": "NO_MORE_CREDITS"},
            status=400,
        ),
        "Serper " + NO_CREDITS.format(status=400, key="SERPER_API_KEY"),
        role="search",
        harness=AGENT,
        stops=True,
    ),
    failed(
        "65-page-no-balance",
        "page: 402, balance not enough",
        sends({"code": 402, "name": "InsufficientBalanceError", "message": "recharge"}, status=402),
        "Jina Reader " + NO_CREDITS.format(status=402, key="JINA_API_KEY"),
        role="pages",
        harness=AGENT,
        stops=True,
    ),
)
