#include "src/lab/value.h"

#include <doctest/doctest.h>

using namespace gradlab;

TEST_CASE("values print as Python prints them") {
  CHECK(text_of(value_of(true)) == "True");
  CHECK(text_of(value_of(false)) == "False");
  CHECK(text_of(value_of(Tensor())) == "None");
  CHECK(text_of(value_of(Ref<Node>())) == "None");
  CHECK(text_of(value_of(tensor({60}))) == "tensor([60.])");
  CHECK(text_of(value_of(Error(ErrorType::kIndexError, "too far"))) == "IndexError: too far");
  CHECK(text_of(value_of(std::optional<ErrorValue>())) == "no error");
}

TEST_CASE("a node prints without its address unless asked") {
  const Tensor y = ones({1}, {.requires_grad = true}) * 2;
  const Value value = value_of(y.grad_fn());
  CHECK(text_of(value) == "<MulBackward0 object at ...>");
  CHECK(text_of(value, true).starts_with("<MulBackward0 object at 0x"));
}

TEST_CASE("of a long tensor only the ends are kept") {
  const Numbers numbers = numbers_of(arange(2000, {.dtype = DType::kFloat32}));
  CHECK(numbers.count == 2000);
  CHECK_FALSE(numbers.is_complete());
  CHECK(numbers.values == std::vector<double>{0, 1, 2, 1997, 1998, 1999});
  CHECK(numbers_of(arange(1000, {.dtype = DType::kFloat32})).is_complete());
}
