# SPDX-License-Identifier: Apache-2.0
"""Training loops with avoidable costs: each executes on a Machine with the costs that are switched on.

A cost is named as the rule that should find it. `where` says at which line: LINES. Sizes decide whether it truly costs
anything; that is found by executing the loop without it, never said by hand.
"""

import dataclasses

GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas"
GEMM_FP32 = "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas"
GEMM_TF32 = "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x16_stage4_warpsize2x2x1_tensor16x8x8_execute_kernel__5x_cublas"
ADD = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >"
MUL = "void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> > >"
SQRT = "void at::native::vectorized_elementwise_kernel<4, at::native::sqrt_kernel_cuda>"
ADDCDIV = "void at::native::vectorized_elementwise_kernel<4, at::native::addcdiv_cuda_kernel>"
GELU = "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl>"
NORM = "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>"
FLASH = "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4>, true>"
SOFTMAX = "void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 10, false, true>"
SOFTMAX_BACK = "void (anonymous namespace)::softmax_warp_backward<c10::BFloat16, c10::BFloat16, float, 10, false, true>"
LOSS = "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, float, float, float, at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue>"
REDUCE_NORM = "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::NormTwoOps<float> > >"
ARANGE = "void (anonymous namespace)::elementwise_kernel_with_index<int, at::native::arange_cuda_out>"
TRIU = "void at::native::triu_tril_kernel<float, int, false, 1, false>"
MASKED = "void at::native::vectorized_elementwise_kernel<4, at::native::masked_fill_kernel>"
SORT = "void at::native::sbtopk::gatherTopK<float, unsigned int, 2, false>"
BITONIC = "void at::native::bitonicSortKVInPlace<2, -1, 16, 16, float, long>"
ADAM = "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4> >"
FOREACH = "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::BinaryOpListAlphaFunctor<float, 3, 2, 2> >"
EMBED = "void at::native::(anonymous namespace)::vectorized_gather_kernel<16, long>"
TO_NHWC = "void cudnn::engines_precompiled::nchwToNhwcKernel<float, float, float, false, true, (cudnnKernelDataType_t)0>"
CONV = "sm90_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x64x32_warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn"
BATCH_NORM = "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>"
BATCH_NORM_NHWC = "void cudnn::batchnorm_fwtr_nhwc_semiPersist<float, float, float, 512, 16, 2, 4, 1, 0, false, false, true, 2>"
LERP = "void at::native::vectorized_elementwise_kernel<4, at::native::lerp_scalar_kernel>"
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"

# Where each cost is in the program.
LINES = {
    "input_starvation": "data.py:41", "batch_unpacking": "train.py:35", "tiny_h2d": "collate.py:27", "host_sync": "train.py:88", "norms": "clip.py:19",
    "pageable_copy": "train.py:61", "unfused_optimizer": "train.py:84", "steady_alloc": "buffers.py:33",
    "steady_compile": "model.py:70", "host_gap": "metrics.py:52", "loop_invariant": "model.py:38",
    "launch_bound": "", "sequential_generation": "generate.py:23", "unfused_attention": "model.py:47",
    "precision": "model.py:44", "hotspot": "sparse.py:15", "exposed_comm": "parallel.py:29", "exposed_copy": "train.py:61", "periodic_phase": "eval.py:12",
    "underfilled_gpu": "heads.py:18", "memory_layout": "conv.py:22", "recomputation": "model.py:44", "repeated_launches": "average.py:14", "repeated_backward": "trunk.py:19", "clock_change": "",
}


@dataclasses.dataclass
class Size:
    steps: int = 9
    layers: int = 6
    gemm: float = 120  # us of one matrix product
    small: float = 8  # us of one element-wise kernel
    host: float = 7  # us of the framework before a launch
    batch_mb: float = 4
    read_every: int = 1
    bookkeeping: float = 30  # us of Python at the step's end
    parameters: int = 60
    amount: float = 1  # size of the cost under test, 1 being the usual one
    hidden: bool = False  # the cost is where the device hides it
    lookalike: str = ""  # something that looks like a cost and is none


