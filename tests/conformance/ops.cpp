#include "tests/conformance/ops.h"

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "src/autograd/engine.h"

namespace gradlab::conformance {
namespace {

using nlohmann::json;

using Unary = Tensor (*)(const Tensor&);
using UnaryInplace = void (*)(const Tensor&);
using Binary = Tensor (*)(const Tensor&, const Tensor&);
using BinaryScalar = Tensor (*)(const Tensor&, const Scalar&);
using BinaryInplace = void (*)(const Tensor&, const Argument&);
template <class Value>
using Table = std::map<std::string_view, Value>;

const Table<Unary> kUnary = {
    {"neg", [](const Tensor& x) { return x.neg(); }},
    {"exp", [](const Tensor& x) { return x.exp(); }},
    {"tanh", [](const Tensor& x) { return x.tanh(); }},
    {"sigmoid", [](const Tensor& x) { return x.sigmoid(); }},
    {"relu", [](const Tensor& x) { return x.relu(); }},
    {"erf", [](const Tensor& x) { return x.erf(); }},
    {"sqrt", [](const Tensor& x) { return x.sqrt(); }},
    {"log", [](const Tensor& x) { return x.log(); }},
    {"clone", [](const Tensor& x) { return x.clone(); }},
    {"detach", [](const Tensor& x) { return x.detach(); }},
    {"gelu", [](const Tensor& x) { return x.gelu(); }},
    {"data", [](const Tensor& x) { return x.data(); }},
    {"mean", [](const Tensor& x) { return x.mean(); }},
    {"t", [](const Tensor& x) { return x.t(); }},
    {"abs", [](const Tensor& x) { return x.abs(); }},
    {"sign", [](const Tensor& x) { return x.sign(); }},
    {"max", [](const Tensor& x) { return x.max(); }},
    {"min", [](const Tensor& x) { return x.min(); }},
    {"contiguous", [](const Tensor& x) { return x.contiguous(); }},
    {"reciprocal", [](const Tensor& x) { return x.reciprocal(); }},
};

const Table<Binary> kBinary = {
    {"add", [](const Tensor& a, const Tensor& b) { return a.add(b); }},
    {"sub", [](const Tensor& a, const Tensor& b) { return a.sub(b); }},
    {"mul", [](const Tensor& a, const Tensor& b) { return a.mul(b); }},
    {"div", [](const Tensor& a, const Tensor& b) { return a.div(b); }},
    {"matmul", [](const Tensor& a, const Tensor& b) { return a.matmul(b); }},
    {"maximum", [](const Tensor& a, const Tensor& b) { return a.maximum(b); }},
    {"minimum", [](const Tensor& a, const Tensor& b) { return a.minimum(b); }},
    {"eq", [](const Tensor& a, const Tensor& b) { return a.eq(b); }},
    {"ne", [](const Tensor& a, const Tensor& b) { return a.ne(b); }},
    {"lt", [](const Tensor& a, const Tensor& b) { return a.lt(b); }},
    {"le", [](const Tensor& a, const Tensor& b) { return a.le(b); }},
    {"gt", [](const Tensor& a, const Tensor& b) { return a.gt(b); }},
    {"ge", [](const Tensor& a, const Tensor& b) { return a.ge(b); }},
    {"view_as", [](const Tensor& a, const Tensor& b) { return a.view_as(b); }},
};

const Table<BinaryScalar> kBinaryScalar = {
    {"add", [](const Tensor& a, const Scalar& b) { return a.add(b); }},
    {"sub", [](const Tensor& a, const Scalar& b) { return a.sub(b); }},
    {"mul", [](const Tensor& a, const Scalar& b) { return a.mul(b); }},
    {"div", [](const Tensor& a, const Scalar& b) { return a.div(b); }},
    {"rsub", [](const Tensor& a, const Scalar& b) { return b - a; }},
    {"rdiv", [](const Tensor& a, const Scalar& b) { return b / a; }},
};

const Table<UnaryInplace> kUnaryInplace = {
    {"zero_", [](const Tensor& x) { x.zero_(); }}, {"exp_", [](const Tensor& x) { x.exp_(); }},
    {"tanh_", [](const Tensor& x) { x.tanh_(); }}, {"sigmoid_", [](const Tensor& x) { x.sigmoid_(); }},
    {"relu_", [](const Tensor& x) { x.relu_(); }}, {"neg_", [](const Tensor& x) { x.neg_(); }},
};

const Table<BinaryInplace> kBinaryInplace = {
    {"add_", [](const Tensor& x, const Argument& b) { std::visit([&](const auto& value) { x.add_(value); }, b); }},
    {"sub_", [](const Tensor& x, const Argument& b) { std::visit([&](const auto& value) { x.sub_(value); }, b); }},
    {"mul_", [](const Tensor& x, const Argument& b) { std::visit([&](const auto& value) { x.mul_(value); }, b); }},
    {"div_", [](const Tensor& x, const Argument& b) { std::visit([&](const auto& value) { x.div_(value); }, b); }},
    {"fill_", [](const Tensor& x, const Argument& b) { std::visit([&](const auto& value) { x.fill_(value); }, b); }},
    {"copy_", [](const Tensor& x, const Argument& b) { x.copy_(std::get<Tensor>(b)); }},
};

template <class Value>
const Value* find(const Table<Value>& table, std::string_view name) {
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

Shape as_shape(const json& list) {
  Shape shape;
  for (const json& size : list) shape.push_back(size.get<std::int64_t>());
  return shape;
}

DType as_dtype(const std::string& name) {
  static const std::map<std::string, DType> kNames = {{"float32", DType::kFloat32},
                                                      {"float64", DType::kFloat64},
                                                      {"int32", DType::kInt32},
                                                      {"int64", DType::kInt64},
                                                      {"bool", DType::kBool}};
  const auto found = kNames.find(name);
  if (found == kNames.end()) throw std::invalid_argument("a dtype named " + name + " is not in the format");
  return found->second;
}

// Ops that take a tensor and plain numbers. Undefined when `name` is none of them.
Tensor with_numbers(std::string_view name, const Tensor& x, const json& step) {
  const auto number = [&](const char* key) { return step.at(key).get<std::int64_t>(); };
  if (name == "pow") return x.pow(as_scalar(step.at("exponent")));
  if (name == "view") return x.view(as_shape(step.at("shape")));
  if (name == "reshape") return x.reshape(as_shape(step.at("shape")));
  if (name == "expand") return x.expand(as_shape(step.at("shape")));
  if (name == "select") return x.select(number("dim"), number("index"));
  if (name == "narrow") return x.narrow(number("dim"), number("start"), number("length"));
  if (name == "unsqueeze") return x.unsqueeze(number("dim"));
  if (name == "squeeze") return x.squeeze(number("dim"));
  if (name == "get_index") return x[number("index")];
  if (name == "clamp") return x.clamp(as_scalar(step.at("low")), as_scalar(step.at("high")));
  if (name == "to") return x.to(as_dtype(step.at("dtype").get<std::string>()));
  if (name == "as_strided") {
    return x.as_strided(as_shape(step.at("shape")), as_shape(step.at("stride")), number("offset"));
  }
  if (name == "sum") {
    if (!step.contains("dims")) return x.sum();
    return x.sum(as_shape(step.at("dims")), step.at("keepdim").get<bool>());
  }
  return {};
}

}  // namespace

Scalar as_scalar(const json& number) {
  if (number.is_number_integer()) return Scalar(number.get<std::int64_t>());
  return Scalar(number.get<double>());
}

Tensor make_leaf(const json& step) {
  std::vector<double> values;
  for (const json& value : step.at("values")) {
    values.push_back(std::strtod(value.get_ref<const std::string&>().c_str(), nullptr));
  }
  const DType dtype = as_dtype(step.at("dtype").get<std::string>());
  const Tensor made = tensor(values, as_shape(step.at("shape")), {.dtype = dtype});
  return made.requires_grad_(step.at("requires_grad").get<bool>());
}

Tensor compute(const json& step, const std::vector<Argument>& in) {
  const std::string& name = step.at("do").get_ref<const std::string&>();
  const Tensor& x = std::get<Tensor>(in.at(0));
  if (const auto* unary = find(kUnary, name)) return (*unary)(x);
  if (const auto* binary = find(kBinary, name); binary != nullptr && std::holds_alternative<Tensor>(in.at(1))) {
    return (*binary)(x, std::get<Tensor>(in[1]));
  }
  if (const auto* binary = find(kBinaryScalar, name)) return (*binary)(x, std::get<Scalar>(in.at(1)));
  if (name == "where") return where(x, std::get<Tensor>(in.at(1)), std::get<Tensor>(in.at(2)));
  return with_numbers(name, x, step);
}

bool act(const json& step, const std::vector<Argument>& in) {
  const std::string& name = step.at("do").get_ref<const std::string&>();
  const Tensor& x = std::get<Tensor>(in.at(0));
  if (const auto* op = find(kUnaryInplace, name)) {
    (*op)(x);
  } else if (name == "fill_" && step.contains("value")) {
    x.fill_(as_scalar(step.at("value")));
  } else if (const auto* binary = find(kBinaryInplace, name)) {
    (*binary)(x, in.at(1));
  } else if (name == "set_index") {
    x[step.at("index").get<std::int64_t>()] = std::get<Scalar>(in.at(1));
  } else if (name == "raw_mul") {
    x.data().mul_(std::get<Scalar>(in.at(1)));  // a kernel writing memory: no version counter moves
  } else if (name == "requires_grad_") {
    x.requires_grad_(step.at("value").get<bool>());
  } else if (name == "retain_grad") {
    x.retain_grad();
  } else if (name == "detach_") {
    x.detach_();
  } else if (name == "clear_grad") {
    x.set_grad({});
  } else if (name == "set_grad") {
    x.set_grad(std::get<Tensor>(in.at(1)));
  } else if (name == "increment_version") {
    increment_version(x);
  } else if (name == "backward") {
    x.backward(
        in.size() > 1 ? std::get<Tensor>(in[1]) : Tensor(),
        {.retain_graph = step.at("retain_graph").get<bool>(), .create_graph = step.at("create_graph").get<bool>()});
  } else {
    return false;
  }
  return true;
}

}  // namespace gradlab::conformance
