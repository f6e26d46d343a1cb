// Text in PyTorch's format: tensors, Python floats, sizes and type names. Pure functions on plain host data, no locale.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kernels/device.h"
#include "kernels/dtype.h"

namespace gradlab {

// What a printed tensor is made of. Borrows everything it points to.
struct TensorText {
  DType dtype = DType::kFloat32;
  Device device = Device::kCpu;  // named in the text when it is not the CPU; the values are on the host all the same
  int device_index = 0;
  std::span<const std::int64_t> shape = {};  // empty: 0-dim, one element
  const void* values = nullptr;              // numel elements of dtype, row-major; may be null when numel is 0
  std::string_view grad_fn = {};  // class name without brackets, "Invalid" included; empty when there is none
  bool requires_grad = false;     // shown only when grad_fn is empty
};

// str(tensor), e.g. "tensor([60.], device='cuda:0', grad_fn=<MulBackward0>)", with PyTorch's default print options.
// With more than 1000 elements only those shown are read: the first and last three of each dimension longer than six.
std::string format_tensor(const TensorText& tensor);

// Python's repr(float): the shortest digits that read back as `value`, e.g. "60.0", "1e+16", "9.999999747378752e-06",
// "nan", "-inf", "-0.0". Pass a float32 as its exact double, as .item() does.
std::string python_float(double value);

// A shape as PyTorch's error texts write it: "[2, 3]", "[]" for 0-dim.
std::string format_size(std::span<const std::int64_t> shape);

// A shape as Python prints it: "torch.Size([2, 3])".
std::string torch_size(std::span<const std::int64_t> shape);

// "torch.float32", "torch.bool".
std::string_view torch_name(DType dtype);

// The name C++ error texts use: "Float", "Double", "Int", "Long", "Bool".
std::string_view scalar_name(DType dtype);

// The type of a tensor in error texts: "torch.FloatTensor", "torch.cuda.FloatTensor", but "CPUBoolType",
// "CUDABoolType".
std::string tensor_type_name(DType dtype, Device device);

}  // namespace gradlab
