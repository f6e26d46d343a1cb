"""The distribution of ../shared/oracle: for a seed, these are the very programs recorded there. A change here would end
that, since the order of the random draws counts; new ideas go into wide_profile.py."""
from functions import INPUT_AND_NUMBER, ORACLE
from program import NUMBERS, Program, wants_grad

SAFE = ["SafeSquare", "UnsafeSquare", "SafeMul", "SaveOutExp", "UnsafeOutExp"]
# How often a step is a view, an in-place write or a custom Function (of `fns`), or runs under no_grad.
THEMES = {
    "basic": dict(view=.02, inp=.02, fn=.25, fns=SAFE, ng=.04),
    "functions": dict(view=.04, inp=.06, fn=.38, fns=ORACLE, ng=.04),
    "inplace": dict(view=.06, inp=.28, fn=.14, fns=SAFE, ng=.06),
    "views": dict(view=.24, inp=.20, fn=.08, fns=SAFE, ng=.08),
    "everything": dict(view=.15, inp=.16, fn=.18, fns=ORACLE, ng=.08),
}
SHAPES = [[], [1], [2], [3], [3], [3], [2, 3], [2, 1], [1, 3], [2, 2], [2, 2], [4]]
UNARY = ["neg", "exp", "tanh", "sigmoid", "relu", "erf", "sqrt", "log", "gelu", "pow", "sum", "mean", "clone", "matmul"]
VIEWS = ["view", "reshape", "select", "narrow", "t", "unsqueeze", "expand", "detach", "data", "detach"]
INPLACE = ["add_", "sub_", "mul_", "mul_", "div_", "copy_", "zero_", "exp_", "tanh_", "sigmoid_", "relu_", "neg_",
           "fill_", "set_index", "raw_mul"]
FLAGS = ["requires_grad_", "retain_grad", "clear_grad", "detach_", "drop"]


