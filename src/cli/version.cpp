#include "src/cli/version.h"

namespace gradlab {

std::string_view version() { return GRADLAB_VERSION; }

}  // namespace gradlab
