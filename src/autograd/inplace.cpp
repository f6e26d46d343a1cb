#include "src/autograd/inplace.h"

#include "src/autograd/engine.h"
#include "src/autograd/grad_mode.h"
#include "src/autograd/observer.h"
#include "src/autograd/view.h"
#include "src/tensor/messages.h"
#include "src/tensor/tensor_impl.h"

namespace gradlab {

namespace {

void bump_version(const Tensor& tensor) {
  TensorImpl& impl = *tensor.impl();
  if (!impl.is_inference) {
    impl.version.bump();
  } else if (!GradMode::is_inference()) {
    throw messages::inference_in_place();
  }
}

enum class Overlap { kNo, kFull, kPartial, kTooHard };

Overlap overlap_of(const Tensor& a, const Tensor& b) {
  if (a.is_same(b)) return Overlap::kFull;
  if (a.numel() == 0 || b.numel() == 0) return Overlap::kNo;
  if (!a.is_non_overlapping_and_dense() || !b.is_non_overlapping_and_dense()) return Overlap::kTooHard;
  if (!a.is_alias_of(b)) return Overlap::kNo;
  const auto* a_begin = static_cast<const char*>(a.data_ptr());
  const auto* b_begin = static_cast<const char*>(b.data_ptr());
  const char* a_end = a_begin + static_cast<std::size_t>(a.numel()) * size_bytes(a.dtype());
  const char* b_end = b_begin + static_cast<std::size_t>(b.numel()) * size_bytes(b.dtype());
  if (a_begin == b_begin && a_end == b_end) return a.strides() == b.strides() ? Overlap::kFull : Overlap::kPartial;
  return a_begin < b_end && b_begin < a_end ? Overlap::kPartial : Overlap::kNo;
}

}  // namespace

void check_inplace(const Tensor& written, bool is_recorded) {
  if (Observer* observer = Observer::current()) [[unlikely]] observer->writes(written);
  if (written.impl()->is_inference && !GradMode::is_inference()) throw messages::inference_in_place();
  if (!is_recorded) return;
  const ViewInfo* view = written.impl()->view();
  if (view != nullptr) {
    check_view_can_be_rebased(written, false);
    if (written.requires_grad() && view->base.is_leaf()) throw messages::view_of_leaf_in_place();
  }
  if (written.requires_grad() && !written.impl()->grad_fn) throw messages::leaf_in_place();
}

void assert_no_internal_overlap(const Tensor& written) {
  if (written.is_non_overlapping_and_dense()) return;
  for (std::size_t d = 0; d < written.shape().size(); ++d) {
    if (written.strides()[d] == 0 && written.shape()[d] > 1) throw messages::internal_overlap();
  }
}

void assert_no_partial_overlap(const Tensor& written, const Tensor& operand) {
  if (overlap_of(written, operand) == Overlap::kPartial) throw messages::partial_overlap();
}

void finish_inplace(const Tensor& written, Ref<Node> node) {
  const std::uint32_t before = written.impl()->version.current();
  bump_version(written);
  const Node* writer = node.get();
  if (node) rebase_history(written, std::move(node));
  if (Observer* observer = Observer::current()) [[unlikely]] observer->wrote(written, before, writer);
}

void increment_version(const Tensor& tensor) { finish_inplace(tensor, {}); }

}  // namespace gradlab
