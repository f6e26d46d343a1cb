"""More of everything: shapes without elements and of rank 3, every op of the engine, mixed dtypes, indices and shapes
that do not fit, gradients given by hand, gradients of several outputs, double backward in chains, views of views,
Functions that misuse what they save."""
from math import prod

from functions import INPUT_AND_NUMBER, ORACLE, TWO_INPUTS, TWO_OUTPUTS, WIDE
from program import NUMBERS, Program, has_grad, is_leaf, wants_grad

SHAPES = [[], [], [1], [2], [3], [3], [4], [0], [2, 3], [3, 2], [2, 1], [1, 3], [2, 2], [1, 1], [2, 0], [2, 3, 2],
          [2, 1, 3], [1, 2, 2]]
# The weights of the kinds of steps, named as the methods below.
THEMES = {
    "shapes": dict(leaf=1, binary=3, unary=3, reduce=2, view=5, inplace=2, function=1, differentiate=3, flag=1),
    "viewchain": dict(leaf=.5, binary=1, unary=.5, view=7, inplace=6, function=1.5, differentiate=3, flag=1.5),
    "double": dict(leaf=.5, binary=4, unary=3, reduce=1, view=2, inplace=.5, function=3, differentiate=5, flag=.5),
    "misuse": dict(leaf=.5, binary=1.5, unary=.5, view=1.5, inplace=2.5, function=6, differentiate=4, flag=1),
    "retain": dict(leaf=.5, binary=2, unary=1, view=3, inplace=4, function=1.5, differentiate=4, flag=5),
    "mixed": dict(leaf=2, binary=3, unary=2, reduce=1, compare=3, view=2, inplace=3, function=1.5, differentiate=3,
                  flag=1),
    "all": dict(leaf=1, binary=2, unary=2, reduce=1, compare=1, view=3, inplace=3, function=3, differentiate=4, flag=2),
}
UNARY = ["neg", "exp", "tanh", "sigmoid", "relu", "erf", "sqrt", "log", "gelu", "clone", "abs", "sign", "reciprocal",
         "contiguous"]
INPLACE = ["add_", "sub_", "mul_", "mul_", "div_", "copy_", "copy_", "zero_", "exp_", "tanh_", "sigmoid_", "relu_",
           "neg_", "fill_", "fill_", "set_index", "raw_mul", "increment_version"]
VIEWS = ["view", "view", "reshape", "reshape", "select", "select", "narrow", "narrow", "t", "t", "unsqueeze", "squeeze",
         "expand", "expand", "detach", "data", "view_as", "get_index", "as_strided"]
FLAGS = ["requires_grad_", "retain_grad", "retain_grad", "clear_grad", "detach_", "drop", "take_grad", "set_grad"]


