// A wrong name or value given by the user.
#pragma once

#include <stdexcept>

namespace gradlab {

// what() says what was seen, what is accepted, and names the nearest accepted word where there is one.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace gradlab
