// The ops that the engine itself needs. Declared here, since the engine knows no concrete op; defined in src/ops.
#pragma once

#include "src/autograd/node.h"

namespace gradlab {

// The reverse of broadcasting: sums `tensor` down to `shape`, which is expandable to the tensor's shape. The tensor itself
// when nothing is to do, unless it is 0-dim.
Tensor sum_to(const Tensor& tensor, const Shape& shape);

// clone(memory_format=torch.contiguous_format): always a copy, row-major.
Tensor clone_contiguous(const Tensor& self);

// The node of a view regenerated from its base (NOTE [Views] in view.h).
Ref<Node> make_as_strided_node(const Tensor& base, const Tensor& view);

}  // namespace gradlab
