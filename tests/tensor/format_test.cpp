#include "src/tensor/format.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "tests/autograd/expect.h"

using namespace gradlab;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

using Sizes = std::vector<std::int64_t>;

// Suffixes and dtype come from `like`; shape and values are filled in.
template <class T>
std::string printed(const std::vector<T>& values, const Sizes& shape, TensorText like) {
  like.shape = shape;
  like.values = values.data();
  return format_tensor(like);
}

std::string floats(const std::vector<float>& values, const Sizes& shape, TensorText like = {}) {
  return printed(values, shape, like);
}

std::string floats(const std::vector<float>& values) {
  return floats(values, {static_cast<std::int64_t>(values.size())});
}

std::string longs(const std::vector<std::int64_t>& values, const Sizes& shape) {
  return printed(values, shape, {.dtype = DType::kInt64});
}

std::vector<float> counting(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

}  // namespace

TEST_CASE("a float tensor of whole numbers prints a bare dot") {
  CHECK(floats({60}) == "tensor([60.])");
  CHECK(floats({60}, {}) == "tensor(60.)");
  CHECK(floats({1, 1000}) == "tensor([   1., 1000.])");
  CHECK(floats({1e8f}) == "tensor([100000000.])");
}

TEST_CASE("one fraction gives every element four decimals") {
  CHECK(floats({1, 2.5f}) == "tensor([1.0000, 2.5000])");
  CHECK(floats({1.5e-3f, 1.5f}) == "tensor([0.0015, 1.5000])");
  CHECK(floats({0.12345f, 123.4f}) == "tensor([  0.1235, 123.4000])");
}

TEST_CASE("a wide range, a large or a small element gives scientific notation") {
  CHECK(floats({1, 1001}) == "tensor([1.0000e+00, 1.0010e+03])");
  CHECK(floats({0.5f, 500.5f}) == "tensor([5.0000e-01, 5.0050e+02])");
  CHECK(floats({1e8f + 8}) == "tensor([1.0000e+08])");
}

TEST_CASE("the smallest element is compared as a double, so 0.0001f is scientific and 0.0001 is not") {
  CHECK(floats({0.0001f}) == "tensor([1.0000e-04])");
  CHECK(printed<double>({0.0001}, {1}, {.dtype = DType::kFloat64}) == "tensor([0.0001], dtype=torch.float64)");
}

TEST_CASE("zeros, nan and inf do not choose the format or the width") {
  CHECK(floats({2000, 0}) == "tensor([2000.,    0.])");
  CHECK(floats({float(test::kNan), 1}) == "tensor([nan, 1.])");
  CHECK(floats({float(-test::kNan), 1}) == "tensor([nan, 1.])");
  CHECK(floats({float(-kInf), 100}) == "tensor([-inf, 100.])");
  CHECK(floats({float(kInf), 1.5f}) == "tensor([   inf, 1.5000])");
  CHECK(floats({float(test::kNan), float(kInf)}) == "tensor([nan, inf])");
}

TEST_CASE("negative zero keeps its sign") {
  CHECK(floats({-0.0f, 1}) == "tensor([-0., 1.])");
  CHECK(floats({-0.0f, 1.5f}) == "tensor([-0.0000, 1.5000])");
}

TEST_CASE("decimals are rounded half to even on the exact value") {
  CHECK(floats({0.03125f}) == "tensor([0.0312])");
  CHECK(floats({0.09375f}) == "tensor([0.0938])");
}

TEST_CASE("integers and booleans are right-aligned") {
  CHECK(longs({1, -22, 333}, {3}) == "tensor([  1, -22, 333])");
  CHECK(longs({std::numeric_limits<std::int64_t>::min()}, {}) == "tensor(-9223372036854775808)");
  CHECK(printed<std::uint8_t>({1, 0}, {2}, {.dtype = DType::kBool}) == "tensor([ True, False])");
  CHECK(printed<std::int32_t>({1}, {1}, {.dtype = DType::kInt32}) == "tensor([1], dtype=torch.int32)");
}

TEST_CASE("an empty tensor shows its size unless 1-dim, and every dtype but float32") {
  CHECK(format_tensor({.shape = Sizes{0}}) == "tensor([])");
  CHECK(format_tensor({.shape = Sizes{0, 3}}) == "tensor([], size=(0, 3))");
  CHECK(format_tensor({.dtype = DType::kInt64, .shape = Sizes{0}}) == "tensor([], dtype=torch.int64)");
  CHECK(format_tensor({.dtype = DType::kBool, .shape = Sizes{0}}) == "tensor([], dtype=torch.bool)");
  CHECK(format_tensor({.dtype = DType::kInt64, .shape = Sizes{2, 0}}) == "tensor([], size=(2, 0), dtype=torch.int64)");
  CHECK(format_tensor({.shape = Sizes{0}, .requires_grad = true}) == "tensor([], requires_grad=True)");
}

