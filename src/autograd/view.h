// Views, and what an in-place write does to the histories of a base and its views.
#pragma once

#include "src/autograd/node.h"

namespace gradlab {

// NOTE [Views]
// A view remembers its base (never itself a view), and how it came to be. Writing through a view rewrites the history of the
// base: the base's new node is CopySlices, which routes the written part through the op that wrote it and the rest past it.
// The view's own node is then stale, and so are those of all other views; each is replaced by an AsStrided node hanging off
// the base's new one when somebody looks at grad_fn and finds the counter moved. Views made under no_grad, by a custom
// Function, or several at once cannot be rewritten like that: using them after the base was written is an error that says
// so. Source: section 5 of PyTorch's semantics.

// A view of `of` that autograd tracks. Its node, if one is to be recorded, is set by the op that makes it.
Tensor make_view(const Tensor& of, const Shape& shape, const Shape& strides, std::int64_t storage_offset);

// Links a tensor to the node that made it.
void set_gradient_edge(const Tensor& tensor, Ref<Node> node, std::uint32_t output_nr);

// Links a written tensor to the node that wrote it: directly, or through a CopySlices of its base.
void rebase_history(const Tensor& tensor, Ref<Node> node, std::uint32_t output_nr = 0);

// Throws if `view` may not be written (or, `indirect`, may not be used because its base was).
void check_view_can_be_rebased(const Tensor& view, bool indirect);

}  // namespace gradlab
