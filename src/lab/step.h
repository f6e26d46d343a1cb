// One statement of an experiment: what runs, and the very text of it.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "src/autograd/grad_mode.h"
#include "src/lab/step_role.h"

namespace gradlab {

// NOTE [Steps outlive the function that lists them]
// A step's closure captures by reference and runs after the function that made it has returned, perhaps several times.
// It may therefore name only what the Lab owns: Lab::named(), values(), number() and requires_grad() return references
// for this reason, and are kept as references.
struct Code {
  std::string_view text;
  std::string_view file;  // from the root: "scenarios/save_unsafe.cpp"
  int line = 0;
  std::function<void()> run;
};

// `path` from the folder scenarios/ on, or its last part.
constexpr std::string_view path_from_root(std::string_view path) {
  const std::size_t folder = path.rfind("scenarios/");
  return path.substr(folder != std::string_view::npos ? folder : path.rfind('/') + 1);
}

inline Code make_code(std::string_view text, std::string_view path, int line, std::function<void()> run) {
  return {text, path_from_root(path), line, std::move(run)};
}

struct Step {
  StepRole role;
  int number = 0;  // counted from 1; observations are not counted and have 0
  Code code;
};

}  // namespace gradlab

// CODE(y = SafeSquare::apply(x)): a statement that runs as written, with its text and place.
#define CODE(...) ::gradlab::make_code(#__VA_ARGS__, __FILE__, __LINE__, [&] { __VA_ARGS__; })

// CODE_NO_GRAD(x.mul_(factor)): the same under a NoGradGuard, which reads `with torch.no_grad(): x.mul_(factor)`.
#define CODE_NO_GRAD(...)                                                               \
  ::gradlab::make_code("with torch.no_grad(): " #__VA_ARGS__, __FILE__, __LINE__, [&] { \
    ::gradlab::NoGradGuard guard;                                                       \
    __VA_ARGS__;                                                                        \
  })