class Loop:
    """One program: `costs` that are in it, of one size."""

    def __init__(self, machine, costs, size, planted=()):
        self.m, self.costs, self.size, self.planted = machine, costs, size, planted

    def has(self, cost):
        return cost in self.costs

    def repaired(self, cost):
        """It was there, and its repair leaves the work that was meant."""
        return cost in self.planted and not self.has(cost)

    def run(self):
        if self.copies_ahead():
            self.copy_ahead()
        for step in range(self.size.steps):
            self.clock(step)
            with self.m.step():
                self.one(step)
        self.m.finish()
        return self.m

    # ---- parts that all loops share ---------------------------------------------------------------------------------
    def clock(self, step):
        if self.has("clock_change") or self.size.lookalike == "clock":
            slow = step >= 2 if self.has("clock_change") else step < 2
            self.m.counter("gpu.0.sm_clock_mhz", 1980 - int(330 * self.size.amount) if slow else 1980)

    def pace(self, step):
        slowed = self.has("clock_change") and step >= 2
        return 1 / (1 - 330 / 1980 * self.size.amount) if slowed else 1

    def data(self, step):
        m, size = self.m, self.size
        with m.phase("data"):
            if self.has("input_starvation") and size.lookalike != "loader":
                m.python(6000 * size.amount, LINES["input_starvation"])  # decoding and augmenting in the loop
            elif self.has("input_starvation"):
                m.next_batch(self.loader_us(), LINES["input_starvation"])
            elif self.has("batch_unpacking"):
                m.unpack_batch(int(30 * size.amount), 190, LINES["batch_unpacking"])
            elif self.repaired("batch_unpacking"):
                m.unpack_batch(3, 190, LINES["batch_unpacking"])
            else:
                m.next_batch(300)
            bytes_of_batch = int(size.batch_mb * 1e6)
            if self.has("tiny_h2d"):
                for _ in range(int(48 * size.amount)):
                    m.python(9)
                    if size.hidden:  # asynchronous: the host goes on
                        m.copy("h2d", "pageable", "device", 8, 1.2, LINES["tiny_h2d"], 4)
                    else:
                        m.upload(8, LINES["tiny_h2d"], pageable=True)
            if self.has("pageable_copy"):
                m.upload(int(bytes_of_batch * size.amount), LINES["pageable_copy"], True, 13 if size.hidden else 7)
            elif self.copies_ahead():
                m.wait_event(9, 7)
                self.copy_ahead()
            else:
                m.upload(int(bytes_of_batch * (size.amount if self.repaired("pageable_copy") else 1)), LINES["exposed_copy"], False)

    def copies_ahead(self):
        """Pinning alone leaves the copy in the stream of the compute."""
        return not {"pageable_copy", "exposed_copy"} & set(self.costs) and not self.repaired("pageable_copy")

    def copy_ahead(self):
        """The next batch, on a stream of its own."""
        self.m.upload(int(self.size.batch_mb * 1e6), LINES["exposed_copy"], False, 13)
        self.m.record_event(9, 13)

    def loader_us(self):
        return 9000 * self.size.amount

    def optimizer(self, step, at=LINES["unfused_optimizer"]):
        m, size = self.m, self.size
        with m.phase("optimizer"):
            if self.has("unfused_optimizer"):
                for _ in range(size.parameters):
                    for kernel in (MUL, ADD, SQRT, ADDCDIV):
                        m.op("aten::add_", [(kernel, 3.2 * size.amount)], at, host=8)
            elif size.lookalike == "foreach":
                for _ in range(14):
                    m.op("aten::_foreach_add_", [(FOREACH, 11)] * 4, at)
            else:
                m.op("aten::_fused_adamw_", [(ADAM, self.fused_us())] * 3, at)

    def fused_us(self):
        """One of three: Adam's traffic falls from 21 values a parameter to 7."""
        size = self.size
        traffic = 4 * size.parameters * (3.2 * size.amount - 1.5) / 3 if "unfused_optimizer" in self.planted else 0
        return max(30, traffic / 3)

    def ending(self, step):
        m, size = self.m, self.size
        with m.phase("log"):
            if self.has("host_sync") and step % size.read_every == 0:
                m.read(LINES["host_sync"])
            m.python(size.bookkeeping)
        if self.has("host_gap"):
            with m.phase("metrics"):
                self.gap(step)
        if self.has("steady_compile") and step % 3 == 1:
            m.call("cuModuleLoadData", 4000 * size.amount, LINES["steady_compile"])
        if self.has("steady_alloc"):
            self.allocate()

    def gap(self, step):
        m, us = self.m, 3500 * self.size.amount
        kind = self.size.lookalike if self.size.lookalike in ("io", "gc", "off_cpu") else "python"
        if kind == "python":
            m.python(us, LINES["host_gap"])
            m.op("aten::mul", [(MUL, 3)], LINES["host_gap"])
            return
        with m.range(kind, {"io": "write", "gc": "collect", "off_cpu": "sleep"}[kind], LINES["host_gap"]):
            m.python(us)

    def allocate(self):
        m, us = self.m, 350 * self.size.amount
        if self.size.hidden:
            m.call("cudaMallocAsync", us / 20, LINES["steady_alloc"])
            m.call("cudaMalloc", us, LINES["steady_alloc"])
        else:
            m.call("cudaMalloc", us, LINES["steady_alloc"])
            m.op("aten::copy_", [(ADD, 10)], LINES["steady_alloc"])
            m.free_memory(us, LINES["steady_alloc"])


