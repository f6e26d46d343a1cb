// The custom Functions of functions.py, right and wrong ones, statement by statement.
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "src/autograd/function.h"
#include "src/tensor/error.h"

namespace gradlab::conformance {

using Argument = std::variant<Tensor, Scalar>;

// Both throw std::invalid_argument when the number or the kinds of arguments do not fit.
struct NamedFunction {
  std::string_view name;
  TensorList (*apply)(std::span<const Argument> arguments);
  // Calls forward with a ctx made by hand, as a learner might.
  TensorList (*forward_directly)(std::span<const Argument> arguments);
};

// Null when there is none of that name.
const NamedFunction* find_function(std::string_view name);

struct SafeSquare : Function<SafeSquare> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return x * x;
  }
  static Tensor backward(Context& ctx, const Tensor& g) {
    const Tensor x = ctx.saved_tensors()[0];
    return g * 2 * x;
  }
};

struct UnsafeSquare : Function<UnsafeSquare> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.saved_data["x"] = x;
    return x * x;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * 2 * ctx.saved_data["x"].to_tensor(); }
};

struct SafeMul : Function<SafeMul> {
  static Tensor forward(Context& ctx, const Tensor& x, const Tensor& y) {
    ctx.save_for_backward(x, y);
    return x * y;
  }
  static TensorList backward(Context& ctx, const TensorList& g) {
    const TensorList saved = ctx.saved_tensors();
    TensorList grads(2);
    if (ctx.needs_input_grad(0)) grads[0] = g[0] * saved[1];
    if (ctx.needs_input_grad(1)) grads[1] = g[0] * saved[0];
    return grads;
  }
};

struct SaveOutExp : Function<SaveOutExp> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    const Tensor y = x.exp();
    ctx.save_for_backward(y);
    return y;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * ctx.saved_tensors()[0]; }
};

struct UnsafeOutExp : Function<UnsafeOutExp> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    const Tensor y = x.exp();
    ctx.saved_data["y"] = y;
    return y;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * ctx.saved_data["y"].to_tensor(); }
};

struct ScaleInplace : Function<ScaleInplace> {
  static Tensor forward(Context& ctx, const Tensor& x, double c) {
    x.mul_(c);
    ctx.saved_data["c"] = c;
    ctx.mark_dirty(x);
    return x;
  }
  static TensorList backward(Context& ctx, const TensorList& g) {
    return {g[0] * ctx.saved_data["c"].to_double(), Tensor()};
  }
};

struct ScaleInplaceUnmarked : Function<ScaleInplaceUnmarked> {
  static Tensor forward(Context& ctx, const Tensor& x, double c) {
    x.mul_(c);
    ctx.saved_data["c"] = c;
    return x;
  }
  static TensorList backward(Context& ctx, const TensorList& g) {
    return {g[0] * ctx.saved_data["c"].to_double(), Tensor()};
  }
};

struct DoubleTriple : Function<DoubleTriple> {
  static TensorList forward(Context&, const Tensor& x) { return {x * 2, x * 3}; }
  static TensorList backward(Context&, const TensorList& g) {
    const Tensor first = g[0] * 2;  // C++ leaves the order of a sum's operands open, and it numbers the nodes
    return {first + g[1] * 3};
  }
};

struct DoubleAndSign : Function<DoubleAndSign> {
  static TensorList forward(Context& ctx, const Tensor& x) {
    const Tensor s = x.sign();
    ctx.mark_non_differentiable(s);
    return {x * 2, s};
  }
  static TensorList backward(Context&, const TensorList& g) { return {g[0] * 2}; }
};

struct TooManyGrads : Function<TooManyGrads> {
  static Tensor forward(Context&, const Tensor& x) { return x * 2; }
  static TensorList backward(Context&, const TensorList& g) { return {g[0] * 2, g[0]}; }
};

struct TooFewGrads : Function<TooFewGrads> {
  static Tensor forward(Context&, const Tensor& x, const Tensor& y) { return x + y; }
  static Tensor backward(Context&, const Tensor& g) { return g; }
};

struct NoneGrad : Function<NoneGrad> {
  static Tensor forward(Context&, const Tensor& x, const Tensor& y) { return x + y * 2; }
  static TensorList backward(Context&, const TensorList& g) { return {g[0], Tensor()}; }
};

struct WrongShapeGrad : Function<WrongShapeGrad> {
  static Tensor forward(Context&, const Tensor& x) { return x * 2; }
  static Tensor backward(Context&, const Tensor& g) { return ones({5}, {.dtype = g.dtype()}); }
};

struct SumLike : Function<SumLike> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return x.sum();
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g.expand(ctx.saved_tensors()[0].shape()); }
};

struct ReturnsInput : Function<ReturnsInput> {
  static Tensor forward(Context&, const Tensor& x) { return x; }
  static Tensor backward(Context&, const Tensor& g) { return g * 10; }
};

struct RaisesInBackward : Function<RaisesInBackward> {
  static Tensor forward(Context&, const Tensor& x) { return x * 1; }
  static Tensor backward(Context&, const Tensor&) { throw Error(ErrorType::kValueError, "backward refused"); }
};

struct NotMaterialized : Function<NotMaterialized> {
  static TensorList forward(Context& ctx, const Tensor& x) {
    ctx.set_materialize_grads(false);
    return {x * 2, x * 3};
  }
  static TensorList backward(Context&, const TensorList& g) {
    Tensor total;
    if (g[0].defined()) total = g[0] * 2;
    if (g[1].defined()) total = total.defined() ? total + g[1] * 3 : g[1] * 3;
    return {total};
  }
};

}  // namespace gradlab::conformance
