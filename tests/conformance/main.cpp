// gradlab-conformance: replays what PyTorch did on the engine and compares. Options: --help.
// Exit status: 0 all identical, 1 not, 2 usage or an input that cannot be used, 3 the environment.
#include <iostream>

#include "tests/conformance/lines.h"
#include "tests/conformance/run.h"

int main(int argc, char** argv) {
  using namespace gradlab::conformance;
  try {
    const Options options = parse_options({argv + 1, argv + argc});
    if (options.help) {
      std::cout << kUsage;
      return 0;
    }
    return run(options);
  } catch (const UsageError& error) {
    std::cerr << "gradlab-conformance: " << error.what() << "\nSee gradlab-conformance --help.\n";
    return 2;
  } catch (const InputError& error) {
    std::cerr << "gradlab-conformance: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "gradlab-conformance: " << error.what() << '\n';
    return 3;
  }
}
