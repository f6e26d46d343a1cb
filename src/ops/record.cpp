#include "src/ops/record.h"

#include "src/tensor/messages.h"

namespace gradlab {

void refuse_undefined(const OperandNames& names, std::initializer_list<const Tensor*> operands) {
  std::size_t position = 0;
  while (operands.begin()[position]->defined()) ++position;
  throw messages::undefined_operand(position, names[position]);
}

void refuse_dtype(const Tensor& result) { throw messages::not_differentiable(result.dtype()); }

void report_inputs(std::initializer_list<const Tensor*> inputs) {
  if (Observer* observer = Observer::current()) observer->takes(inputs);
}

void report_result(const Tensor& result, std::string_view name, const Node* node) {
  if (Observer* observer = Observer::current()) {
    observer->created(result, result.is_view() ? Origin::kView : Origin::kOp, name, node, result.base());
  }
}

}  // namespace gradlab
