#!/usr/bin/env python3
"""PyTorch's side of kernels_cpu.cpp and cuda.cpp: the same ops under the same names, timed the same way.

  torch_kernels.py [--device cpu|cuda] [--seconds S] NAME/n/threads ...   prints one line of JSON for each
  torch_kernels.py --serve                                                for each line "DEVICE SECONDS NAME/n/threads"
"""

import argparse
import gc
import json
import math
import statistics
import sys
import time

import torch
from torch.nn.functional import gelu

# As few layers of Python as there are: torch.ops.aten.gelu_backward itself looks its overload up at each call.
gelu_out = torch._C._nn.gelu
gelu_backward = torch.ops.aten.gelu_backward.default
gelu_backward_out = torch.ops.aten.gelu_backward.grad_input


class FusedGELU(torch.autograd.Function):
    """The chapter's Function around two kernels."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return gelu(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return gelu_backward(grad_output, x)


def arithmetic(x, grad_output):
    """The chapter's backward, op by op."""
    sqrt_2_inv = 0.7071067811865476
    sqrt_2pi_inv = 0.3989422804014327
    cdf = 0.5 * (1.0 + torch.erf(x * sqrt_2_inv))
    pdf = sqrt_2pi_inv * torch.exp(-0.5 * x * x)
    d_gelu = cdf + x * pdf
    return grad_output * d_gelu


class GraphReplay:
    """Ops captured in a CUDA graph: their cost when launching costs next to nothing. One call runs `ops` of them."""

    def __init__(self, op, ops=100):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                op()
        torch.cuda.current_stream().wait_stream(stream)
        self.ops = ops
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            for _ in range(ops):
                op()

    def __call__(self):
        self.graph.replay()


def triton_kernels():
    """(forward, backward) as a reader of the chapter would write them for any n."""
    import triton
    import triton.language as tl

    @triton.jit
    def forward_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        x = tl.load(x_ptr + offsets, mask=mask)
        cdf = 0.5 * (1.0 + tl.math.erf(x * 0.7071067811865476))
        tl.store(out_ptr + offsets, x * cdf, mask=mask)

    @triton.jit
    def backward_kernel(grad_ptr, x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        x = tl.load(x_ptr + offsets, mask=mask)
        grad = tl.load(grad_ptr + offsets, mask=mask)
        cdf = 0.5 * (1.0 + tl.math.erf(x * 0.7071067811865476))
        pdf = 0.3989422804014327 * tl.exp(-0.5 * x * x)
        tl.store(out_ptr + offsets, grad * (cdf + x * pdf), mask=mask)

    def launch(kernel, *tensors):
        n = tensors[0].numel()
        kernel[(triton.cdiv(n, 1024),)](*tensors, n, BLOCK=1024)

    return (lambda x, out: launch(forward_kernel, x, out)), (lambda g, x, out: launch(backward_kernel, g, x, out))


def make_op(name, device, n):
    """The op of that name on fresh normal random inputs."""

    def random(*shape):
        return torch.randn(*shape, device=device)

    rows = 1 << (n.bit_length() // 2)  # of a matrix, for n = 2^k
    columns = n // rows

    if name.endswith("_graph"):
        return GraphReplay(make_op(name.removesuffix("_graph"), device, n))
    if name in ("step", "step_function"):
        x = random(n).requires_grad_()
        apply = gelu if name == "step" else FusedGELU.apply

        def step():
            apply(x).sum().backward()
            x.grad = None

        return step
    if name == "forward_sliced":
        x = random(rows, 2 * columns)[:, :columns]
        return lambda: gelu(x)
    if name == "backward_transposed":
        x, grad = random(rows, columns), random(columns, rows).t()
        return lambda: gelu_backward(grad, x)
    if name.endswith("_unaligned"):
        x, grad, out = random(n + 1)[1:], random(n + 1)[1:], torch.empty(n + 1, device=device)[1:]
    else:
        x, grad, out = random(n), random(n), torch.empty(n, device=device)
    expanded = random(()).expand(n)
    if name.endswith("_triton"):
        forward, backward = triton_kernels()
        return (lambda: forward(x, out)) if name == "forward_triton" else (lambda: backward(grad, x, out))
    return {
        "copy": lambda: out.copy_(x),
        "forward_into": lambda: gelu_out(x, out=out),
        "forward_fresh": lambda: gelu(x),
        "backward_into": lambda: gelu_backward_out(grad, x, grad_input=out),
        "backward_fresh": lambda: gelu_backward(grad, x),
        "backward_expanded": lambda: gelu_backward(expanded, x),
        "backward_arithmetic": lambda: arithmetic(x, grad),
        "sum": lambda: x.sum(),
        "forward_unaligned": lambda: gelu_out(x, out=out),
        "backward_unaligned": lambda: gelu_backward_out(grad, x, grad_input=out),
    }[name]


def errors(name):
    """The largest and the mean absolute error against float64 over [-12, 12], as in kernels_cpu.cpp."""
    n = 1 << 20
    x = (24.0 * torch.arange(n, dtype=torch.float64) / n - 12.0).float()
    exact = x.double()
    cdf = 0.5 * torch.special.erfc(-exact / math.sqrt(2))
    if name == "forward_errors":
        result, right = gelu(x), exact * cdf
    else:
        pdf = torch.exp(-0.5 * exact * exact) / math.sqrt(2 * math.pi)
        result, right = gelu_backward(torch.ones(()).expand(n), x), cdf + exact * pdf
    error = (result.double() - right).abs()
    return {"largest": error.max().item(), "mean": error.mean().item()}


def measure(op, device, seconds):
    """timing.h's measure()."""
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None

    def time_batch(count):
        begin = time.perf_counter_ns()
        for _ in range(count):
            op()
        wait()
        return time.perf_counter_ns() - begin

    batch_ns = 10e6 if device == "cuda" else 1e6
    count = 1
    op()
    wait()
    while time_batch(count) < batch_ns:
        count *= 2
    times = []
    while sum(times) < seconds * 1e9:
        times.append(time_batch(count))
    return {"ns": statistics.median(times) / count / getattr(op, "ops", 1)}


def answer(device, seconds, case):
    try:
        if case.endswith("_errors"):
            result = errors(case)
        else:
            name, n, threads = case.split("/")
            torch.set_num_threads(int(threads))
            result = measure(make_op(name, device, int(n)), device, seconds)
    except Exception as error:  # pylint: disable=broad-except  # one case's failure leaves the others
        result = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps({"case": case, **result}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--seconds", type=float, default=0.1, help="for each case, warm-up not counted")
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    gc.disable()
    if options.serve:
        cuda = torch.cuda.get_device_name() if torch.cuda.is_available() else None
        print(json.dumps({"torch": torch.__version__, "cuda_device": cuda}), flush=True)
        for line in sys.stdin:
            device, seconds, case = line.split()
            answer(device, float(seconds), case)
    for case in options.cases:
        answer(options.device, options.seconds, case)


if __name__ == "__main__":
    main()
