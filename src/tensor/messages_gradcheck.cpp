// The texts of gradcheck.
#include "src/tensor/message_text.h"

namespace gradlab::messages {

namespace {

template <class... Args>
Error gradcheck_error(fmt::format_string<Args...> text, Args&&... args) {
  return Error(ErrorType::kGradcheckError, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace

// ---- gradcheck ----

Error gradcheck_needs_input() {
  return Error(ErrorType::kValueError,
               "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True.");
}

Error gradcheck_overlapping_input(std::size_t input) {
  return runtime_error(
      "The {}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to be able to compute "
      "the numerical gradients correctly. You should call .contiguous on the input before passing it to gradcheck.",
      input);
}

Error gradcheck_numerical_not_zero() { return gradcheck_error("Numerical gradient for function expected to be zero"); }

Error gradcheck_mismatch(std::size_t output, std::size_t input, std::string_view numerical, std::string_view analytical) {
  return gradcheck_error("Jacobian mismatch for output {} with respect to input {},\nnumerical:{}\nanalytical:{}\n", output, input,
                         numerical, analytical);
}

Error gradcheck_not_reentrant(double nondet_tol) {
  return gradcheck_error(
      "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different values, "
      "although analytical gradient matches numerical gradient.The tolerance for nondeterminism was {}.\n\n"
      "NOTE: If your op relies on non-deterministic operations i.e., it is listed here:\n"
      "https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html\n"
      "this failure might be expected.\n\n"
      "If you are adding a new operator, please file an issue and then use one of the\n"
      "workarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck.\n"
      "If the test\n"
      "- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck\n"
      "  with `nondet_tol=<tol>` as a keyword argument.\n"
      "- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test\n"
      "  to have `gradcheck_nondet_tol=<tol>`.\n"
      "- is a Module test (e.g., in common_nn.py), then modify the corresponding\n"
      "  module_test entry to have `gradcheck_nondet_tol=<tol>`\n",
      python_float(nondet_tol));
}

Error gradcheck_not_multiplied() { return gradcheck_error("backward not multiplied by grad_output"); }

Error gradcheck_undefined_not_zero() {
  return gradcheck_error(
      "Expected all input grads to be undefined or zero when all output grads are undefined or zero. Please look at \"Notes about "
      "undefined output gradients\" in \"tools/autograd/derivatives.yaml\"");
}

Error gradcheck_undefined_unsupported() {
  return gradcheck_error(
      "Expected backward function to handle undefined output grads. Please look at \"Notes about undefined output gradients\" in "
      "\"tools/autograd/derivatives.yaml\"");
}

std::string gradcheck_not_double(std::size_t input) {
  return fmt::format(
      "Input #{} requires gradient and is not a double precision floating point or complex. This check will likely fail if all the "
      "inputs are not of double precision floating point or complex. ",
      input);
}

const char* const kGradcheckUndefined =
    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break existing callers "
    "of this function. If this is true for you, you can call this function with \"check_undefined_grad=False\" to disable the feature";

}  // namespace gradlab::messages
