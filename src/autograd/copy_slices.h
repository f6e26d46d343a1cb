// The node of a base that was written through a view.
#pragma once

#include "src/autograd/node.h"

namespace gradlab {

// Its gradient is that of the base: the part that the view covers goes through the node that wrote it, the rest passes.
// Edges: the base's old node, then those of the writing node but for its first. See NOTE [Views].
class CopySlices final : public Node {
 public:
  // `writer`: the op's node, made as if it wrote the view alone.
  CopySlices(const Tensor& base, const Tensor& view, Ref<Node> writer);

  std::string name() const override { return "torch::autograd::CopySlices"; }
  TensorList apply(TensorList&& grad_outputs) override;
  void release_variables() override { writer_.reset(); }

 private:
  Shape base_shape_;
  Shape base_strides_;
  Shape view_shape_;
  Shape view_strides_;
  std::int64_t view_offset_;  // from the base's first element
  Ref<Node> writer_;
};

}  // namespace gradlab
