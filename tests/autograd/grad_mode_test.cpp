// Section 6 of PyTorch's semantics: what requires grad, and the modes that decide what is recorded.
#include "src/autograd/grad_mode.h"

#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

constexpr const char* kInferenceSaved =
    "RuntimeError: Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation "
    "tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use "
    "`torch.no_grad()` instead of `torch.inference_mode()`.";
constexpr const char* kInferenceWritten =
    "RuntimeError: Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
    "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.";
constexpr const char* kInferenceRequiresGrad =
    "RuntimeError: Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.";

std::string inference_view(const std::string& modified) {
  return "RuntimeError: A view was created in inference mode and " + modified +
         " modified inplace in normal mode. Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify "
         "your code by moving both the view and the inplace either both inside the inference_mode block (if you don't want the "
         "inplace to be tracked) or both outside (if you want the inplace to be tracked).";
}

}  // namespace

TEST_CASE("a result requires grad when an input does and it is floating") {
  const Tensor x = leaf_ones({2});
  const Tensor plain = ones({2});
  CHECK((x + plain).requires_grad());
  CHECK((x * 0).requires_grad());
  CHECK(x.sign().requires_grad());
  CHECK_FALSE((plain + plain).requires_grad());
  CHECK_FALSE(x.eq(plain).requires_grad());
  CHECK_FALSE(x.gt(plain).requires_grad());
  CHECK_FALSE(x.to(DType::kInt64).requires_grad());
  CHECK_FALSE(x.to(DType::kBool).requires_grad());
  CHECK(x.to(DType::kFloat64).requires_grad());
  CHECK_FALSE(zeros_like(x).requires_grad());
  CHECK_FALSE(ones_like(x).requires_grad());
  CHECK_FALSE(empty_like(x).requires_grad());
}

TEST_CASE("a leaf is what no node made") {
  const Tensor x = leaf_ones({2});
  CHECK(x.is_leaf());
  CHECK(ones({2}).is_leaf());
  CHECK((ones({2}) * 2).is_leaf());
  CHECK_FALSE((x * 2).is_leaf());
  CHECK((x * 2).detach().is_leaf());
  CHECK(x.gt(x).is_leaf());
  const NoGradGuard no_grad;
  CHECK((x * 2).is_leaf());
}

TEST_CASE("under no_grad nothing is recorded, and the modes nest") {
  const Tensor x = leaf_ones({2});
  const NoGradGuard no_grad;
  CHECK_FALSE((x * 2).requires_grad());
  {
    const EnableGradGuard enable_grad;
    CHECK((x * 2).requires_grad());
    const NoGradGuard again;
    CHECK_FALSE((x * 2).requires_grad());
  }
  CHECK_FALSE((x * 2).requires_grad());
  CHECK(leaf_ones({2}).requires_grad());
}

TEST_CASE("the mode is restored when an exception leaves the scope") {
  CHECK(error_of([] {
          const NoGradGuard no_grad;
          throw Error(ErrorType::kRuntimeError, "out");
        }) == "RuntimeError: out");
  CHECK(GradMode::is_enabled());
}

TEST_CASE("detach leaves the graph, data leaves the counter too") {
  const Tensor h = leaf_ones({2}) * 2;
  for (const Tensor& alias : {h.detach(), h.data()}) {
    CHECK(alias.data_ptr() == h.data_ptr());
    CHECK_FALSE(alias.requires_grad());
    CHECK(alias.is_leaf());
  }
}

TEST_CASE("only floating tensors can require grad") {
  CHECK(error_of([] { ones({1}, {.dtype = DType::kInt64, .requires_grad = true}); }) ==
        "RuntimeError: Only Tensors of floating point and complex dtype can require gradients");
  const std::string text = "RuntimeError: only Tensors of floating point dtype can require gradients";
  CHECK(error_of([] { ones({1}, {.dtype = DType::kInt64}).requires_grad_(); }) == text);
  CHECK(error_of([] { ones({1}, {.dtype = DType::kBool}).requires_grad_(); }) == text);
  CHECK(error_of([] { ones({1}, {.dtype = DType::kInt64}).requires_grad_(false); }) == "no error");
}

