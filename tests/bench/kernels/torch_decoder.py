# SPDX-License-Identifier: Apache-2.0
# The peers in Python, at the shapes of sparse_decoder_bench and fused_adam_bench and with a cold L2: a
# cross-layer decoder as GEMMs (a pair of layers each, as the reference trainer has it, or a source each),
# as embedding_bag and as index_select, forward and backward; and Adam. Prints median and 99th percentile
# in microseconds.
#   torch_decoder.py [REPETITIONS [FEATURES...]]
import sys

import torch
from torch.nn import functional

REPETITIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 20
FEATURES = [int(word) for word in sys.argv[2:]] or [4096, 16384]
LAYERS, WIDTH, TOKENS, ACTIVE = 12, 768, 1024, 200


class Decoder:
    """Weights [features, (layers - source) * width] a source; lists of a token's features, and dense."""

    def __init__(self, features, dtype):
        self.features = features
        bound = (LAYERS * WIDTH) ** -0.5
        self.weights = [torch.randn(features, (LAYERS - s) * WIDTH, device="cuda").mul_(bound).to(dtype)
                        for s in range(LAYERS)]
        columns = torch.rand(TOKENS, LAYERS * features, device="cuda").topk(ACTIVE, sorted=False).indices
        columns = columns.sort(1).values
        values = torch.rand(TOKENS, ACTIVE, device="cuda").add_(1).to(dtype)
        self.dense = torch.zeros(TOKENS, LAYERS * features, device="cuda", dtype=dtype)
        self.dense.scatter_(1, columns, values)
        self.lists = []
        for s in range(LAYERS):
            mine = (columns >= s * features) & (columns < (s + 1) * features)
            counts = mine.sum(1)
            self.lists.append((columns[mine] - s * features, values[mine].requires_grad_(), counts.cumsum(0) - counts,
                               torch.repeat_interleave(torch.arange(TOKENS, device="cuda"), counts)))
        self.gradient = torch.randn(TOKENS, LAYERS * WIDTH, device="cuda").to(dtype)

    def outputs(self):
        return torch.zeros(TOKENS, LAYERS * WIDTH, device="cuda", dtype=self.gradient.dtype)

    def dense_by_pair(self, weights, dense):
        parts = [[] for _ in range(LAYERS)]
        for s in range(LAYERS):
            active = dense[:, s * self.features:(s + 1) * self.features]
            for t in range(s, LAYERS):
                parts[t].append(active @ weights[s][:, (t - s) * WIDTH:(t - s + 1) * WIDTH])
        return torch.cat([sum(part[1:], part[0]) for part in parts], 1)

    def dense_by_source(self, weights, dense):
        total = self.outputs()
        for s in range(LAYERS):
            total[:, s * WIDTH:].addmm_(dense[:, s * self.features:(s + 1) * self.features], weights[s])
        return total

    def embedding_bag(self, weights, _):
        total = self.outputs()
        for s, (rows, values, begins, _) in enumerate(self.lists):
            total[:, s * WIDTH:] += functional.embedding_bag(rows, weights[s], begins, mode="sum",
                                                             per_sample_weights=values)
        return total

    def index_select(self, weights, _):
        total = self.outputs()
        for s, (rows, values, _, tokens) in enumerate(self.lists):
            total[:, s * WIDTH:].index_add_(0, tokens, weights[s].index_select(0, rows) * values[:, None])
        return total


def timed(function, flushed):
    times = []
    for i in range(REPETITIONS + 3):
        flushed.sum()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        function()
        end.record()
        end.synchronize()
        if i >= 3:
            times.append(begin.elapsed_time(end) * 1e3)
    times.sort()
    return times[len(times) // 2], times[len(times) * 99 // 100]


def report(what, function, flushed):
    try:
        median, p99 = timed(function, flushed)
        print(f"{what:64} {median:10.1f} {p99:10.1f}", flush=True)
    except (RuntimeError, NotImplementedError) as error:
        print(f"{what:64} does not run: {str(error).splitlines()[0][:80]}", flush=True)
    torch.cuda.empty_cache()


def decoder_times(features, flushed):
    decoder = Decoder(features, torch.bfloat16)
    expected = decoder.dense_by_source(decoder.weights, decoder.dense).float()
    for name in ("dense_by_pair", "dense_by_source", "embedding_bag", "index_select"):
        function = getattr(decoder, name)

        def forward():
            with torch.no_grad():
                return function(decoder.weights, decoder.dense)

        def both():
            weights = [weight.detach().requires_grad_() for weight in decoder.weights]
            dense = decoder.dense.detach().requires_grad_()
            function(weights, dense).backward(decoder.gradient)

        try:
            error = (forward().float() - expected).norm() / expected.norm()
            print(f"{name}: relative distance to dense_by_source {error:.2e}")
        except (RuntimeError, NotImplementedError):
            pass
        report(f"bf16 F{features} {name}, forward", forward, flushed)
        report(f"bf16 F{features} {name}, forward and backward", both, flushed)


def adam_times(features, flushed):
    count = features * WIDTH * LAYERS * (LAYERS + 1) // 2
    parameter = torch.randn(count, device="cuda", requires_grad=True)
    parameter.grad = torch.randn(count, device="cuda")
    copy = torch.empty(count, device="cuda", dtype=torch.bfloat16)
    for options in ({"fused": True}, {"foreach": True}):
        optimizer = torch.optim.Adam([parameter], lr=1e-3, **options)

        def step():
            optimizer.step()
            copy.copy_(parameter.detach())

        report(f"Adam {options}, {count / 1e6:.0f} M", optimizer.step, flushed)
        report(f"Adam {options}, and a bf16 copy", step, flushed)
        del optimizer


def main():
    flushed = torch.ones(64 << 20, device="cuda")
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}")
    for features in FEATURES:
        decoder_times(features, flushed)
        adam_times(features, flushed)


if __name__ == "__main__":
    main()