TEST_CASE("slices are separated by one newline per dimension below them") {
  CHECK(floats(counting(8), {2, 2, 2}) ==
        "tensor([[[0., 1.],\n"
        "         [2., 3.]],\n"
        "\n"
        "        [[4., 5.],\n"
        "         [6., 7.]]])");
}

TEST_CASE("a row breaks by the width, which zeros leave at one") {
  CHECK(floats(std::vector<float>(25, 0)) ==
        "tensor([0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0.,\n"
        "        0.])");
  CHECK(floats(std::vector<float>(19, 1)) ==
        "tensor([1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.,\n"
        "        1.])");
}

TEST_CASE("a thousand elements are shown whole, one more is summarised") {
  std::vector<std::int64_t> values(1001);
  std::iota(values.begin(), values.end(), 0);
  CHECK(longs(values, {1001}) == "tensor([   0,    1,    2,  ...,  998,  999, 1000])");
  CHECK(longs(values, {1000}).find("...") == std::string::npos);
}

TEST_CASE("a summarised tensor shows the edges of each long dimension") {
  CHECK(floats(std::vector<float>(1002, 0), {501, 2}) ==
        "tensor([[0., 0.],\n"
        "        [0., 0.],\n"
        "        [0., 0.],\n"
        "        ...,\n"
        "        [0., 0.],\n"
        "        [0., 0.],\n"
        "        [0., 0.]])");
}

TEST_CASE("elements left out of a summary do not choose the format") {
  std::vector<float> values(2000, 1);
  values[1000] = 1e20f;
  values[3] = 0.5f;
  CHECK(floats(values) == "tensor([1., 1., 1.,  ..., 1., 1., 1.])");
  values[2] = 0.5f;
  CHECK(floats(values) == "tensor([1.0000, 1.0000, 0.5000,  ..., 1.0000, 1.0000, 1.0000])");
}

TEST_CASE("suffixes come in the order device, dtype, grad_fn") {
  CHECK(floats({60}, {1}, {.device = Device::kCuda, .grad_fn = "MulBackward0"}) ==
        "tensor([60.], device='cuda:0', grad_fn=<MulBackward0>)");
  const TensorText like = {.dtype = DType::kFloat64, .device = Device::kCuda, .device_index = 1, .grad_fn = "Mul"};
  CHECK(printed<double>({2, 4}, {2}, like) == "tensor([2., 4.], device='cuda:1', dtype=torch.float64, grad_fn=<Mul>)");
}

TEST_CASE("grad_fn wins over requires_grad") {
  CHECK(floats({1}, {1}, {.requires_grad = true}) == "tensor([1.], requires_grad=True)");
  CHECK(floats({1}, {1}, {.grad_fn = "CopySlices", .requires_grad = true}) == "tensor([1.], grad_fn=<CopySlices>)");
  CHECK(floats({1}, {1}, {.grad_fn = "Invalid"}) == "tensor([1.], grad_fn=<Invalid>)");
}

TEST_CASE("suffixes continue the last line while they fit") {
  CHECK(floats({2.7183f, 2.7183f, 2.7183f, 2.7183f}, {2, 2}, {.grad_fn = "ExpBackward0"}) ==
        "tensor([[2.7183, 2.7183],\n"
        "        [2.7183, 2.7183]], grad_fn=<ExpBackward0>)");
  CHECK(printed(std::vector<double>(24, 2), {24}, {.dtype = DType::kFloat64, .grad_fn = "MulBackward0"}) ==
        "tensor([2., 2., 2., 2., 2., 2., 2., 2., 2., 2., 2., 2., 2., 2., 2., 2., 2., 2.,\n"
        "        2., 2., 2., 2., 2., 2.], dtype=torch.float64, grad_fn=<MulBackward0>)");
}

TEST_CASE("a suffix that would pass column 80 starts a new line") {
  const std::string row = "tensor([1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.]";
  const std::vector<float> values(14, 1);
  // 63 columns, and two that PyTorch adds, leave room for a suffix of 13.
  CHECK(floats(values, {14}, {.grad_fn = "Abc"}) == row + ", grad_fn=<Abc>)");
  CHECK(floats(values, {14}, {.grad_fn = "Abcd"}) == row + ",\n       grad_fn=<Abcd>)");
}