TEST_CASE("a non-leaf cannot stop requiring grad, and requires_grad_() on one does nothing") {
  const Tensor h = leaf_ones({2}) * 2;
  CHECK(error_of([&] { h.requires_grad_(false); }) ==
        "RuntimeError: you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
        "subgraph that doesn't require differentiation use var_no_grad = var.detach().");
  const Ref<Node> before = h.grad_fn();
  h.requires_grad_();
  CHECK(h.grad_fn() == before);
}

TEST_CASE("item is for one element") {
  CHECK(ones({1, 1}).item() == 1);
  CHECK(leaf_scalar(2).item() == 2);
  CHECK(error_of([] { ones({3}).item(); }) == "RuntimeError: a Tensor with 3 elements cannot be converted to Scalar");
  CHECK(error_of([] { ones({0}).item(); }) == "RuntimeError: a Tensor with 0 elements cannot be converted to Scalar");
}

TEST_CASE("inference mode makes inference tensors, but views of normal tensors stay normal") {
  const Tensor x = leaf_ones({2});
  const InferenceModeGuard inference_mode;
  CHECK_FALSE((x * 2).requires_grad());
  CHECK_FALSE(Sq::apply(x).requires_grad());
  CHECK(error_of([&] { (x * 2).version(); }) == "RuntimeError: Inference tensors do not track version counter.");
  CHECK(error_of([&] { x.narrow(0, 0, 1).version(); }) == "no error");
  CHECK(leaf_ones({2}).requires_grad());
}

TEST_CASE("an inference tensor cannot be saved, written or made to require grad outside") {
  const Tensor x = leaf_ones({2});
  Tensor a;
  {
    const InferenceModeGuard inference_mode;
    a = ones({2});
  }
  CHECK(error_of([&] { x * a; }) == kInferenceSaved);
  CHECK(error_of([&] { Sq::apply(x) * a; }) == kInferenceSaved);
  CHECK(error_of([&] { x + a; }) == "no error");
  CHECK(error_of([&] { a * 1; }) == "no error");
  CHECK(error_of([&] { a.add_(1); }) == kInferenceWritten);
  CHECK(error_of([&] { a.narrow(0, 0, 1).add_(1); }) == kInferenceWritten);
  CHECK(error_of([&] { a.requires_grad_(); }) == kInferenceRequiresGrad);
  CHECK(a.to_string() == "tensor([1., 1.])");
  {
    const InferenceModeGuard inference_mode;
    CHECK(error_of([&] { a.add_(1); }) == "no error");
    CHECK(error_of([&] { a.requires_grad_(); }) == "no error");
  }
  CHECK(a.to_string() == "tensor([2., 2.], requires_grad=True)");
}

TEST_CASE("what an op makes of an inference tensor outside is normal, detach and views of it are not") {
  Tensor a;
  {
    const InferenceModeGuard inference_mode;
    a = ones({2});
  }
  CHECK((a * 1).version() == 0);
  CHECK(a.clone().version() == 0);
  CHECK(error_of([&] { a.detach().version(); }) == "RuntimeError: Inference tensors do not track version counter.");
  CHECK(error_of([&] { a.narrow(0, 0, 1).version(); }) == "RuntimeError: Inference tensors do not track version counter.");
}

TEST_CASE("a view made in inference mode may not be written outside, nor used after its base was") {
  const Tensor plain = ones({2});
  const Tensor h = leaf_ones({2}) * 1;
  Tensor of_plain;
  Tensor of_h;
  {
    const InferenceModeGuard inference_mode;
    of_plain = plain.narrow(0, 0, 1);
    of_h = h.narrow(0, 0, 1);
    plain.add_(1);
  }
  CHECK(plain.version() == 1);
  CHECK(of_plain.version() == 1);
  CHECK(error_of([&] { of_plain.add_(1); }) == "no error");
  CHECK(error_of([&] { of_h.add_(1); }) == inference_view("is being"));
  h.add_(1);
  CHECK(error_of([&] { of_h * 2; }) == inference_view("its base or another view of its base has been"));
}

TEST_CASE("increment_version of an inference tensor does nothing") {
  const InferenceModeGuard inference_mode;
  CHECK(error_of([] { increment_version(ones({2})); }) == "no error");
}
