#include "tests/conformance/functions.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "tests/conformance/wide_functions.h"

namespace gradlab::conformance {
namespace {

TensorList as_list(const Tensor& tensor) { return {tensor}; }
TensorList as_list(TensorList tensors) { return tensors; }

template <class T>
T as_parameter(const Argument& argument) {
  if constexpr (std::is_same_v<T, Tensor>) {
    if (const Tensor* tensor = std::get_if<Tensor>(&argument)) return *tensor;
  } else {
    if (const Scalar* number = std::get_if<Scalar>(&argument)) return number->value();
  }
  throw std::invalid_argument("an argument of the Function is a tensor instead of a number, or the other way round");
}

// Spreads a list over forward's parameters, whatever their number.
template <class F, class Result, class... Parameters>
struct Caller {
  explicit Caller(Result (*)(Context&, Parameters...)) {}

  template <class Call>
  static TensorList call(std::span<const Argument> arguments, Call call) {
    if (arguments.size() != sizeof...(Parameters))
      throw std::invalid_argument("wrong number of arguments for the Function");
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return as_list(call(as_parameter<std::remove_cvref_t<Parameters>>(arguments[I])...));
    }
    (std::index_sequence_for<Parameters...>());
  }
};

template <class F, class Result, class... Parameters>
Caller<F, Result, Parameters...> caller_of(Result (*)(Context&, Parameters...));

template <class F>
TensorList apply(std::span<const Argument> arguments) {
  return decltype(caller_of<F>(&F::forward))::call(arguments, [](const auto&... in) { return F::apply(in...); });
}

template <class F>
TensorList forward_directly(std::span<const Argument> arguments) {
  return decltype(caller_of<F>(&F::forward))::call(arguments, [](const auto&... in) {
    Context ctx;
    return F::forward(ctx, in...);
  });
}

template <class... F>
constexpr std::array<NamedFunction, sizeof...(F)> table_of() {
  return {NamedFunction{function_internal::class_name<F>(), &apply<F>, &forward_directly<F>}...};
}

constexpr auto kFunctions =
    table_of<SafeSquare, UnsafeSquare, SafeMul, SaveOutExp, UnsafeOutExp, ScaleInplace, ScaleInplaceUnmarked,
             DoubleTriple, DoubleAndSign, TooManyGrads, TooFewGrads, NoneGrad, WrongShapeGrad, SumLike, ReturnsInput,
             RaisesInBackward, NotMaterialized,
             // wide
             Cube, SaveOutThenWrite, SaveInThenWrite, WriteInUnmarked, SavesIntermediate, ReturnsView, ReturnsFirst,
             ReturnsDetached, ReturnsConstant, ReturnsBoth, SameTwice, EnablesGrad, AppliesAnother, DirtyNotReturned,
             DirtyAndMore, DirtyUntouched, InputNotDifferentiable, WrongDtypeGrad, ScalarGrad, LargerGrad, AllNone,
             ExtraNone, WritesGrad>();

}  // namespace

const NamedFunction* find_function(std::string_view name) {
  const auto found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                  [&](const NamedFunction& function) { return function.name == name; });
  return found == kFunctions.end() ? nullptr : &*found;
}

}  // namespace gradlab::conformance
