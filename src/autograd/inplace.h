// The rules of in-place writes.
#pragma once

#include "src/autograd/node.h"

namespace gradlab {

// NOTE [In-place]
// Rules are checked before anything is written, and only when the write would be recorded: a leaf that requires grad and a
// view of one may not be written, and a view must be one whose base can be rewritten. Afterwards the version moves, recorded
// or not, and the written tensor's history starts at the node that wrote it. Memory that several elements share, or that
// partly overlaps an operand, may not be written at all. Source: section 5 of PyTorch's semantics.

// `is_recorded`: grad mode is on and the tensor or an operand requires grad.
void check_inplace(const Tensor& written, bool is_recorded);

// Two elements of the tensor must not lie in the same place.
void assert_no_internal_overlap(const Tensor& written);
// The operand must be the tensor itself, lie exactly where it lies, or lie elsewhere.
void assert_no_partial_overlap(const Tensor& written, const Tensor& operand);

// Ends a write: moves the version and, with a node, rewrites the history.
void finish_inplace(const Tensor& written, Ref<Node> node);

}  // namespace gradlab
