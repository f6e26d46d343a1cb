// The texts about custom Functions.
#include "src/tensor/message_text.h"

namespace gradlab::messages {

// ---- custom Functions ----

Error dirty_not_returned() {
  return runtime_error(
      "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified inplace "
      "must all be outputs of the Function.");
}

Error dirty_view_several_outputs() {
  return runtime_error(
      "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more than one "
      "Tensor. This is not supported by the current autograd engine. You should either make sure the input is not a view (using "
      ".clone() for example) or make your Function only return one Tensor (potentially splitting it into two Functions: one doing the "
      "inplace that returns a single Tensor and a second one that does the other operations). You can ask on the forum "
      "https://discuss.pytorch.org/ if you need help to do this change.");
}

Error wrong_gradient_count(std::string_view node, std::size_t expected, std::size_t got) {
  return runtime_error("function {} returned an incorrect number of gradients (expected {}, got {})", node, expected, got);
}

Error gradient_for_non_tensor(std::string_view node, std::size_t position) {
  return runtime_error(
      "function {} returned a gradient different than None at position {}, but the corresponding forward input was not a Variable",
      node, position);
}

Error invalid_gradient_shape(std::string_view node, std::size_t index, ShapeView got, ShapeView expected) {
  return runtime_error("Function {} returned an invalid gradient at index {} - got {} but expected shape compatible with {}", node,
                       index, format_size(got), format_size(expected));
}

Error invalid_gradient_device(std::string_view node, std::size_t index, Device expected, Device got) {
  return runtime_error("Function {} returned an invalid gradient at index {} - expected device {} but got {}", node, index,
                       device_name(expected), device_name(got));
}

Error twice_differentiated() {
  return runtime_error("trying to differentiate twice a function that was marked with @once_differentiable");
}

Error ctx_attribute_type(std::string_view expected) {
  return runtime_error("this ctx attribute holds no {}: store one in forward before reading it in backward", expected);
}

const char* const kDirtyNotAnInput =
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be passed to "
    "ctx.mark_dirty().";

}  // namespace gradlab::messages
