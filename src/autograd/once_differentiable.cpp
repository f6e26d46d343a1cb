#include "src/autograd/once_differentiable.h"

#include <algorithm>

#include "src/autograd/function.h"
#include "src/autograd/view.h"
#include "src/tensor/messages.h"

namespace gradlab {

namespace {

class RefusingNode final : public Node {
 public:
  std::string name() const override { return "torch::autograd::Error"; }
  TensorList apply(TensorList&&) override { throw messages::twice_differentiated(); }
};

}  // namespace

TensorList refuse_second_derivative(const TensorList& grad_outputs, TensorList results) {
  const auto requires_grad = [](const Tensor& tensor) { return tensor.defined() && tensor.requires_grad(); };
  if (!GradMode::is_enabled() || std::ranges::none_of(grad_outputs, requires_grad)) return results;
  const Ref<Node> node = make_ref<RefusingNode>();
  for (Tensor& result : results) {
    if (!result.defined()) continue;
    // Leads to a leaf of its own, not to the inputs: grad() with respect to them finds them unused.
    node->add_next_edge(gradient_edge(result.detach().requires_grad_()));
    result = result.data();
    set_gradient_edge(result, node, node->add_input_metadata(result));
  }
  return results;
}

BackwardFunction once_differentiable(BackwardFunction backward) {
  return [backward = std::move(backward)](Context& ctx, const TensorList& grad_outputs) {
    return differentiate_once(grad_outputs, [&] { return backward(ctx, grad_outputs); });
  };
}

}  // namespace gradlab
