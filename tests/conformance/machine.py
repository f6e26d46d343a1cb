"""Runs one step of a program on PyTorch and records what shows afterwards. machine.cpp does the same on the engine."""
import math
import warnings

import torch

from functions import FUNCTIONS

warnings.simplefilter("ignore")
torch.set_num_threads(1)

UNARY = {"neg", "exp", "tanh", "sigmoid", "relu", "erf", "sqrt", "log", "clone", "detach", "mean", "t", "abs", "sign",
         "max", "min", "contiguous", "reciprocal"}
BINARY = {"add", "sub", "mul", "div", "matmul", "maximum", "minimum", "eq", "ne", "lt", "le", "gt", "ge", "view_as"}
INPLACE = {"zero_", "exp_", "tanh_", "sigmoid_", "relu_", "neg_"}
INPLACE_BINARY = {"add_", "sub_", "mul_", "div_", "copy_"}


class StandIn:
    """The ctx of a learner who calls forward by hand."""

    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors

    def mark_dirty(self, *tensors):
        pass

    def mark_non_differentiable(self, *tensors):
        pass

    def set_materialize_grads(self, value):
        pass


def hexes(tensor):
    def text(value):
        if math.isnan(value):
            return "nan"
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        return float(value).hex()
    tensor = tensor.detach()
    if tensor._is_zerotensor():  # has no memory to read
        tensor = tensor.clone()
    return [text(value) for value in tensor.flatten().tolist()]


def observe(tensor):
    """The fields, asked for in an order that observe.cpp keeps: reading grad_fn makes a view regenerate it."""
    seen = {"shape": list(tensor.shape), "stride": list(tensor.stride()), "offset": tensor.storage_offset(),
            "dtype": str(tensor.dtype)[6:], "values": hexes(tensor), "version": tensor._version}

    def ask(field, get):
        try:
            seen[field] = get()
        except RuntimeError as error:
            seen[field] = "error: " + str(error)

    ask("requires_grad", lambda: tensor.requires_grad)
    ask("is_leaf", lambda: tensor.is_leaf)
    ask("grad_fn", lambda: None if tensor.grad_fn is None else type(tensor.grad_fn).__name__)
    ask("output_nr", lambda: tensor.output_nr)
    try:
        grad = tensor.grad
        seen["grad"] = None if grad is None else hexes(grad)
        if grad is not None:
            seen["grad_shape"] = list(grad.shape)
            seen["grad_requires_grad"] = grad.requires_grad
    except RuntimeError:
        seen["grad"] = None
    return seen


class Machine:
    def __init__(self):
        self.v = {}      # the live tensors by name
        self.seen = {}   # what each showed after the step before

    def step(self, st):
        """Runs the step and puts what shows after it into st["then"]. Whether it raised."""
        then = {}
        try:
            with torch.no_grad() if st.get("no_grad") else torch.enable_grad():
                self.run(st)
        except Exception as error:
            then["error"] = {"type": type(error).__name__, "message": str(error)}
        state = {}
        for name, tensor in self.v.items():
            now = observe(tensor)
            before = self.seen.get(name, {})
            changes = {field: value for field, value in now.items() if before.get(field, "?") != value}
            if changes:
                state[name] = changes
            self.seen[name] = now
        for name in [name for name in self.seen if name not in self.v]:
            del self.seen[name]
        if state:
            then["state"] = state
        st["then"] = then
        return "error" in then

    def run(self, st):
        do = st["do"]
        a = [self.v[x] if isinstance(x, str) else x for x in st.get("in", [])]

        def out(*tensors):
            for name, tensor in zip(st["out"], tensors):
                if tensor is None:
                    self.v.pop(name, None)
                else:
                    self.v[name] = tensor

        if do == "tensor":
            values = [float.fromhex(value) for value in st["values"]]
            leaf = torch.tensor(values, dtype=getattr(torch, st["dtype"])).reshape(st["shape"]).clone()
            out(leaf.requires_grad_(st["requires_grad"]))
        elif do in UNARY:
            out(getattr(a[0], do)())
        elif do in BINARY:
            out(getattr(torch, do)(a[0], a[1]) if do != "view_as" else a[0].view_as(a[1]))
        elif do == "rsub":
            out(a[1] - a[0])
        elif do == "rdiv":
            out(a[1] / a[0])
        elif do == "where":
            out(torch.where(a[0], a[1], a[2]))
        elif do == "gelu":
            out(torch.nn.functional.gelu(a[0]))
        elif do == "data":
            out(a[0].data)
        elif do == "pow":
            out(a[0].pow(st["exponent"]))
        elif do == "clamp":
            out(a[0].clamp(st["low"], st["high"]))
        elif do == "to":
            out(a[0].to(getattr(torch, st["dtype"])))
        elif do == "sum":
            out(a[0].sum(dim=st["dims"], keepdim=st["keepdim"]) if "dims" in st else a[0].sum())
        elif do in ("view", "reshape", "expand"):
            out(getattr(a[0], do)(st["shape"]))
        elif do == "select":
            out(a[0].select(st["dim"], st["index"]))
        elif do == "get_index":
            out(a[0][st["index"]])
        elif do == "narrow":
            out(a[0].narrow(st["dim"], st["start"], st["length"]))
        elif do in ("unsqueeze", "squeeze"):
            out(getattr(a[0], do)(st["dim"]))
        elif do == "as_strided":
            out(a[0].as_strided(st["shape"], st["stride"], st["offset"]))
        elif do in INPLACE_BINARY:
            getattr(a[0], do)(a[1])
        elif do in INPLACE:
            getattr(a[0], do)()
        elif do == "fill_":
            a[0].fill_(st["value"] if "value" in st else a[1])
        elif do == "set_index":
            a[0][st["index"]] = a[1]
        elif do == "raw_mul":
            a[0].data.mul_(a[1])  # a kernel writing memory: no version counter moves
        elif do == "increment_version":
            torch.autograd.graph.increment_version(a[0])
        elif do == "apply":
            result = FUNCTIONS[st["function"]].apply(*a)
            out(*(result if isinstance(result, tuple) else (result,)))
        elif do == "forward_directly":
            result = FUNCTIONS[st["function"]].forward(StandIn(), *a)
            out(*(result if isinstance(result, tuple) else (result,)))
        elif do == "requires_grad_":
            a[0].requires_grad_(st["value"])
        elif do == "retain_grad":
            a[0].retain_grad()
        elif do == "detach_":
            a[0].detach_()
        elif do == "take_grad":
            out(a[0].grad)
        elif do == "set_grad":
            a[0].grad = a[1]
        elif do == "clear_grad":
            a[0].grad = None
        elif do == "backward":
            a[0].backward(*a[1:2], retain_graph=st["retain_graph"], create_graph=st["create_graph"])
        elif do == "grad":
            n = st.get("outputs", 1)
            given = n if st.get("grad_outputs") else 0
            out(*torch.autograd.grad(a[:n], a[n + given:], a[n:n + given] or None, retain_graph=st["retain_graph"],
                                     create_graph=st["create_graph"], allow_unused=st["allow_unused"]))
        elif do == "drop":
            del self.v[st["in"][0]]
        else:
            raise SystemExit("unknown step " + do)


def record(steps):
    """Runs the steps afresh; whatever "then" they had is replaced."""
    machine = Machine()
    for st in steps:
        machine.step(st)
    return steps