class Transformer(Loop):
    """Blocks of attention and a perceptron, backward on autograd's thread, an optimizer."""

    def block(self, layer, pace):
        m, s = self.m, self.size
        gemm = GEMM_FP32 if self.has("precision") else GEMM_TF32 if s.lookalike == "tf32" else GEMM
        slow = pace * (1 + 3 * s.amount if self.has("precision") else 1)
        m.op("aten::layer_norm", [(NORM, s.small * pace)], "model.py:41", s.host)
        m.op("aten::linear", [(gemm, s.gemm * slow)], LINES["precision"], s.host)
        if self.has("loop_invariant") or s.lookalike == "positions":
            at = LINES["loop_invariant"]
            m.op("aten::arange", [(ARANGE, 2)], at, s.host)
            for kernel, name in [(TRIU, "aten::triu"), (MASKED, "aten::masked_fill")][: 0 if s.lookalike == "positions" else 2]:
                m.op(name, [(kernel, s.small * 2 * s.amount * pace)], at, s.host)
        self.attention(gemm, slow, pace)
        m.op("aten::linear", [(gemm, s.gemm * slow)], LINES["precision"], s.host)
        m.op("aten::gelu", [(GELU, s.small * pace)], "model.py:51", s.host)
        m.op("aten::linear", [(gemm, s.gemm * slow)], LINES["precision"], s.host)
        if s.lookalike == "router":  # a softmax between two products that is no attention
            m.op("aten::linear", [(gemm, s.gemm / 8 * pace)], "moe.py:20", s.host)
            m.op("aten::softmax", [(SOFTMAX, 3 * pace)], "moe.py:21", s.host)
            m.op("aten::topk", [(SORT, 5 * pace)], "moe.py:22", s.host)
            m.op("aten::linear", [(gemm, s.gemm * 2 * pace)], "moe.py:25", s.host)
        if self.has("hotspot") or self.has("hotspot_launches"):
            takes = s.amount * pace if self.has("hotspot") else 0.01
            m.op("aten::topk", [(SORT, 60 * takes), (BITONIC, 90 * takes)], LINES["hotspot"], s.host)
        if "memory_layout" in self.planted or s.lookalike == "channels_last":
            self.convolution(pace)
        if self.has("underfilled_gpu") or self.has("underfilled_gpu_launches"):
            stream = 11 if s.hidden else 7
            takes = s.gemm * 0.7 * s.amount * pace if self.has("underfilled_gpu") else 1
            for _ in range(4):
                m.op("aten::linear", [(gemm, takes)], LINES["underfilled_gpu"], s.host, stream, blocks=8)

    def convolution(self, pace):
        """In NCHW cuDNN converts, and batch normalisation takes as long again and a half."""
        m, s, at = self.m, self.size, LINES["memory_layout"]
        us = s.gemm * 0.5 * s.amount * pace
        if self.has("memory_layout"):
            m.op("aten::conv2d", [(TO_NHWC, us), (CONV, s.gemm * pace)], at, s.host)
            m.op("aten::batch_norm", [(BATCH_NORM, us)], at, s.host)
        else:
            m.op("aten::conv2d", [(CONV, s.gemm * pace)], at, s.host)
            m.op("aten::batch_norm", [(BATCH_NORM_NHWC, us * 0.45)], at, s.host)

    def attention(self, gemm, slow, pace):
        m, s, at = self.m, self.size, LINES["unfused_attention"]
        if not self.has("unfused_attention"):
            fused = 0.5 * (s.amount if self.repaired("unfused_attention") else 1)  # a third of the parts
            m.op("aten::scaled_dot_product_attention", [(FLASH, s.gemm * fused * pace)], at, s.host)
            return
        m.op("aten::bmm", [(gemm, s.gemm * 0.4 * s.amount * slow)], at, s.host)
        m.op("aten::masked_fill", [(MASKED, s.gemm * 0.3 * s.amount * pace)], at, s.host)
        m.op("aten::softmax", [(SOFTMAX, s.gemm * 0.5 * s.amount * pace)], at, s.host)
        m.op("aten::bmm", [(gemm, s.gemm * 0.4 * s.amount * slow)], at, s.host)

    def backward(self, pace):
        m, s = self.m, self.size
        gemm = GEMM_FP32 if self.has("precision") else GEMM
        slow = pace * (1 + 3 * s.amount if self.has("precision") else 1)
        with m.phase("backward"), m.backward_thread():
            for layer in range(s.layers):
                if self.has("recomputation"):
                    with m.range("node", "CheckpointFunctionBackward"):
                        for _ in range(int(8 * s.amount)):
                            m.op("aten::linear", [(gemm, s.gemm * slow)], LINES["recomputation"], s.host)
                for name in ("Addmm", "Gelu", "Mm", "NativeLayerNorm"):
                    kernels = [(gemm, s.gemm * slow)] * 2 if "mm" in name.lower() else [(MUL, s.small * pace)]
                    m.node(name, kernels, s.host)
                if self.has("exposed_comm") or self.repaired("exposed_comm") or s.lookalike == "comm":
                    self.reduce_gradients(last=layer == s.layers - 1)

    def reduce_gradients(self, last):
        """A bucket a layer, beside the backward pass; with the cost all of it at the end."""
        m, s = self.m, self.size
        if self.has("exposed_comm") and not last:
            return
        m.record_event(1, 7)
        m.wait_event(1, 9)
        times = s.layers if self.has("exposed_comm") else 1
        m.op("nccl:all_reduce", [(ALL_REDUCE, s.gemm * 0.6 * s.amount * times)], LINES["exposed_comm"], s.host, stream=9, blocks=24)
        if last:
            m.record_event(2, 9)
            m.wait_event(2, 7)

    def one(self, step):
        m, s, pace = self.m, self.size, self.pace(step)
        self.data(step)
        with m.phase("forward"):
            m.op("aten::embedding", [(EMBED, s.small * pace)], "model.py:30", s.host)
            for layer in range(s.layers):
                self.block(layer, pace)
            if s.lookalike == "fp32_head":
                m.op("aten::linear", [(GEMM_FP32, s.gemm * 0.15)], "model.py:66", s.host)
            m.op("aten::cross_entropy_loss", [(LOSS, s.small * 2 * pace)], "train.py:70", s.host)
        self.backward(pace)
        if "repeated_backward" in self.planted or s.lookalike == "two_optimizers":
            self.losses()
        if "norms" in self.planted:
            with m.phase("clip"):
                for _ in range(s.parameters):
                    m.op("aten::norm", [(REDUCE_NORM, 3)], LINES["norms"], s.host)
                    if self.has("norms"):
                        m.read(LINES["norms"])
        self.optimizer(step)
        if "repeated_launches" in self.planted:
            self.average()
        often = 8 if self.repaired("periodic_phase") and s.amount >= 1 else 4
        if "periodic_phase" in self.planted and step % often == 3 and (self.has("periodic_phase") or s.amount >= 1):
            with m.phase("eval"):
                for _ in range(max(1, int(6 * s.amount))):
                    for _ in range(s.layers if s.amount >= 1 else 1):
                        m.op("aten::linear", [(GEMM, s.gemm * pace)] * 2, LINES["periodic_phase"], s.host)
                if not self.has("eval_without_read"):
                    m.read(LINES["periodic_phase"])
        self.ending(step)


    def losses(self):
        """Two losses of one trunk, a backward pass for each; repaired, one of their sum."""
        m, s, at = self.m, self.size, LINES["repeated_backward"]
        with m.phase("forward"):
            trunk = [m.number() for _ in range(s.layers)]
            for number in trunk:
                m.op("aten::linear", [(GEMM, s.gemm * 0.5 * s.amount)], at, s.host, number=number)
            roots = [m.number(), m.number()]
            for number in roots:
                m.op("aten::mse_loss", [(LOSS, s.small)], "train.py:71", s.host, number=number)
        passes = [roots[::-1]] if self.repaired("repeated_backward") else [[root] for root in roots]
        for nth, firsts in enumerate(passes):
            self.trunk_gradients(firsts, trunk)
            if s.lookalike == "two_optimizers" and nth == 0:
                with m.range("scope", "Optimizer.step#SGD.step"):
                    m.op("aten::_foreach_add_", [(FOREACH, 5)], "train.py:85", s.host)

    def trunk_gradients(self, roots, trunk):
        m, s = self.m, self.size
        with m.phase("backward"), m.backward_thread():
            for number in roots:
                m.node("MseLoss", [(MUL, s.small)], s.host, number=number)
            for number in trunk[::-1]:
                m.node("Linear", [(GEMM, s.gemm * 0.5 * s.amount)] * 2, s.host, number=number)
                m.accumulate(ADD, 2, s.host)

    def average(self):
        """A moving average of the weights, parameter by parameter; repaired, one operation on all of them."""
        m, s = self.m, self.size
        times = int(s.parameters * s.amount) if self.has("repeated_launches") else 1
        with m.phase("average"):
            for _ in range(times):
                m.op("aten::lerp_", [(LERP, 2)], LINES["repeated_launches"], s.host)


