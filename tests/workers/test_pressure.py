from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.pressure import ENGINES, Pressure, read

VLLM = """\
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="meta-llama/Llama-3.1-8B-Instruct"} 8.0
# HELP vllm:num_requests_waiting Number of requests waiting to be processed.
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="meta-llama/Llama-3.1-8B-Instruct"} 3.0
# HELP vllm:kv_cache_usage_perc KV-cache usage. 1 means 100 percent usage.
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0",model_name="meta-llama/Llama-3.1-8B-Instruct"} 0.9375
# HELP vllm:time_to_first_token_seconds Histogram of time to first token in seconds.
# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_bucket{engine="0",le="0.001",model_name="meta-llama/Llama-3.1-8B-Instruct"} 0.0
vllm:time_to_first_token_seconds_bucket{engine="0",le="+Inf",model_name="meta-llama/Llama-3.1-8B-Instruct"} 140.0
vllm:time_to_first_token_seconds_count{engine="0",model_name="meta-llama/Llama-3.1-8B-Instruct"} 140.0
"""
OLD_VLLM = """\
vllm:num_requests_running{model_name="m"} 2.0
vllm:num_requests_waiting{model_name="m"} 0.0
vllm:gpu_cache_usage_perc{model_name="m"} 0.25
vllm:cpu_cache_usage_perc{model_name="m"} 1.0
"""
SGLANG = """\
# HELP sglang:num_running_reqs The number of running requests
# TYPE sglang:num_running_reqs gauge
sglang:num_running_reqs{model_name="meta-llama/Llama-3.1-8B-Instruct"} 162.0
# HELP sglang:token_usage The token usage
# TYPE sglang:token_usage gauge
sglang:token_usage{model_name="meta-llama/Llama-3.1-8B-Instruct"} 0.28
# HELP sglang:num_queue_reqs The number of requests in the waiting queue
# TYPE sglang:num_queue_reqs gauge
sglang:num_queue_reqs{model_name="meta-llama/Llama-3.1-8B-Instruct"} 2826.0
"""
LLAMA = """\
# HELP llamacpp:requests_processing Number of requests processing.
# TYPE llamacpp:requests_processing gauge
llamacpp:requests_processing 2
# HELP llamacpp:requests_deferred Number of requests deferred.
# TYPE llamacpp:requests_deferred gauge
llamacpp:requests_deferred 5
"""
TGI = """\
# TYPE tgi_batch_current_size gauge
tgi_batch_current_size 12
# TYPE tgi_batch_current_max_tokens gauge
tgi_batch_current_max_tokens 51200
# TYPE tgi_queue_size gauge
tgi_queue_size 1
"""


@pytest.mark.parametrize(
    ("engine", "page", "told"),
    [
        ("vllm", VLLM, Pressure(3, 8, 0.9375)),
        ("vllm", OLD_VLLM, Pressure(0, 2, 0.25)),
        ("sglang", SGLANG, Pressure(2826, 162, 0.28)),
        ("llama.cpp", LLAMA, Pressure(5, 2)),
        ("tgi", TGI, Pressure(1, 12)),
    ],
)
def test_each_engines_queue_and_cache_are_read_by_its_own_names(engine: str, page: str, told: Pressure) -> None:
    assert read(engine, page) == told


def test_replicas_add_their_queues_and_ranks_of_one_replica_do_not() -> None:
    page = """\
sglang:num_queue_reqs{dp_rank="0",model_name="m",tp_rank="0"} 2
sglang:num_queue_reqs{dp_rank="0",model_name="m",tp_rank="1"} 2
sglang:num_queue_reqs{dp_rank="1",model_name="m",tp_rank="0"} 5
sglang:token_usage{dp_rank="0",model_name="m",tp_rank="0"} 0.5
sglang:token_usage{dp_rank="1",model_name="m",tp_rank="0"} 0.95
"""
    assert read("sglang", page) == Pressure(7, None, 0.95)


def test_another_models_queue_is_not_ours() -> None:
    page = 'vllm:num_requests_waiting{model_name="a"} 9\nvllm:num_requests_waiting{model_name="b"} 0\n'
    assert read("vllm", page, "b") == Pressure(0)
    assert read("vllm", page, "an adapter of either") == Pressure(9)


@pytest.mark.parametrize(
    "page", ["", "<html>Not found</html>", VLLM, 'tgi_queue_size{a="} 3\n', "tgi_queue_size NaN\n"]
)
def test_a_page_without_the_engines_names_says_nothing(page: str) -> None:
    assert read("tgi", page) is None


@given(st.sampled_from(sorted(ENGINES)), st.text())
def test_no_page_can_do_harm(engine: str, page: str) -> None:
    assert read(engine, page + "\ntgi_queue_size{" + page) is None or engine == "tgi"


def test_calls_wait_in_proportion_to_what_each_client_has_there() -> None:
    assert Pressure(waiting=8, running=24).share(16) == 4
    assert Pressure(waiting=8, running=24).share(99) == 8
    assert Pressure(waiting=8).share(5) == 5


def test_a_queue_and_a_full_cache_are_said_in_words() -> None:
    assert Pressure(waiting=5, cache_used=0.95).crowded == "engine queue: 5 waiting"
    assert Pressure(cache_used=0.9).crowded == "engine cache: 90% used"
    assert Pressure(cache_used=0.89).crowded == ""
