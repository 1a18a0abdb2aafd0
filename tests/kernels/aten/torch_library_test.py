# SPDX-License-Identifier: Apache-2.0
"""torch.ops.stepscope as a Python program uses it, on the CPU and, where torch finds one, on a GPU.
Reads STEPSCOPE_ATEN, the library. Leaves with 77 (skipped) where the interpreter has no torch."""
import os
import sys
import unittest

try:
    import torch
except ImportError:
    print("this interpreter has no torch")
    sys.exit(77)

torch.ops.load_library(os.environ["STEPSCOPE_ATEN"])
OPS = torch.ops.stepscope
LAYERS, FEATURES, MODEL, TOKENS, K = 2, 24, 16, 10, 3


def dense_decoder(acts, weights, bias):
    """One product a source layer with all its targets."""
    outputs = bias.reshape(1, -1).expand(TOKENS, -1)
    begin = 0
    for source in range(LAYERS):
        width = (LAYERS - source) * MODEL
        end = begin + FEATURES * width
        product = acts[:, source * FEATURES:(source + 1) * FEATURES] @ weights[begin:end].view(FEATURES, width)
        outputs = outputs + torch.nn.functional.pad(product, (source * MODEL, 0))
        begin = end
    return outputs.view(TOKENS, LAYERS, MODEL)


