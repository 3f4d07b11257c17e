from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import pytest

from environment.policies.chat import ChatPolicy
from environment.policies.policy import ConfigurationError
from environment.policies.probe_report import ProbeReport
from tests.environment.policies.stub_endpoint import Reply, chat_reply, piece, pieces_reply, refusal, serve
from tests.environment.policies.test_chat import CALL, HTML, endpoint
from tests.environment.policies.test_pool import endpoint as endpoints

CALLED = chat_reply(None, [CALL], "tool_calls")
ANSWER = chat_reply("It is shipped.")
TALE = chat_reply("A parcel is picked up.")
OTHER_TALE = chat_reply("Somebody packs it.")
TWO = Reply(json.dumps({"choices": json.loads(TALE.body)["choices"] * 2}))
MODELS = Reply(json.dumps({"object": "list", "data": [{"id": "else", "max_model_len": 9}, {"id": "m"}]}))


def models(**facts: Any) -> Reply:
    return Reply(json.dumps({"object": "list", "data": [{"id": "m", "object": "model", **facts}]}))


def report(url: str, **changes: Any) -> ProbeReport:
    return asyncio.run(ChatPolicy(endpoint(url, **changes)).probe())


def refused(url: str, **changes: Any) -> str:
    with pytest.raises(ConfigurationError) as error:
        report(url, **changes)
    return str(error.value)


def closed_url() -> str:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{unused.getsockname()[1]}/v1"


def test_a_probe_reports_what_an_endpoint_can_do() -> None:
    usage = {"prompt_tokens": 50, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 40}}
    called = pieces_reply(
        piece(reasoning="Look."),
        piece("tool_calls", tool_calls=[{"index": 0, "id": "a", "function": CALL}]),
        {"choices": [], "usage": usage},
    )
    answered = pieces_reply(piece("stop", content="Shipped."), {"choices": [], "usage": usage})
    replies = [called, answered, TALE, TALE, OTHER_TALE, TWO]
    with serve(*replies, models=models(max_model_len=4096)) as stub:
        found = report(stub.url)
    [address] = found.addresses
    assert address.model_dump(exclude={"tokens_per_s"}) == {
        "base_url": stub.url,
        "problem": None,
        "calls_unforced": True,
        "streams": True,
        "honours_n": True,
        "repeats_seeds": True,
        "varies_with_seeds": True,
        "counts_tokens": True,
        "counts_cached_tokens": True,
        "reasoning_field": "reasoning",
        "context_length": 4096,
    }
    assert address.tokens_per_s is not None and 3 / 5 < address.tokens_per_s < 100_000
    assert (found.model, found.context_length, found.warnings) == ("m", 4096, ())
    assert ProbeReport.model_validate_json(found.model_dump_json()) == found
    first, back, one, two, other, several = stub.requests
    assert first["tools"][0]["function"]["name"] == "google_sheets_find_rows" and "tool_choice" not in first
    assert [message["role"] for message in back["messages"]] == ["system", "user", "assistant", "tool"]
    assert back["messages"][2]["tool_calls"][0]["id"] == back["messages"][3]["tool_call_id"] == "a"
    assert one == two and one["seed"] != other["seed"] and several["n"] == 2


def test_what_an_endpoint_lacks_is_reported_and_what_matters_is_a_warning() -> None:
    silent = {name: value for name, value in json.loads(CALLED.body).items() if name != "usage"}
    with serve(Reply(json.dumps(silent)), ANSWER, TALE, OTHER_TALE, TALE) as stub:
        found = report(stub.url)
    [address] = found.addresses
    assert not (address.streams or address.honours_n or address.repeats_seeds or address.varies_with_seeds)
    assert not (address.counts_tokens or address.counts_cached_tokens)
    assert (address.context_length, address.reasoning_field) == (None, None)
    assert [sentence.removeprefix(stub.url).split(":")[0] for sentence in found.warnings] == [
        " does not stream",
        " does not count tokens",
    ]


def test_an_endpoint_that_answers_every_seed_alike_is_a_warning() -> None:
    with serve(CALLED, ANSWER, TALE) as stub:
        [sentence] = report(stub.url, stream=False).warnings
    assert "gave the same answer to two seeds" in sentence


def test_a_refusal_of_n_is_only_reported() -> None:
    with serve(CALLED, ANSWER, TALE, TALE, OTHER_TALE, refusal(400, "n must be 1")) as stub:
        assert not report(stub.url).addresses[0].honours_n


