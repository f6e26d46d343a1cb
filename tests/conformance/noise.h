// How far rounding alone may move a program's values.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "src/autograd/observer.h"

namespace gradlab::conformance {

// NOTE [Rounding]
// Values compare within a fixed tolerance, which is meant for the last bits of one op. A program may blow those bits up: it
// subtracts nearly equal values and divides by what is left. There PyTorch does not agree with itself: the last bits of exp
// or gelu come from vector code of their own for AVX2, for AVX-512 and for elements that fill no vector, and those of a sum
// from the width of a vector. So a value out of tolerance is held against noise: the program is replayed a few times more,
// with the results of such ops, and of no others, moved at random by as much as two of those codes lie apart. The value may
// then differ by twice what noise alone moves it. Everything that is no value, and every value that noise leaves where it
// is, compares as before.
class Noise : public Observer {
 public:
  explicit Noise(std::uint32_t seed) : random_(seed) {}

  // Ops in place do not name themselves; this is the name of the step that runs next, "exp_".
  void begin_step(std::string_view name) { step_ = name; }

  void takes(std::initializer_list<const Tensor*> inputs) override;
  void created(const Tensor& result, Origin origin, std::string_view name, const Node* node, const Tensor& source) override;
  void wrote(const Tensor& tensor, std::uint32_t before, const Node* node) override;

 private:
  // Each element by at most so many epsilons, of itself and of one.
  void move(const Tensor& tensor, double relative, double absolute);

  std::minstd_rand random_;
  std::string_view step_;
  std::vector<double> largest_;  // magnitude in each input of the op that runs
};

}  // namespace gradlab::conformance
