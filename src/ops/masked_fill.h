// self[mask] = value in place, which gradients of choosing ops end with.
#pragma once

#include "src/tensor/tensor.h"

namespace gradlab {

// torch.Tensor.masked_fill_: `mask` is bool and broadcasts to `self`; a Tensor value is 0-dim.
const Tensor& masked_fill_(const Tensor& self, const Tensor& mask, const Tensor& value);
const Tensor& masked_fill_(const Tensor& self, const Tensor& mask, const Scalar& value);

}  // namespace gradlab