class WideProgram(Program):
    def __init__(self, r, theme):
        super().__init__(r)
        self.theme = theme
        self.dtypes = ["float32"] if r.random() < .75 else ["float64"]
        if theme == "mixed":
            self.dtypes = ["float32", "float32", "float32", "float64", "float64", "int64", "bool", "int32"]
        self.ng_share = r.choice([0, .05, .2])

    def ng(self, share=None):
        return {"no_grad": True} if self.r.random() < (self.ng_share if share is None else share) else {}

    def chance(self, p):
        return self.r.random() < p

    def number(self):
        return self.r.choice(NUMBERS) if self.chance(.8) else self.r.choice([-1, 0, 1, 2, 3])

    def leaf(self, shape=None, requires_grad=None):
        r = self.r
        if shape is None:
            shape = list(self.live[self.pick()].shape) if self.live and self.chance(.6) else r.choice(SHAPES)
        dtype = r.choice(self.dtypes)
        is_float = dtype.startswith("float")
        numbers = NUMBERS if is_float else [0.0, 1.0] if dtype == "bool" else [-2.0, -1.0, 0.0, 1.0, 3.0]
        values = [r.choice(numbers).hex() for _ in range(prod(shape))]
        if requires_grad is None:
            requires_grad = self.chance(.7 if is_float else .03)
        self.do("tensor", out=[self.new()], shape=shape, dtype=dtype, values=values, requires_grad=requires_grad)

    def binary(self):
        a = self.pick()
        op = self.r.choice(["add", "sub", "mul", "mul", "div", "maximum", "minimum", "rsub", "rdiv", "matmul"])
        if op in ("rsub", "rdiv"):
            b = self.number()
        elif op == "matmul":
            a = self.pick(lambda t: t.dim() in (1, 2))
            inner = self.live[a].shape[-1] if self.live[a].dim() else 1
            b = self.pick(lambda t: 1 <= t.dim() <= 2 and t.shape[0] == inner) if self.chance(.9) else self.pick()
            # matrices in batches are no op of the engine
            if self.live[a].dim() > 2 or self.live[b].dim() > 2:
                return
        elif op in ("maximum", "minimum") or self.chance(.75):
            b = self.like(a) if self.chance(.7) else self.pick()
        else:
            b = self.number()
        self.do(op, [a, b], [self.new()], **self.ng())

    def unary(self):
        op = self.r.choice(UNARY + ["pow", "pow", "clamp", "to"])
        arguments = {}
        if op == "pow":
            arguments["exponent"] = self.r.choice([2, 3, 0.5, 1, 0, -1, 1.5, -2.0])
        elif op == "clamp":
            low, high = self.number(), self.number()
            arguments.update(low=min(low, high), high=max(low, high))
        elif op == "to":
            arguments["dtype"] = self.r.choice(["float32", "float64"] if len(self.dtypes) == 1 else self.dtypes)
        self.do(op, [self.pick()], [self.new()], **arguments, **self.ng())

    def reduce(self):
        op = self.r.choice(["sum", "sum", "mean", "max", "min"])
        a = self.pick()
        arguments = {}
        if op == "sum" and self.chance(.7):
            rank = self.live[a].dim()
            dims = [self.dim(rank) for _ in range(self.r.randint(1, 2))]
            arguments.update(dims=dims, keepdim=self.chance(.5))
        self.do(op, [a], [self.new()], **arguments, **self.ng())

    def compare(self):
        a = self.pick()
        b = self.like(a) if self.chance(.8) else self.pick()
        if self.chance(.6):
            self.do(self.r.choice(["eq", "ne", "lt", "le", "gt", "ge"]), [a, b], [self.new()], **self.ng())
        else:
            condition = self.pick(lambda t: str(t.dtype) == "torch.bool")
            self.do("where", [condition, a, b], [self.new()], **self.ng())

    def dim(self, rank):
        """Mostly one that exists, counted from either end."""
        if self.chance(.04):
            return self.r.choice([rank, -rank - 1, 5])
        return self.r.randrange(-rank, rank) if rank else self.r.choice([0, -1])

    def index(self, size):
        if size == 0 or self.chance(.05):
            return self.r.choice([size, -size - 1])
        return self.r.randrange(-size, size) if self.chance(.3) else self.r.randrange(size)

    def size(self, a, dim):
        t = self.live[a]
        return t.shape[dim] if -t.dim() <= dim < t.dim() else 1

    def view(self):
        r = self.r
        a = self.pick(lambda t: t.dim() > 0) if self.chance(.9) else self.pick()
        t = self.live[a]
        op = r.choice(VIEWS)
        inputs, arguments = [a], {}
        if op in ("view", "reshape"):
            n = t.numel()
            shapes = [[n], [n, 1], [1, n], [-1], [2, -1], [2, n // 2], [n // 2, 2], [3, n // 3], [1, n, 1],
                      list(t.shape)[::-1]]
            fitting = [s for s in shapes if -1 in s or prod(s) == n]
            arguments["shape"] = r.choice(fitting if self.chance(.93) else shapes + [[-1, -1], [n + 1], [-2, n]])
        elif op == "select":
            arguments["dim"] = self.dim(t.dim())
            arguments["index"] = self.index(self.size(a, arguments["dim"]))
        elif op == "get_index":
            arguments["index"] = self.index(t.shape[0] if t.dim() else 1)
        elif op == "narrow":
            arguments["dim"] = dim = self.dim(t.dim())
            size = self.size(a, dim)
            arguments["start"] = start = self.index(size)
            left = size - (start + size if start < 0 else start)
            arguments["length"] = r.randint(0, max(left, 0)) if self.chance(.93) else r.choice([-1, left + 1])
        elif op in ("unsqueeze", "squeeze"):
            arguments["dim"] = self.dim(t.dim() + (op == "unsqueeze"))
        elif op == "expand":
            shape = [r.choice([-1, size]) if size != 1 else r.choice([1, 2, 3, -1]) for size in t.shape]
            if self.chance(.4):
                shape = [r.choice([1, 2])] + shape
            if self.chance(.05):
                shape = r.choice([shape[1:], [-1] + shape, shape + [2]])
            arguments["shape"] = shape
        elif op == "view_as":
            inputs.append(self.like(a) if self.chance(.5) else self.pick(lambda u: u.numel() == t.numel()))
        elif op == "as_strided":
            if t.numel() < 2 or not t.is_contiguous():
                return
            offset = t.storage_offset()
            arguments.update(r.choice([dict(shape=[2], stride=[1], offset=offset),
                                       dict(shape=[t.numel()], stride=[1], offset=offset),
                                       dict(shape=[1, 2], stride=[2, 1], offset=offset),
                                       dict(shape=[], stride=[], offset=offset + 1)]))
        self.do(op, inputs, [self.new()], **arguments, **self.ng())

    def inplace(self):
        r = self.r
        a = self.pick(lambda t: not (wants_grad(t) and is_leaf(t))) if self.chance(.6) else self.pick()
        op = r.choice(INPLACE)
        inputs, arguments = [a], {}
        if op in ("add_", "sub_", "mul_", "div_", "copy_"):
            if op != "copy_" and self.chance(.4):
                inputs.append(self.number())
            else:
                inputs.append(self.like(a) if self.chance(.8) else self.pick())
        elif op == "fill_":
            if self.chance(.7):
                arguments["value"] = self.number()
            else:
                inputs.append(self.pick(lambda t: t.dim() == 0) if self.chance(.9) else self.pick())
        elif op == "set_index":
            inputs.append(self.number())
            arguments["index"] = self.index(self.live[a].shape[0] if self.live[a].dim() else 1)
        elif op == "raw_mul":
            inputs.append(r.choice(NUMBERS))
        self.do(op, inputs, **arguments, **self.ng(.3))

    def function(self):
        r = self.r
        name = r.choice(WIDE if self.theme == "misuse" or self.chance(.6) else ORACLE)
        a = self.pick(lambda t: t.dtype.is_floating_point)
        inputs = [a]
        if name in TWO_INPUTS:
            inputs.append(self.like(a) if self.chance(.9) else self.pick())
        elif name in INPUT_AND_NUMBER:
            inputs.append(r.choice(NUMBERS))
        out = [self.new() for _ in range(2 if name in TWO_OUTPUTS else 1)]
        self.do("apply" if self.chance(.95) else "forward_directly", inputs, out, function=name, **self.ng())

    def differentiate(self):
        if self.chance(.4):
            return self.gradients()
        a = self.pick(wants_grad)
        inputs = [a]
        if self.live[a].numel() != 1 or self.chance(.1):
            if self.chance(.45):
                inputs.append(self.like(a) if self.chance(.85) else self.pick())
            elif self.chance(.9):
                total = self.new()
                if self.do("sum", [a], [total]):
                    return None
                inputs = [total]
        return self.do("backward", inputs, retain_graph=self.chance(.4), create_graph=self.chance(.2))

    def gradients(self):
        """Of one or more outputs; often with create_graph, so that a later step differentiates the gradients."""
        r = self.r
        outputs = [self.pick(wants_grad) for _ in range(1 if self.chance(.75) else 2)]
        for i, name in enumerate(outputs):
            if self.live[name].numel() != 1 and self.chance(.6):
                total = self.new()
                if self.do("sum", [name], [total]):
                    return None
                outputs[i] = total
        arguments = {}
        if len(outputs) > 1:
            arguments["outputs"] = len(outputs)
        given = []
        if any(self.live[name].numel() != 1 for name in outputs) and self.chance(.9):
            # Of several outputs PyTorch looks a gradient that does not fit up by ==, whose own error then comes first.
            given = [self.like(name) if len(outputs) > 1 or self.chance(.95) else self.pick() for name in outputs]
            arguments["grad_outputs"] = True
        leaves = self.chance(.6)
        wanted = lambda t: wants_grad(t) and (is_leaf(t) or not leaves)
        inputs = [self.pick(wanted) for _ in range(r.randint(1, 2))]
        if self.chance(.95):
            inputs = list(dict.fromkeys(inputs))
        return self.do("grad", outputs + given + inputs, [self.new() for _ in inputs], **arguments,
                       retain_graph=self.chance(.5), create_graph=self.chance(.7 if self.theme == "double" else .4),
                       allow_unused=self.chance(.7))

    def flag(self):
        op = self.r.choice(FLAGS)
        if op == "drop" and len(self.live) < 3:
            return
        a = self.pick()
        if op == "requires_grad_":
            self.do(op, [a], value=self.chance(.6))
        elif op == "take_grad":
            self.do(op, [self.pick(has_grad)], [self.new()])
        elif op == "set_grad":
            self.do(op, [a, self.like(a) if self.chance(.9) else self.pick()])
        else:
            self.do(op, [a])

    def write(self):
        self.leaf(shape=self.r.choice(SHAPES), requires_grad=True if len(self.dtypes) == 1 else None)
        for _ in range(self.r.randint(0, 2)):
            self.leaf()
        weights = THEMES[self.theme]
        length = self.r.randint(4, 16)
        tries = 0
        while len(self.steps) < length and tries < 100:
            tries += 1
            kind = self.r.choices(list(weights), list(weights.values()))[0]
            getattr(self, kind if self.live else "leaf")()  # the first leaf may have raised
        return self.end()


def program(r, theme):
    return WideProgram(r, theme).write()
