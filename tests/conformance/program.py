"""A program while it is written: each step runs at once, so that the next one can be chosen by what is there."""
from machine import Machine

NUMBERS = [-2.0, -1.5, -1.0, -0.5, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0]


def ask(get):
    """False where the question itself is an error, as for a view that may no longer be used."""
    try:
        return get()
    except RuntimeError:
        return False


def wants_grad(tensor):
    return ask(lambda: tensor.requires_grad)


def is_leaf(tensor):
    return ask(lambda: tensor.is_leaf)


def has_grad(tensor):
    return ask(lambda: tensor.grad is not None)


class Program:
    def __init__(self, r):
        self.r = r
        self.machine = Machine()
        self.steps = []
        self.names = 0

    @property
    def live(self):
        return self.machine.v

    def new(self):
        self.names += 1
        return "t%d" % self.names

    def pick(self, suits=lambda tensor: True):
        """The name of a live tensor, more often a recent one; any if none suits."""
        names = [name for name, tensor in self.live.items() if suits(tensor)] or list(self.live)
        return self.r.choice(names[-4:] if self.r.random() < .6 else names)

    def like(self, name):
        """One of the same shape."""
        return self.pick(lambda tensor: tensor.shape == self.live[name].shape)

    def do(self, name, inputs=(), out=None, **arguments):
        """Whether the step raised."""
        step = {"do": name}
        if out is not None:
            step["out"] = out
        if inputs:
            step["in"] = list(inputs)
        step.update(arguments)
        self.steps.append(step)
        return self.machine.step(step)

    def end(self):
        """Programs end by differentiating the last tensor that has something to differentiate."""
        names = [name for name, tensor in self.live.items() if wants_grad(tensor)]
        if names:
            self.do("sum", [names[-1]], ["end"])
            if "end" in self.live:
                self.do("backward", ["end"], retain_graph=False, create_graph=False)
        return self.steps
