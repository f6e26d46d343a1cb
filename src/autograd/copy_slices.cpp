#include "src/autograd/copy_slices.h"

#include "src/autograd/engine_ops.h"
#include "src/autograd/graph_task.h"
#include "src/tensor/messages.h"
#include "src/tensor/tensor_impl.h"

namespace gradlab {

CopySlices::CopySlices(const Tensor& base, const Tensor& view, Ref<Node> writer)
    : base_shape_(base.shape()),
      base_strides_(base.strides()),
      view_shape_(view.shape()),
      view_strides_(view.strides()),
      view_offset_(view.storage_offset() - base.storage_offset()),
      writer_(std::move(writer)) {
  add_input_metadata(base);
  add_next_edge(gradient_edge(base));
  for (std::size_t i = 1; i < writer_->num_outputs(); ++i) add_next_edge(writer_->next_edges()[i]);
}

TensorList CopySlices::apply(TensorList&& grad_outputs) {
  TensorList grad_inputs(num_outputs());
  const Tensor& grad = grad_outputs[0];
  if (!grad.defined()) return grad_inputs;
  if (!writer_) throw messages::freed();

  Tensor result = make_tensor(base_shape_, base_strides_, grad.dtype(), grad.device());
  result.copy_(grad);
  const Tensor slice = result.as_strided(view_shape_, view_strides_, view_offset_);

  // The writer's first edge leads to the view's old node, which this run did not walk.
  if (GraphTask::is_selective() && writer_->next_edges()[0].is_valid() && task_should_compute_output(0)) {
    GraphTask::mark_needed(*writer_->next_edges()[0].function);
  }
  TensorList written = writer_->apply({clone_contiguous(slice)});
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (!task_should_compute_output(i)) continue;
    if (i == 0) {
      if (written[0].defined()) slice.copy_(written[0]);
      grad_inputs[0] = result;
    } else {
      grad_inputs[i] = written[i];
    }
  }
  return grad_inputs;
}

}  // namespace gradlab
