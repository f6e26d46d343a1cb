"""The custom Functions that the programs apply, right and wrong ones. functions.h says the same in C++, statement by
statement: the order of operations decides the names of the nodes that create_graph records."""
import torch
from torch.autograd import Function


class SafeSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 2 * x


class UnsafeSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x * x

    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.x


class SafeMul(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y if ctx.needs_input_grad[0] else None, g * x if ctx.needs_input_grad[1] else None


class SaveOutExp(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * y


class UnsafeOutExp(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.y = y
        return y

    @staticmethod
    def backward(ctx, g):
        return g * ctx.y


class ScaleInplace(Function):
    @staticmethod
    def forward(ctx, x, c):
        x.mul_(c)
        ctx.c = c
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * ctx.c, None


class ScaleInplaceUnmarked(Function):
    @staticmethod
    def forward(ctx, x, c):
        x.mul_(c)
        ctx.c = c
        return x

    @staticmethod
    def backward(ctx, g):
        return g * ctx.c, None


class DoubleTriple(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g1, g2):
        return g1 * 2 + g2 * 3


class DoubleAndSign(Function):
    @staticmethod
    def forward(ctx, x):
        s = x.sign()
        ctx.mark_non_differentiable(s)
        return x * 2, s

    @staticmethod
    def backward(ctx, g, _):
        return g * 2


class TooManyGrads(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2, g


class TooFewGrads(Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, g):
        return g


class NoneGrad(Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y * 2

    @staticmethod
    def backward(ctx, g):
        return g, None


class WrongShapeGrad(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return torch.ones(5, dtype=g.dtype)


class SumLike(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sum()

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g.expand(x.shape)


class ReturnsInput(Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 10


class RaisesInBackward(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, g):
        raise ValueError("backward refused")


class NotMaterialized(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g1, g2):
        total = None
        if g1 is not None:
            total = g1 * 2
        if g2 is not None:
            total = g2 * 3 if total is None else total + g2 * 3
        return total


# ---- only applied by the wide profile; mirrored in wide_functions.h ----


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 3 * x * x


class SaveOutThenWrite(Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.save_for_backward(y)
        y.add_(1)
        return y

    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * y


class SaveInThenWrite(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x


class WriteInUnmarked(Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x
        ctx.save_for_backward(x)
        x.add_(1)
        return y

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 2 * x


class SavesIntermediate(Function):
    @staticmethod
    def forward(ctx, x):
        t = x * x
        ctx.save_for_backward(x, t)
        return t * x

    @staticmethod
    def backward(ctx, g):
        x, t = ctx.saved_tensors
        return g * t * 2 + g * x * x


class ReturnsView(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.view(-1)

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g.reshape(x.shape)


class ReturnsFirst(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.select(0, 0)

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g.expand(x.shape)


class ReturnsDetached(Function):
    @staticmethod
    def forward(ctx, x):
        return x.detach()

    @staticmethod
    def backward(ctx, g):
        return g * 7


class ReturnsConstant(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.ones(3, dtype=x.dtype)

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g.sum().expand(x.shape)


class ReturnsBoth(Function):
    @staticmethod
    def forward(ctx, x, y):
        return x, y

    @staticmethod
    def backward(ctx, g1, g2):
        return g1 * 2, g2 * 3


class SameTwice(Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        return y, y

    @staticmethod
    def backward(ctx, g1, g2):
        return g1 * 2 + g2 * 2


class EnablesGrad(Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 5


class AppliesAnother(Function):
    @staticmethod
    def forward(ctx, x):
        return SafeSquare.apply(x)

    @staticmethod
    def backward(ctx, g):
        return g * 7


class DirtyNotReturned(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x * 1

    @staticmethod
    def backward(ctx, g):
        return g * 2


class DirtyAndMore(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x, x * 3

    @staticmethod
    def backward(ctx, g1, g2):
        return g1 * 2 + g2 * 6


class DirtyUntouched(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g


class InputNotDifferentiable(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_non_differentiable(x)
        return x, x * 2

    @staticmethod
    def backward(ctx, _, g):
        return g * 2


class WrongDtypeGrad(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return (g * 2).to(torch.float64 if g.dtype == torch.float32 else torch.float32)


class ScalarGrad(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g.sum()


class LargerGrad(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g.expand([2] + list(g.shape))


class AllNone(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return None


class ExtraNone(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2, None, None


class WritesGrad(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        g.mul_(2)
        return g


def _by_name(begin, end):
    names = [name for name, value in globals().items() if isinstance(value, type) and issubclass(value, Function)]
    names.remove("Function")
    return names[names.index(begin):names.index(end) + 1]


ORACLE = _by_name("SafeSquare", "NotMaterialized")
WIDE = _by_name("Cube", "WritesGrad")
FUNCTIONS = {name: globals()[name] for name in ORACLE + WIDE}
TWO_INPUTS = {"SafeMul", "TooFewGrads", "NoneGrad", "ReturnsBoth"}
INPUT_AND_NUMBER = {"ScaleInplace", "ScaleInplaceUnmarked"}
TWO_OUTPUTS = {"DoubleTriple", "DoubleAndSign", "NotMaterialized", "ReturnsBoth", "SameTwice", "DirtyAndMore",
               "InputNotDifferentiable"}
