// What the engine's tests have in common: errors as Python would show them, and a few texts that many of them expect.
#pragma once

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "src/autograd/engine.h"
#include "src/autograd/function.h"
#include "src/autograd/grad_mode.h"
#include "src/tensor/error.h"
#include "src/tensor/warning.h"

namespace gradlab::test {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// "RuntimeError: a leaf Variable ..." or "no error".
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return std::string(error.type_name()) + ": " + error.what();
  }
  return "no error";
}

// The warnings given while `action` runs, as "UserWarning: text".
template <class Action>
std::vector<std::string> warnings_of(Action action) {
  std::vector<std::string> texts;
  const WarningGuard guard([&](const Warning& warning) { texts.push_back(warning.category + ": " + warning.text); });
  action();
  return texts;
}

// torch.tensor(values, requires_grad=True)
inline Tensor leaf(const std::vector<double>& values) { return tensor(values, TensorOptions{.requires_grad = true}); }
inline Tensor leaf_ones(const Shape& shape) { return ones(shape, {.requires_grad = true}); }
inline Tensor leaf_scalar(double value) { return scalar_tensor(value, {.requires_grad = true}); }

inline TensorOptions doubles(bool requires_grad = true) {
  return {.dtype = DType::kFloat64, .requires_grad = requires_grad};
}

inline std::string name_of(const Tensor& tensor) { return tensor.grad_fn() ? tensor.grad_fn()->name() : "None"; }

// A Function whose backward has no gradient to give.
struct ReturnsNone : Function<ReturnsNone> {
  static Tensor forward(Context&, const Tensor& x) { return x * 1; }
  static Tensor backward(Context&, const Tensor&) { return {}; }
};

// `which` is "" or ", which is output 0 of Add,".
inline std::string version_error(std::string_view shape, std::string_view which, int now, int saved) {
  return "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
         "[torch.FloatTensor " +
         std::string(shape) + "]" + std::string(which) + " is at version " + std::to_string(now) + "; expected version " +
         std::to_string(saved) +
         " instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
         "torch.autograd.set_detect_anomaly(True, check_nan=False).";
}

inline constexpr const char* kFreed =
    "RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors after "
    "calling backward.";

inline constexpr const char* kNoGradFn =
    "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn";

// Square, with its input kept by save_for_backward.
struct Sq : Function<Sq> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return x * x;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * 2 * ctx.saved_tensors()[0]; }
};

}  // namespace gradlab::test
