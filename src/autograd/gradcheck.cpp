#include "src/autograd/gradcheck.h"

#include <random>
#include <vector>

#include "src/autograd/engine.h"
#include "src/autograd/function.h"
#include "src/autograd/grad_mode.h"
#include "src/tensor/messages.h"
#include "src/tensor/warning.h"

namespace gradlab {

namespace {

bool needs_check(const Tensor& tensor) { return tensor.defined() && tensor.requires_grad(); }

TensorList differentiable(const TensorList& tensors) {
  TensorList kept;
  for (const Tensor& tensor : tensors) {
    if (needs_check(tensor)) kept.push_back(tensor);
  }
  return kept;
}

bool is_zero(const Tensor& tensor) {
  return equal(tensor, zeros(tensor.shape(), tensor.options()));
}

void check_inputs(const TensorList& inputs) {
  bool any = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = inputs[i];
    if (!needs_check(input)) continue;
    any = true;
    if (input.dtype() != DType::kFloat64) warn(messages::gradcheck_not_double(i));
    for (std::size_t d = 0; d < input.shape().size(); ++d) {
      if (input.strides()[d] <= 0 && input.shape()[d] > 1) throw messages::gradcheck_overlapping_input(i);
    }
  }
  if (!any) throw messages::gradcheck_needs_input();
}

// One column for each floating output, one row for each element of `input`: the Jacobians by central differences.
TensorList numerical_jacobians(const CheckedFunction& function, const TensorList& inputs, const Tensor& input,
                               const TensorList& outputs, double eps) {
  TensorList jacobians;
  for (const Tensor& output : outputs) jacobians.push_back(zeros({input.numel(), output.numel()}, output.options()));
  const auto evaluate = [&] {
    TensorList results;
    for (const Tensor& result : function(inputs)) {
      if (result.defined() && is_floating_point(result.dtype())) results.push_back(result.detach().clone());
    }
    return results;
  };
  // Written behind the counter, so that no version check stops the function.
  const Tensor data = input.data();
  for (std::int64_t k = 0; k < input.numel(); ++k) {
    Tensor entry = data;
    std::int64_t rest = k;
    for (std::int64_t d = data.dim() - 1; d >= 0; --d) {
      entry = entry.select(d, rest % data.size(d));
      rest /= data.size(d);
    }
    const Tensor before = entry.clone();
    entry.copy_(before - eps);
    const TensorList low = evaluate();
    entry.copy_(before + eps);
    const TensorList high = evaluate();
    entry.copy_(before);
    for (std::size_t o = 0; o < jacobians.size(); ++o) {
      jacobians[o].select(0, k).copy_(((high[o] - low[o]) / (2 * eps)).reshape({jacobians[o].size(1)}));
    }
  }
  return jacobians;
}

// One for each input that requires grad: a column for each element of `output`, found by a one-hot gradient.
TensorList analytical_jacobians(const Tensor& output, const TensorList& inputs) {
  TensorList jacobians;
  for (const Tensor& input : inputs) jacobians.push_back(zeros({input.numel(), output.numel()}, input.options()));
  const Tensor grad_output = zeros(output.shape(), output.options());
  const Tensor flat = grad_output.view({output.numel()});
  for (std::int64_t j = 0; j < output.numel(); ++j) {
    flat.zero_();
    flat.select(0, j).fill_(1);
    const TensorList grads = grad({output}, inputs, {grad_output}, {.retain_graph = true, .allow_unused = true});
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (grads[i].defined()) jacobians[i].select(1, j).copy_(grads[i].reshape({inputs[i].numel()}));
    }
  }
  return jacobians;
}

bool differ(const TensorList& a, const TensorList& b, double tolerance) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].numel() != 0 && (a[i] - b[i]).abs().max().item() > tolerance) return true;
  }
  return false;
}

bool is_close(const Tensor& analytical, const Tensor& numerical, const GradcheckOptions& options) {
  const bool widen = analytical.dtype() != numerical.dtype();
  return allclose(widen ? analytical.to(DType::kFloat64) : analytical, widen ? numerical.to(DType::kFloat64) : numerical,
                  options.rtol, options.atol);
}

void compare_jacobians(const CheckedFunction& function, const TensorList& all_inputs, const TensorList& results,
                       const GradcheckOptions& options) {
  const TensorList inputs = differentiable(all_inputs);
  TensorList floating;
  for (const Tensor& result : results) {
    if (result.defined() && is_floating_point(result.dtype())) floating.push_back(result);
  }
  std::vector<TensorList> numerical;
  for (const Tensor& input : inputs) {
    numerical.push_back(numerical_jacobians(function, all_inputs, input, floating, options.eps));
  }
  if (differentiable(results).empty()) {
    for (const TensorList& of_input : numerical) {
      for (const Tensor& jacobian : of_input) {
        if (!is_zero(jacobian)) throw messages::gradcheck_numerical_not_zero();
      }
    }
    return;
  }
  std::size_t output_nr = 0;
  for (std::size_t o = 0; o < floating.size(); ++o) {
    if (!floating[o].requires_grad()) continue;
    const TensorList analytical = analytical_jacobians(floating[o], inputs);
    if (differ(analytical, analytical_jacobians(floating[o], inputs), options.nondet_tol)) {
      throw messages::gradcheck_not_reentrant(options.nondet_tol);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (is_close(analytical[i], numerical[i][o], options)) continue;
      throw messages::gradcheck_mismatch(output_nr, i, numerical[i][o].to_string(), analytical[i].to_string());
    }
    ++output_nr;
  }
}

