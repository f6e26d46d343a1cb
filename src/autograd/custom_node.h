// The node of a custom Function: ctx and grad_fn in one.
#pragma once

#include <string>

#include "src/autograd/function.h"

namespace gradlab {

class CustomNode final : public Node {
 public:
  using Backward = TensorList (*)(CustomNode& node, Context& ctx, const TensorList& grad_outputs);

  CustomNode(std::string_view class_name, Backward backward, BackwardFunction run_time_backward);

  std::string name() const override { return std::string(class_name_) + "Backward"; }
  bool is_custom_function() const override { return true; }
  TensorList apply(TensorList&& grad_outputs) override;
  void release_variables() override;

  Context& ctx() { return ctx_; }
  // What save_for_backward kept, checked.
  TensorList unpack_saved();
  const BackwardFunction& run_time_backward() const { return run_time_backward_; }

  // Called by FunctionCall: before and after forward (NOTE [Apply]).
  void set_arguments(const TensorList& arguments);
  TensorList wrap_outputs(const TensorList& arguments, TensorList outputs, bool is_executable);
  void save_variables(const TensorList& outputs);

 private:
  Tensor wrap_output(Tensor output, std::uint32_t output_nr, std::size_t num_outputs, const TensorList& arguments,
                     bool is_executable);

  std::string class_name_;
  Backward backward_;
  BackwardFunction run_time_backward_;
  Context ctx_;
  InlineVector<SavedTensor, 1> saved_;
  InlineVector<bool, 8> is_tensor_argument_;
  bool has_freed_ = false;
};

}  // namespace gradlab
