// The base of nodes that need the two tensors they were made of.
#pragma once

#include "src/ops/record.h"

namespace gradlab {

// PyTorch unpacks saved tensors in the alphabetical order of their names, and the first that was written raises.
enum class UnpackedFirst : std::uint8_t { kLeft, kRight };

// `Derived` writes the gradients that are needed into `grads`, which has two entries:
//   void differentiate(TensorList& grads, Tensor&& grad, const Tensor& left, const Tensor& right);
template <FixedString kName, UnpackedFirst kFirst, class Derived>
struct SavesOperands : OpNode<kName> {
  SavedTensor left_;
  SavedTensor right_;

  TensorList apply(TensorList&& grad_outputs) final {
    const Tensor first = (kFirst == UnpackedFirst::kLeft ? left_ : right_).unpack();
    const Tensor second = (kFirst == UnpackedFirst::kLeft ? right_ : left_).unpack();
    TensorList grads(2);
    if (!grad_outputs[0].defined()) return grads;
    const Tensor& left = kFirst == UnpackedFirst::kLeft ? first : second;
    const Tensor& right = kFirst == UnpackedFirst::kLeft ? second : first;
    static_cast<Derived*>(this)->differentiate(grads, std::move(grad_outputs[0]), left, right);
    return grads;
  }
  void release_variables() final {
    left_.reset_data();
    right_.reset_data();
  }

  // Each operand of a product is needed for the other's gradient only.
  bool needs_left() const { return this->next_edges()[1].is_valid(); }
  bool needs_right() const { return this->next_edges()[0].is_valid(); }
  void save_left(const Tensor& left) { left_ = SavedTensor(*this, left, false); }
  void save_right(const Tensor& right) { right_ = SavedTensor(*this, right, false); }
  void save_factors(const Tensor& left, const Tensor& right) {
    if (needs_right()) save_right(right);
    if (needs_left()) save_left(left);
  }
};

}  // namespace gradlab
