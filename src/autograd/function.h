// Custom Functions: the only door into the graph for a computation that autograd cannot see through.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include "src/autograd/context.h"
#include "src/autograd/grad_mode.h"
#include "src/autograd/once_differentiable.h"

namespace gradlab {

// NOTE [Apply]
// apply() looks at its tensor arguments, makes the node (which is also the ctx), runs forward with grad mode off, moves the
// versions of dirty tensors, links each output to the node and only then records the saved tensors. Nothing is recorded when
// grad mode is off or no argument requires grad. Order and rules: section 3.1 and 3.5 of PyTorch's semantics.

using BackwardFunction = std::function<TensorList(Context& ctx, const TensorList& grad_outputs)>;

// The decorator of that name, for a Function made at run time. A class says `static constexpr bool once_differentiable = true;`.
BackwardFunction once_differentiable(BackwardFunction backward);

// What all calls of one Function share. Kept alive by the nodes that it made.
struct FunctionType {
  std::string_view class_name;
  TensorList (*backward)(const FunctionType& type, Context& ctx, const TensorList& grad_outputs);
};

// The part of apply that does not depend on the Function's type.
class FunctionCall {
 public:
  // `arguments` has one entry per argument of forward; an undefined tensor stands for an argument that is no tensor.
  FunctionCall(std::shared_ptr<const FunctionType> type, TensorList arguments);
  ~FunctionCall();
  FunctionCall(const FunctionCall&) = delete;
  FunctionCall& operator=(const FunctionCall&) = delete;

  // Runs `forward(ctx)` with grad mode off.
  template <class Forward>
  auto run(Forward forward) {
    NoGradGuard no_grad;
    return forward(ctx());
  }
  // `outputs` as forward returned them, undefined for one that is no tensor. Returns them linked.
  TensorList finish(TensorList outputs);

 private:
  Context& ctx();
  [[gnu::cold, gnu::noinline]] void report(const TensorList& outputs) const;

  Ref<CustomNode> node_;
  TensorList arguments_;
  bool is_executable_;  // a graph is built
};

namespace function_internal {

template <class T>
Tensor as_argument(const T& argument) {
  if constexpr (std::is_same_v<T, Tensor>) return argument;
  return Tensor();
}

// "SafeSquare" of struct (anonymous namespace)::SafeSquare.
template <class F>
constexpr std::string_view class_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  const std::size_t begin = text.find("F = ") + 4;
  text = text.substr(begin, text.find_first_of(";]", begin) - begin);
  const std::size_t scope = text.rfind("::");
  return scope == std::string_view::npos ? text : text.substr(scope + 2);
}

template <class F>
concept OnceDifferentiable = requires { requires F::once_differentiable; };

template <class F>
TensorList run_backward(Context& ctx, const TensorList& grad_outputs) {
  if constexpr (std::is_invocable_v<decltype(F::backward), Context&, const Tensor&>) {
    return {F::backward(ctx, grad_outputs[0])};
  } else {
    return F::backward(ctx, grad_outputs);
  }
}

template <class F>
TensorList call_backward(const FunctionType&, Context& ctx, const TensorList& grad_outputs) {
  if constexpr (OnceDifferentiable<F>) {
    return differentiate_once(grad_outputs, [&] { return run_backward<F>(ctx, grad_outputs); });
  } else {
    return run_backward<F>(ctx, grad_outputs);
  }
}

template <class F>
inline constexpr std::string_view kClassName = class_name<F>();

}  // namespace function_internal

// A custom Function F derives from Function<F> and has two static methods:
//   Tensor or TensorList forward(Context& ctx, arguments...)   tensors and plain values
//   Tensor backward(Context& ctx, const Tensor& grad_output), or
//   TensorList backward(Context& ctx, const TensorList& grad_outputs)   one gradient per argument, undefined for none
// and may say `static constexpr bool once_differentiable = true;`: backward then runs with grad mode off, and differentiating
// its results is an error. F::apply(arguments...) returns what forward returns. The node is named after the class: SafeSquareBackward.
template <class F>
class Function {
 public:
  template <class... Args>
  static auto apply(const Args&... args) {
    static constexpr FunctionType kType{function_internal::kClassName<F>, &function_internal::call_backward<F>};
    // Points at static memory: nothing to own, nothing to count.
    FunctionCall call(std::shared_ptr<const FunctionType>(std::shared_ptr<void>(), &kType),
                      TensorList{function_internal::as_argument(args)...});
    auto outputs = call.run([&](Context& ctx) { return F::forward(ctx, args...); });
    if constexpr (std::is_same_v<decltype(outputs), Tensor>) {
      return call.finish({std::move(outputs)})[0];
    } else {
      return call.finish(std::move(outputs));
    }
  }
};

// A Function made at run time, for experiments written in another language.
struct RuntimeFunction {
  std::string class_name;
  std::function<TensorList(Context& ctx, const TensorList& arguments)> forward;
  BackwardFunction backward;

  TensorList apply(const TensorList& arguments) const;
};

}  // namespace gradlab
