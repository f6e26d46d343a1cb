// From tensors to kernels: what an op's forward is made of. Nothing here is recorded.
#pragma once

#include "kernels/elementwise.h"
#include "kernels/memory.h"
#include "kernels/reduce.h"
#include "src/tensor/tensor.h"
#include "src/tensor/tensor_impl.h"

namespace gradlab {

// ---- type promotion (section 12 of PyTorch's semantics) ----

// Tensors with dimensions outrank 0-dim ones, which outrank Python numbers; within a rank the wider dtype wins.
DType result_type(const Tensor& a, const Tensor& b);
DType result_type(const Tensor& tensor, const Scalar& number);
// What a math op of an integer gives: float32.
DType float_type(DType dtype);
// An in-place result of dtype `from` must fit `to`. Throws PyTorch's text.
void check_can_cast(DType from, DType to);

// ---- operands ----

// A Python number as an operand.
Tensor wrapped_number(const Scalar& value);
// The tensor with another dtype, unrecorded; itself when nothing is to do.
Tensor raw_to(const Tensor& tensor, DType dtype);
// The same elements row-major, unrecorded; itself when nothing is to do.
Tensor raw_contiguous(const Tensor& tensor);
// Both on one device, or one is a 0-dim CPU tensor, which acts as a number. Throws PyTorch's text.
Device common_device(const Tensor& a, const Tensor& b);

// ---- elementwise ----

// Fresh results, laid out by PyTorch's rule. Operands broadcast and are converted to the dtype computed in.
Tensor call_unary(UnaryOp op, const Tensor& in);
Tensor call_binary(BinaryOp op, const Tensor& a, const Tensor& b, DType compute);
Tensor call_binary(BinaryOp op, const Tensor& a, const Scalar& number, DType compute);
Tensor call_comparison(BinaryOp op, const Tensor& a, const Tensor& b);

// Over all elements, to a 0-dim result.
Tensor call_reduce(ReduceOp op, const Tensor& self);

// Into `out`, which may be an operand. Shapes must have been checked.
void unary_into(UnaryOp op, const Tensor& out, const Tensor& in);
void binary_into(BinaryOp op, const Tensor& out, const Tensor& a, const Tensor& b);
void copy_into(const Tensor& out, const Tensor& in);  // converts and broadcasts
void fill_into(const Tensor& out, double value);

// Whether `operand` lies in the memory of `written` in another way than `written` itself.
bool is_tangled(const Tensor& written, const Tensor& operand);
// binary_into and copy_into for that case, which PyTorch lets pass where one of the two skips or repeats elements: element by
// element in the order of memory, each written before the next is read.
void binary_one_by_one(BinaryOp op, const Tensor& out, const Tensor& operand);  // out = op(out, operand)
void copy_one_by_one(const Tensor& out, const Tensor& in);

// For writes: `operand` must broadcast to the written shape. Throws PyTorch's text.
void check_broadcasts_into(const Tensor& written, const Tensor& operand);

// Strides of a tensor repeated over `shape`.
Shape strides_over(const Tensor& tensor, const Shape& shape);
Extent extent_of(const Shape& shape);

}  // namespace gradlab
