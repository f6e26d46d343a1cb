// max and min over everything.
#include "src/ops/masked_fill.h"
#include "src/ops/record.h"
#include "src/tensor/messages.h"

namespace gradlab {

namespace {

// The gradient is shared evenly by all elements that have the value; nan is a value here.
template <FixedString kName>
struct ExtremeNode : OpNode<kName> {
  SavedTensor self_;
  SavedTensor result_;
  TensorList apply(TensorList&& grad_outputs) final {
    const Tensor self = self_.unpack();
    const Tensor result = result_.unpack(this->self_ref());
    const Tensor& grad = grad_outputs[0];
    if (!grad.defined()) return {Tensor()};
    const Tensor mask = where(result.ne(result).expand(self.shape()), self.ne(self), self.eq(result));
    const Tensor share = grad / mask.sum();
    const Tensor spread = zeros(self.shape(), self.options());
    masked_fill_(spread, mask, share);
    return {spread};
  }
  void release_variables() final {
    self_.reset_data();
    result_.reset_data();
  }
};
struct MaxBackward1 final : ExtremeNode<"MaxBackward1"> {};
struct MinBackward1 final : ExtremeNode<"MinBackward1"> {};

template <class NodeType>
Tensor extreme(ReduceOp op, const Tensor& self, std::string_view name) {
  const auto node = record<NodeType>(self);
  if (self.numel() == 0) throw messages::reduce_empty(name);
  if (node) node->self_ = SavedTensor(*node, self, false);
  const Tensor result = linked(call_reduce(op, self), node);
  if (node) node->result_ = SavedTensor(*node, result, true);
  return result;
}

}  // namespace

Tensor Tensor::max() const { return extreme<MaxBackward1>(ReduceOp::kMax, *this, "max"); }
Tensor Tensor::min() const { return extreme<MinBackward1>(ReduceOp::kMin, *this, "min"); }

}  // namespace gradlab