TEST_CASE("a second suffix counts the first, on the same line or on a new one") {
  const auto ones = [](std::int64_t count, std::size_t name_length) {
    const std::string name(name_length, 'x');
    const std::vector<double> values(static_cast<std::size_t>(count), 1);
    return printed(values, {count}, {.dtype = DType::kFloat64, .grad_fn = name});
  };
  const auto grad_fn = [](std::size_t name_length) { return "grad_fn=<" + std::string(name_length, 'x') + ">)"; };
  const std::string same_line = "tensor([1.], dtype=torch.float64";
  CHECK(ones(1, 34) == same_line + ", " + grad_fn(34));
  CHECK(ones(1, 35) == same_line + ",\n       " + grad_fn(35));
  const std::string new_line =
      "tensor([1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.],\n"
      "       dtype=torch.float64";
  CHECK(ones(14, 42) == new_line + ", " + grad_fn(42));
  CHECK(ones(14, 43) == new_line + ",\n       " + grad_fn(43));
}

TEST_CASE("the number of dimensions has no limit") {
  const std::size_t dims = 300;
  CHECK(floats({7}, Sizes(dims, 1)) == "tensor(" + std::string(dims, '[') + "7." + std::string(dims, ']') + ")");
}

TEST_CASE("a Python float has the shortest digits that read back") {
  CHECK(python_float(60) == "60.0");
  CHECK(python_float(-0.0) == "-0.0");
  CHECK(python_float(0.1) == "0.1");
  CHECK(python_float(0.1f) == "0.10000000149011612");
  CHECK(python_float(5e-324) == "5e-324");
  CHECK(python_float(1.7976931348623157e308) == "1.7976931348623157e+308");
}

TEST_CASE("a Python float takes an exponent below 1e-4 and from 1e16") {
  CHECK(python_float(1e-4) == "0.0001");
  CHECK(python_float(1e-5f) == "9.999999747378752e-06");
  CHECK(python_float(1e10) == "10000000000.0");
  CHECK(python_float(1e15) == "1000000000000000.0");
  CHECK(python_float(1e16) == "1e+16");
  CHECK(python_float(1e16f) == "1.0000000272564224e+16");
}

TEST_CASE("a Python float spells nan and inf without a sign on nan") {
  CHECK(python_float(test::kNan) == "nan");
  CHECK(python_float(std::copysign(test::kNan, -1.0)) == "nan");
  CHECK(python_float(kInf) == "inf");
  CHECK(python_float(-kInf) == "-inf");
}

TEST_CASE("a shape is written with brackets, and as torch.Size") {
  CHECK(format_size(Sizes{2, 3}) == "[2, 3]");
  CHECK(format_size(Sizes{1}) == "[1]");
  CHECK(format_size(Sizes{}) == "[]");
  CHECK(torch_size(Sizes{2, 3}) == "torch.Size([2, 3])");
  CHECK(torch_size(Sizes{}) == "torch.Size([])");
}

TEST_CASE("each dtype has PyTorch's names") {
  CHECK(torch_name(DType::kFloat32) == "torch.float32");
  CHECK(torch_name(DType::kFloat64) == "torch.float64");
  CHECK(torch_name(DType::kInt32) == "torch.int32");
  CHECK(torch_name(DType::kInt64) == "torch.int64");
  CHECK(torch_name(DType::kBool) == "torch.bool");
  CHECK(scalar_name(DType::kFloat32) == "Float");
  CHECK(scalar_name(DType::kFloat64) == "Double");
  CHECK(scalar_name(DType::kInt32) == "Int");
  CHECK(scalar_name(DType::kInt64) == "Long");
  CHECK(scalar_name(DType::kBool) == "Bool");
}

TEST_CASE("error texts name a tensor's type, bool by its internal name") {
  CHECK(tensor_type_name(DType::kFloat32, Device::kCpu) == "torch.FloatTensor");
  CHECK(tensor_type_name(DType::kFloat32, Device::kCuda) == "torch.cuda.FloatTensor");
  CHECK(tensor_type_name(DType::kFloat64, Device::kCpu) == "torch.DoubleTensor");
  CHECK(tensor_type_name(DType::kInt32, Device::kCuda) == "torch.cuda.IntTensor");
  CHECK(tensor_type_name(DType::kInt64, Device::kCpu) == "torch.LongTensor");
  CHECK(tensor_type_name(DType::kBool, Device::kCpu) == "CPUBoolType");
  CHECK(tensor_type_name(DType::kBool, Device::kCuda) == "CUDABoolType");
}