class OnCpu(unittest.TestCase):
    device = "cpu"

    def setUp(self):
        torch.manual_seed(1)
        self.acts = self.normal(TOKENS, LAYERS * FEATURES)
        self.weights = self.normal(LAYERS * (LAYERS + 1) // 2 * FEATURES * MODEL)
        self.bias = self.normal(LAYERS, MODEL)

    def normal(self, *shape):
        return torch.randn(*shape).to(self.device)

    def kept(self, acts):
        least = self.acts.flatten().topk(K * TOKENS).values[-1]
        return torch.where(self.acts >= least, acts, torch.zeros_like(acts))

    def test_batch_topk_learns(self):
        acts = self.acts.clone().requires_grad_()
        kept = OPS.batch_topk(acts, K)
        self.assertTrue(torch.equal(kept, self.kept(self.acts)))
        factors = self.normal(*acts.shape)
        (kept * factors).sum().backward()
        self.assertTrue(torch.equal(acts.grad, self.kept(factors)))

    def test_mask_lists_and_threshold(self):
        mask, threshold = OPS.batch_topk_mask(self.acts, K * TOKENS)
        selected = OPS.bitmask_to_bool(mask, LAYERS * FEATURES)
        self.assertEqual(threshold.item(), self.acts[selected].min().item())
        offsets, indices, values = OPS.bitmask_list(mask, self.acts, False, K * TOKENS)
        self.assertTrue(torch.equal(indices.long(), selected.nonzero()[:, 1]))
        self.assertTrue(torch.equal(values, self.acts[selected]))
        self.assertTrue(torch.equal(offsets.diff(), selected.sum(1)))
        self.assertTrue(torch.equal(OPS.bitmask_column_counts(mask, LAYERS * FEATURES), selected.sum(0).int()))
        self.assertTrue(torch.equal(OPS.bitmask_row_counts(mask, LAYERS * FEATURES), selected.sum(1).int()))

    def test_known_statistics_select_as_z_scores(self):
        mean, scale = OPS.column_statistics(self.acts)
        found = OPS.batch_topk_mask(self.acts, K * TOKENS, mean=mean, scale=scale)[0]
        self.assertTrue(torch.equal(found, OPS.batch_topk_mask(self.acts, K * TOKENS, z_score=True)[0]))

    def test_row_topk(self):
        values, columns = OPS.row_topk(self.acts, K)
        self.assertTrue(torch.equal(columns, self.acts.topk(K).indices.sort().values))
        self.assertTrue(torch.equal(values, self.acts.gather(1, columns)))

    def test_pairwise_cosine_learns(self):
        vectors = torch.randn(2, 3, 16, device=self.acts.device, requires_grad=True)
        scores, distances = OPS.pairwise_cosine(vectors)
        unit = torch.nn.functional.normalize(vectors, dim=-1)
        expected = (3 - (unit @ unit.mT).sum(2)) / 2
        torch.testing.assert_close(distances, expected, atol=1e-6, rtol=0)
        found = torch.autograd.grad(scores.sum(), vectors)[0]
        torch.testing.assert_close(found, torch.autograd.grad(expected.mean(1).sum(), vectors)[0], atol=1e-6, rtol=0)

    def test_sparse_decoder_learns(self):
        mask = OPS.batch_topk_mask(self.acts, K * TOKENS)[0]
        inputs = [tensor.clone().requires_grad_() for tensor in (self.acts, self.weights, self.bias)]
        dense = [tensor.clone().requires_grad_() for tensor in (self.acts, self.weights, self.bias)]
        found = OPS.sparse_decoder(inputs[0], mask, inputs[1], inputs[2], LAYERS, K * TOKENS)
        expected = dense_decoder(self.kept(dense[0]), dense[1], dense[2])
        torch.testing.assert_close(found, expected, atol=1e-4, rtol=0)
        found.square().sum().backward()
        expected.square().sum().backward()
        for one, other in zip(inputs, dense):
            torch.testing.assert_close(one.grad, other.grad, atol=1e-3, rtol=1e-4)

    def test_gradcheck(self):
        if self.device != "cpu":
            self.skipTest("kernels have no float64")
        mask = OPS.batch_topk_mask(self.acts, K * TOKENS)[0]
        inputs = [tensor.double().requires_grad_() for tensor in (self.acts, self.weights, self.bias)]
        self.assertTrue(torch.autograd.gradcheck(
            lambda acts, weights, bias: OPS.sparse_decoder(acts, mask, weights, bias, LAYERS, K * TOKENS),
            inputs, fast_mode=True))
        self.assertTrue(torch.autograd.gradcheck(lambda acts: OPS.bitmask_keep(mask, acts), inputs[:1]))

    def test_fused_adam_is_torchs(self):
        parameters = self.weights.clone().requires_grad_()
        optimizer = torch.optim.Adam([parameters], lr=1e-2)
        state = [self.weights.clone(), torch.zeros_like(self.weights), torch.zeros_like(self.weights)]
        before = state[0]._version
        for step in (1, 2, 3):
            parameters.grad = self.normal(*parameters.shape)
            OPS.fused_adam_(*state, parameters.grad, 1e-2, step)
            optimizer.step()
        torch.testing.assert_close(state[0], parameters.detach(), atol=1e-6, rtol=0)
        self.assertEqual(state[0]._version, before + 3)

    def test_fused_adam_decoder_is_the_step_of_the_gradient(self):
        mask = OPS.batch_topk_mask(self.acts, K * TOKENS)[0]
        weights = self.weights.clone().requires_grad_()
        gradients = self.normal(TOKENS, LAYERS, MODEL)
        (OPS.sparse_decoder(self.acts, mask, weights, None, LAYERS, K * TOKENS) * gradients).sum().backward()
        by_column = OPS.bitmask_list(mask, self.acts, True, K * TOKENS)
        found = [self.weights.clone(), torch.zeros_like(self.weights), torch.zeros_like(self.weights)]
        expected = [tensor.clone() for tensor in found]
        OPS.fused_adam_decoder_(*found, *by_column, gradients, 1e-2, 1)
        OPS.fused_adam_(*expected, weights.grad, 1e-2, 1)
        for one, other in zip(found, expected):
            torch.testing.assert_close(one, other, atol=1e-6, rtol=0)

    def test_shards_select_as_the_whole(self):
        count = K * TOKENS
        parts = [part.contiguous() for part in self.acts.chunk(3, dim=1)]
        memories = [OPS.shard_topk_memory(part, 1) for part in parts]
        for turn in range(3):
            for part, memory in zip(parts, memories):
                OPS.shard_topk_count_(part, count, turn, memory)
            total = sum(memory[1] for memory in memories)
            for part, memory in zip(parts, memories):
                memory[1].copy_(total)
                OPS.shard_topk_choose_(part, count, turn, memory)
        for part, memory in zip(parts, memories):
            OPS.shard_topk_shares_(part, count, memory)
        shares = torch.stack([memory[2] for memory in memories])
        selected = []
        for number, (part, memory) in enumerate(zip(parts, memories)):
            OPS.shard_topk_own_count_(part, count, shares, number, memory)
            mask = OPS.batch_topk_mask(part, 0, device_count=memory[3])[0]
            selected.append(OPS.bitmask_to_bool(mask, part.shape[1]))
        whole = OPS.batch_topk_mask(self.acts, count)[0]
        self.assertTrue(torch.equal(torch.cat(selected, 1), OPS.bitmask_to_bool(whole, self.acts.shape[1])))

    def test_errors_name_the_argument(self):
        with self.assertRaisesRegex(RuntimeError, "k: must be 1 to 48, is 0"):
            OPS.row_topk(self.acts, 0)
        with self.assertRaisesRegex(RuntimeError, "acts: must be float32"):
            OPS.batch_topk(self.acts.double(), K)

    def test_on_a_stream_of_its_own(self):
        if self.device == "cpu":
            self.skipTest("the CPU has no streams")
        with torch.cuda.stream(torch.cuda.Stream()):
            acts = self.normal(TOKENS, LAYERS * FEATURES)
            torch.cuda._sleep(50_000_000)
            acts.add_(self.acts)  # behind the sleep, as the kernel must be
            values, columns = OPS.row_topk(acts, K)
            expected = acts.topk(K).indices.sort().values
        torch.cuda.synchronize()
        self.assertTrue(torch.equal(columns, expected))
        self.assertTrue(torch.equal(values, acts.gather(1, columns)))


@unittest.skipUnless(torch.cuda.is_available() and os.environ.get("STEPSCOPE_ATEN_WITH_KERNELS") == "1",
                     "no GPU, or a build without CUDA kernels")
class OnGpu(OnCpu):
    device = "cuda"


if __name__ == "__main__":
    unittest.main()