class Generation(Loop):
    """A policy writes texts token by token, then is trained on them."""

    def token(self):
        m, s, at = self.m, self.size, LINES["sequential_generation"]
        for layer in range(3):
            m.op("aten::layer_norm", [(NORM, 3)], at, s.host)
            m.op("aten::linear", [(GEMM, 5)], at, s.host)
            m.op("aten::scaled_dot_product_attention", [(FLASH, 5)], at, s.host)
            m.op("aten::gelu", [(GELU, 2.5)], at, s.host)
            m.op("aten::linear", [(GEMM, 6)], at, s.host)
        m.op("aten::argmax", [("void at::native::reduce_kernel<512, 1, at::native::ArgMaxOps<float> >", 3)], at, s.host)

    def prompt(self):
        m, s, at = self.m, self.size, LINES["sequential_generation"]
        m.op("aten::embedding", [(EMBED, 4)], at, s.host)
        m.op("aten::index_copy_", [("void at::native::index_copy_kernel_impl<at::native::OpaqueType<2> >", 4)], at, s.host)

    def one(self, step):
        m, s = self.m, self.size
        self.data(step)
        with m.phase("generate"):
            for _ in range(4 if self.has("sequential_generation") else 1):
                self.prompt()
                for _ in range(24):
                    self.token()
        with m.phase("forward"):
            for _ in range(s.layers):
                m.op("aten::linear", [(GEMM, s.gemm)], "model.py:44", s.host)
                m.op("aten::gelu", [(GELU, s.small)], "model.py:51", s.host)
        with m.phase("backward"), m.backward_thread():
            for _ in range(s.layers):
                m.node("Addmm", [(GEMM, s.gemm)] * 2, s.host)
        self.optimizer(step)
        self.ending(step)