class OracleProgram(Program):
    def __init__(self, r, theme, dtype):
        super().__init__(r)
        self.theme = theme
        self.dtype = dtype

    def leaf(self, shape=None, requires_grad=None):
        shape = shape if shape is not None else self.r.choice(SHAPES)
        count = 1
        for size in shape:
            count *= size
        self.do("tensor", out=[self.new()], shape=shape, dtype=self.dtype,
                values=[self.r.choice(NUMBERS).hex() for _ in range(count)],
                requires_grad=(self.r.random() < .75) if requires_grad is None else requires_grad)

    def binary(self, ng):
        r = self.r
        a = self.pick()
        b = self.like(a) if r.random() < .8 else (self.pick() if r.random() < .5 else r.choice(NUMBERS))
        op = r.choice(["add", "sub", "mul", "mul", "div"])
        self.do(op, [a, b], [self.new()], **ng)

    def unary(self, ng):
        op = self.r.choice(UNARY)
        out = [self.new()]
        if op == "pow":
            a = self.pick()
            self.do(op, [a], out, exponent=self.r.choice([2, 3, 0.5, 1, 0]), **ng)
        elif op == "matmul":
            a = self.pick(lambda t: t.dim() in (1, 2))
            self.do(op, [a, self.pick(lambda t: t.dim() in (1, 2))], out, **ng)
        else:
            self.do(op, [self.pick()], out, **ng)

    def view(self, ng):
        r = self.r
        a = self.pick(lambda t: t.dim() > 0)
        t = self.live[a]
        op = r.choice(VIEWS)
        if op in ("view", "reshape"):
            n = t.numel()
            shape = r.choice([[n], [n, 1], [1, n], [-1], [2, n // 2] if n % 2 == 0 else [n]])
            self.do(op, [a], [self.new()], shape=shape, **ng)
        elif op == "select" and t.dim() > 0:
            dim = r.randrange(t.dim())
            self.do(op, [a], [self.new()], dim=dim, index=r.randrange(t.shape[dim]), **ng)
        elif op == "narrow" and t.dim() > 0:
            dim = r.randrange(t.dim())
            start = r.randrange(t.shape[dim])
            self.do(op, [a], [self.new()], dim=dim, start=start, length=r.randint(1, t.shape[dim] - start), **ng)
        elif op == "t" and t.dim() <= 2:
            self.do(op, [a], [self.new()], **ng)
        elif op == "unsqueeze":
            self.do(op, [a], [self.new()], dim=r.randint(0, t.dim()), **ng)
        elif op == "expand":
            self.do(op, [a], [self.new()], shape=[2] + list(t.shape), **ng)
        else:
            self.do("data" if op == "data" else "detach", [a], [self.new()], **ng)

    def inplace(self):
        r = self.r
        ng = {"no_grad": True} if r.random() < .45 else {}
        a = self.pick()
        op = r.choice(INPLACE)
        if op in ("add_", "sub_", "mul_", "div_", "copy_"):
            b = r.choice(NUMBERS) if r.random() < .5 and op != "copy_" else self.like(a)
            self.do(op, [a, b], **ng)
        elif op == "fill_":
            self.do(op, [a], value=r.choice(NUMBERS), **ng)
        elif op == "set_index":
            if self.live[a].dim() > 0:
                value = r.choice(NUMBERS)
                self.do(op, [a, value], index=r.randrange(self.live[a].shape[0]), **ng)
        elif op == "raw_mul":
            self.do(op, [a, r.choice(NUMBERS)])
        else:
            self.do(op, [a], **ng)

    def function(self, ng):
        r = self.r
        name = r.choice(self.theme["fns"])
        a = self.pick()
        inputs = [a]
        if name in ("SafeMul", "TooFewGrads", "NoneGrad"):
            inputs.append(self.like(a))
        elif name in INPUT_AND_NUMBER:
            inputs.append(r.choice(NUMBERS))
        out = [self.new() for _ in range(2 if name in ("DoubleTriple", "DoubleAndSign", "NotMaterialized") else 1)]
        self.do("apply" if r.random() < .93 else "forward_directly", inputs, out, function=name, **ng)

    def differentiate(self):
        r = self.r
        a = self.pick()
        if self.live[a].dim() != 0 and r.random() < .9:
            total = self.new()
            self.do("sum", [a], [total])
            a = total
            if total not in self.live:
                return
        if r.random() < .75:
            self.do("backward", [a], retain_graph=r.random() < .3, create_graph=r.random() < .08)
            return
        inputs = list(dict.fromkeys([self.pick(wants_grad) for _ in range(r.randint(1, 2))]))
        self.do("grad", [a] + inputs, [self.new() for _ in inputs], retain_graph=r.random() < .4,
                create_graph=r.random() < .3, allow_unused=r.random() < .5)

    def flag(self):
        op = self.r.choice(FLAGS)
        if op == "drop" and len(self.live) < 3:
            return
        a = self.pick()
        if op == "requires_grad_":
            self.do(op, [a], value=self.r.random() < .6)
        else:
            self.do(op, [a])

    def write(self):
        r = self.r
        theme = self.theme
        self.leaf(requires_grad=True)
        for _ in range(r.randint(0, 2)):
            self.leaf(shape=list(self.live["t1"].shape) if r.random() < .7 else None)
        length = r.randint(4, 14)
        while len(self.steps) < length:
            k = r.random()
            ng = {"no_grad": True} if r.random() < theme["ng"] else {}
            if k < .06:
                self.leaf(shape=list(self.live[self.pick()].shape))
            elif k < .26:
                self.binary(ng)
            elif k < .36:
                self.unary(ng)
            elif k < .36 + theme["view"]:
                self.view(ng)
            elif k < .36 + theme["view"] + theme["inp"]:
                self.inplace()
            elif k < .36 + theme["view"] + theme["inp"] + theme["fn"]:
                self.function(ng)
            elif k < .93:
                self.differentiate()
            else:
                self.flag()
        return self.end()


def program(r, theme):
    dtype = "float64" if r.random() < .12 else "float32"
    return OracleProgram(r, THEMES[theme], dtype).write()
