// The node of a custom Function: ctx and grad_fn in one.
#pragma once

#include <memory>
#include <string>

#include "src/autograd/function.h"

namespace gradlab {

class CustomNode final : public Node {
 public:
  explicit CustomNode(std::shared_ptr<const FunctionType> type);

  std::string name() const override { return std::string(type_->class_name) + "Backward"; }
  bool is_custom_function() const override { return true; }
  TensorList apply(TensorList&& grad_outputs) override;
  void release_variables() override;

  Context& ctx() { return ctx_; }

  // What FunctionCall does before and after forward (NOTE [Apply]).
  // Links to the arguments' nodes; whether there is any to link to, that is, whether a graph is built.
  bool set_arguments(const TensorList& arguments);
  void bump_dirty() const;
  TensorList wrap_outputs(const TensorList& arguments, TensorList outputs, bool is_executable);
  void save_variables(const TensorList& outputs);
  // A dirty tensor is also an output: keeping it would be a cycle.
  void forget_marks();

 private:
  Tensor wrap_output(Tensor output, std::uint32_t output_nr, std::size_t num_outputs, const TensorList& arguments,
                     bool is_differentiable, bool is_executable);
  bool is_dirty(const Tensor& tensor) const;
  bool is_differentiable(const Tensor& output) const;

  std::shared_ptr<const FunctionType> type_;
  Context ctx_;
};

}  // namespace gradlab