def test_a_greedy_endpoint_is_not_told_that_its_answers_are_alike() -> None:
    with serve(CALLED, ANSWER, TALE) as stub:
        assert report(stub.url, temperature=0, stream=False).warnings == ()
    assert stub.requests[2]["temperature"] == 1.0


@pytest.mark.parametrize("facts", [{"context_length": 8192}, {"max_model_len": 8192}, {"n_ctx": 8192}])
def test_the_context_length_is_read_under_the_names_that_servers_give_it(facts: dict[str, int]) -> None:
    with serve(CALLED, ANSWER, TALE, models=models(**facts)) as stub:
        assert report(stub.url).context_length == 8192


@pytest.mark.parametrize(
    "listed", [MODELS, Reply("[]"), Reply("<html>"), Reply('{"data": {"m": 1}}'), refusal(500, "x")]
)
def test_a_list_of_models_that_says_nothing_is_passed_over(listed: Reply) -> None:
    with serve(CALLED, ANSWER, TALE, models=listed) as stub:
        assert report(stub.url).context_length is None


def test_a_context_without_room_for_a_prompt_is_refused() -> None:
    with serve(CALLED, ANSWER, TALE, models=models(max_model_len=64)) as stub:
        assert "serves a context of 64 tokens, max_tokens 64 leaves no room" in refused(stub.url)


def test_a_model_that_would_rather_talk_is_made_to_call() -> None:
    with serve(chat_reply("Which one?"), CALLED, ANSWER) as stub:
        assert not report(stub.url).addresses[0].calls_unforced
    assert stub.requests[1]["tool_choice"] == {"type": "function", "function": {"name": "google_sheets_find_rows"}}


def test_a_probe_names_a_wrong_tool_parser() -> None:
    text = '<tool_call>\n{"name": "google_sheets_find_rows", "arguments": {}}\n</tool_call>'
    with serve(chat_reply(text), CALLED) as stub:
        sentence = refused(stub.url)
    assert "no parsed tool call" in sentence and "tool parser" in sentence
    assert len(stub.requests) == 1


def test_a_probe_names_a_model_without_tool_calls() -> None:
    with serve(chat_reply("I can't.")) as stub:
        assert "no parsed tool call" in refused(stub.url)
    assert len(stub.requests) == 2


def test_a_template_that_does_not_know_tool_results_is_refused() -> None:
    with serve(CALLED, refusal(400, "unexpected role tool")) as stub:
        assert "unexpected role tool" in refused(stub.url)


def test_a_server_that_cannot_stream_is_named_with_the_setting() -> None:
    with serve(refusal(400, "stream_options is not supported")) as stub:
        assert "set stream: false" in refused(stub.url)


def test_a_dead_endpoint_is_refused() -> None:
    url = closed_url()
    sentence = refused(url)
    assert sentence.startswith(f"nothing answers at {url}") and "start the server or mend base_url" in sentence


def test_one_dead_address_of_two_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    dead = closed_url()
    with serve(CALLED, ANSWER, TALE, TALE, OTHER_TALE) as stub:
        found = asyncio.run(ChatPolicy(endpoints(dead, stub.url, stream=False)).probe())
    assert [one.problem is None for one in found.addresses] == [False, True]
    [sentence] = found.warnings
    assert sentence.startswith(f"calls go to the other addresses for now: nothing answers at {dead}")
    assert sentence in [record.message for record in caplog.records]


def test_one_address_with_a_wrong_tool_parser_is_refused_whatever_the_other_does() -> None:
    with (
        serve(CALLED, ANSWER, TALE) as right,
        serve(chat_reply("I can't.")) as wrong,
        pytest.raises(ConfigurationError, match=f"{wrong.url} returned no parsed tool call"),
    ):
        asyncio.run(ChatPolicy(endpoints(right.url, wrong.url)).probe())


def test_a_failure_that_passes_does_not_end_the_probe() -> None:
    with serve(refusal(503, "loading"), refusal(429, "slow"), CALLED, ANSWER, TALE) as stub:
        assert report(stub.url).addresses[0].problem is None


def test_a_web_page_is_no_such_endpoint() -> None:
    with serve(HTML) as stub:
        assert refused(stub.url).startswith(f"{stub.url} does not answer like an OpenAI endpoint")


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (refusal(401, "no such key"), "check the key"),
        (refusal(404, "no such model"), "check base_url and model"),
        (refusal(503, "loading"), "answers 503; wait until it is ready"),
        (refusal(400, "max_tokens is too large: this model's maximum context length is 64"), "lower max_tokens"),
    ],
)
def test_a_refused_probe_names_the_remedy(reply: Reply, sentence: str) -> None:
    with serve(reply) as stub:
        assert sentence in refused(stub.url)