void check_multiplied_by_grad_output(const TensorList& outputs, const TensorList& inputs) {
  TensorList seeds;
  for (const Tensor& output : outputs) seeds.push_back(zeros(output.shape(), output.options()));
  for (const Tensor& grad : grad(outputs, inputs, seeds, {.allow_unused = true})) {
    if (grad.defined() && !is_zero(grad)) throw messages::gradcheck_not_multiplied();
  }
}

// Passes a tensor on and lets no gradient back.
struct UndefinedGrad : Function<UndefinedGrad> {
  static Tensor forward(Context&, const Tensor& x) { return x.clone(); }
  static Tensor backward(Context&, const Tensor&) { return {}; }
};

void check_undefined_gradients_of(const TensorList& outputs, const TensorList& inputs) {
  TensorList seeds;
  for (const Tensor& output : outputs) seeds.push_back(zeros(output.shape(), output.options()));
  TensorList grads;
  try {
    grads = grad(outputs, inputs, seeds, {.allow_unused = true});
  } catch (const Error& error) {
    if (error.type() != ErrorType::kRuntimeError && error.type() != ErrorType::kNotImplementedError) throw;
    warn(messages::kGradcheckUndefined);
    throw messages::gradcheck_undefined_unsupported();
  }
  for (const Tensor& grad : grads) {
    if (!grad.defined() || is_zero(grad)) continue;
    warn(messages::kGradcheckUndefined);
    throw messages::gradcheck_undefined_not_zero();
  }
}

// All gradients missing, then one at a time.
void check_undefined_gradients(const CheckedFunction& function, const TensorList& all_inputs, const TensorList& inputs) {
  TensorList all;
  for (const Tensor& output : differentiable(function(all_inputs))) all.push_back(UndefinedGrad::apply(output));
  check_undefined_gradients_of(all, inputs);
  for (std::size_t missing = 0; all.size() > 1 && missing < all.size(); ++missing) {
    TensorList outputs = differentiable(function(all_inputs));
    outputs[missing] = UndefinedGrad::apply(outputs[missing]);
    check_undefined_gradients_of(outputs, inputs);
  }
}

// As torch.testing.make_tensor(low=-1, high=1), with a fixed seed.
Tensor random_like(const Tensor& output, std::mt19937& generator) {
  std::uniform_real_distribution<double> between(-1, 1);
  std::vector<double> values(static_cast<std::size_t>(output.numel()));
  for (double& value : values) value = between(generator);
  TensorOptions options = output.options();
  options.requires_grad = true;
  return tensor(values, output.shape(), options);
}

}  // namespace

bool gradcheck(const CheckedFunction& function, const TensorList& inputs, const GradcheckOptions& options) {
  try {
    check_inputs(inputs);
    const TensorList results = function(inputs);
    compare_jacobians(function, inputs, results, options);
    const TensorList outputs = differentiable(results);
    const TensorList checked = differentiable(inputs);
    if (!outputs.empty()) check_multiplied_by_grad_output(outputs, checked);
    if (!outputs.empty() && options.check_undefined_grad) check_undefined_gradients(function, inputs, checked);
  } catch (const Error& error) {
    if (error.type() != ErrorType::kGradcheckError || options.raise_exception) throw;
    return false;
  }
  return true;
}

bool gradgradcheck(const CheckedFunction& function, const TensorList& inputs, const TensorList& grad_outputs,
                   const GradcheckOptions& options) {
  TensorList seeds = grad_outputs;
  if (seeds.empty()) {
    std::mt19937 generator(0);
    for (const Tensor& output : differentiable(function(inputs))) seeds.push_back(random_like(output, generator));
  }
  TensorList all = inputs;
  for (const Tensor& seed : seeds) all.push_back(seed);
  const std::size_t num_inputs = inputs.size();
  const CheckedFunction gradients = [&function, num_inputs](const TensorList& arguments) {
    const TensorList of_function(arguments.begin(), arguments.begin() + num_inputs);
    const TensorList of_outputs(arguments.begin() + num_inputs, arguments.end());
    TensorList found;
    for (const Tensor& grad : grad(differentiable(function(of_function)), differentiable(of_function), of_outputs,
                                   {.create_graph = true, .allow_unused = true})) {
      if (grad.defined()) found.push_back(grad);
    }
    return found;
  };
  return gradcheck(gradients, all, options);
}

}  // namespace gradlab
