// More custom Functions of functions.py: those that only the wide profile of programs.py applies.
#pragma once

#include "tests/conformance/functions.h"

namespace gradlab::conformance {

struct Cube : Function<Cube> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return x * x * x;
  }
  static Tensor backward(Context& ctx, const Tensor& g) {
    const Tensor x = ctx.saved_tensors()[0];
    return g * 3 * x * x;
  }
};

struct SaveOutThenWrite : Function<SaveOutThenWrite> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    const Tensor y = x * 2;
    ctx.save_for_backward(y);
    y.add_(1);
    return y;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * ctx.saved_tensors()[0]; }
};

struct SaveInThenWrite : Function<SaveInThenWrite> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    x.mul_(2);
    ctx.mark_dirty(x);
    return x;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * ctx.saved_tensors()[0]; }
};

struct WriteInUnmarked : Function<WriteInUnmarked> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    const Tensor y = x * x;
    ctx.save_for_backward(x);
    x.add_(1);
    return y;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * 2 * ctx.saved_tensors()[0]; }
};

struct SavesIntermediate : Function<SavesIntermediate> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    const Tensor t = x * x;
    ctx.save_for_backward(x, t);
    return t * x;
  }
  static Tensor backward(Context& ctx, const Tensor& g) {
    const TensorList saved = ctx.saved_tensors();
    const Tensor first = g * saved[1] * 2;
    return first + g * saved[0] * saved[0];
  }
};

struct ReturnsView : Function<ReturnsView> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return x.view({-1});
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g.reshape(ctx.saved_tensors()[0].shape()); }
};

struct ReturnsFirst : Function<ReturnsFirst> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return x.select(0, 0);
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g.expand(ctx.saved_tensors()[0].shape()); }
};

struct ReturnsDetached : Function<ReturnsDetached> {
  static Tensor forward(Context&, const Tensor& x) { return x.detach(); }
  static Tensor backward(Context&, const Tensor& g) { return g * 7; }
};

struct ReturnsConstant : Function<ReturnsConstant> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return ones({3}, {.dtype = x.dtype()});
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g.sum().expand(ctx.saved_tensors()[0].shape()); }
};

struct ReturnsBoth : Function<ReturnsBoth> {
  static TensorList forward(Context&, const Tensor& x, const Tensor& y) { return {x, y}; }
  static TensorList backward(Context&, const TensorList& g) { return {g[0] * 2, g[1] * 3}; }
};

struct SameTwice : Function<SameTwice> {
  static TensorList forward(Context&, const Tensor& x) {
    const Tensor y = x * 2;
    return {y, y};
  }
  static TensorList backward(Context&, const TensorList& g) {
    const Tensor first = g[0] * 2;
    return {first + g[1] * 2};
  }
};

struct EnablesGrad : Function<EnablesGrad> {
  static Tensor forward(Context&, const Tensor& x) {
    const EnableGradGuard enable_grad;
    return x * 2;
  }
  static Tensor backward(Context&, const Tensor& g) { return g * 5; }
};

struct AppliesAnother : Function<AppliesAnother> {
  static Tensor forward(Context&, const Tensor& x) { return SafeSquare::apply(x); }
  static Tensor backward(Context&, const Tensor& g) { return g * 7; }
};

struct DirtyNotReturned : Function<DirtyNotReturned> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    x.mul_(2);
    ctx.mark_dirty(x);
    return x * 1;
  }
  static Tensor backward(Context&, const Tensor& g) { return g * 2; }
};

struct DirtyAndMore : Function<DirtyAndMore> {
  static TensorList forward(Context& ctx, const Tensor& x) {
    x.mul_(2);
    ctx.mark_dirty(x);
    return {x, x * 3};
  }
  static TensorList backward(Context&, const TensorList& g) {
    const Tensor first = g[0] * 2;
    return {first + g[1] * 6};
  }
};

struct DirtyUntouched : Function<DirtyUntouched> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.mark_dirty(x);
    return x;
  }
  static Tensor backward(Context&, const Tensor& g) { return g; }
};

struct InputNotDifferentiable : Function<InputNotDifferentiable> {
  static TensorList forward(Context& ctx, const Tensor& x) {
    ctx.mark_non_differentiable(x);
    return {x, x * 2};
  }
  static TensorList backward(Context&, const TensorList& g) { return {g[1] * 2}; }
};

struct WrongDtypeGrad : Function<WrongDtypeGrad> {
  static Tensor forward(Context&, const Tensor& x) { return x * 2; }
  static Tensor backward(Context&, const Tensor& g) {
    return (g * 2).to(g.dtype() == DType::kFloat32 ? DType::kFloat64 : DType::kFloat32);
  }
};

struct ScalarGrad : Function<ScalarGrad> {
  static Tensor forward(Context&, const Tensor& x) { return x * 2; }
  static Tensor backward(Context&, const Tensor& g) { return g.sum(); }
};

struct LargerGrad : Function<LargerGrad> {
  static Tensor forward(Context&, const Tensor& x) { return x * 2; }
  static Tensor backward(Context&, const Tensor& g) {
    Shape shape = g.shape();
    shape.insert(0, 2);
    return g.expand(shape);
  }
};

struct AllNone : Function<AllNone> {
  static Tensor forward(Context&, const Tensor& x) { return x * 2; }
  static Tensor backward(Context&, const Tensor&) { return Tensor(); }
};

struct ExtraNone : Function<ExtraNone> {
  static Tensor forward(Context&, const Tensor& x) { return x * 2; }
  static TensorList backward(Context&, const TensorList& g) { return {g[0] * 2, Tensor(), Tensor()}; }
};

struct WritesGrad : Function<WritesGrad> {
  static Tensor forward(Context&, const Tensor& x) { return x * 2; }
  static Tensor backward(Context&, const Tensor& g) {
    g.mul_(2);
    return g;
  }
};

}  // namespace gradlab::conformance
