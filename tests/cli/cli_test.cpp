#include "src/cli/cli.h"

#include <doctest/doctest.h>

#include <ostream>
#include <streambuf>

#include "src/cli/version.h"
#include "tests/cli/run_gradlab.h"

using namespace gradlab;
using test::CliRun;
using test::run_gradlab;

TEST_CASE("a misspelt experiment is answered with the nearest name and all names") {
  const CliRun run = run_gradlab({"save-unsaef"});
  CHECK(run.status == kExitUsage);
  CHECK(run.out.empty());
  CHECK(run.err ==
        "gradlab: there is no 'save-unsaef': did you mean 'save-unsafe'?\n"
        "Experiments: invisible, function, save-safe, save-unsafe, what-records, forward-directly, kernel-overwrite, "
        "kernel-confesses, data-write, detach-write, view-write, save-clone, backward-kernel\n"
        "Scripts: 01, 02, 03, 04, all\n");
}

TEST_CASE("a misspelt subcommand is answered with the nearest one") {
  CHECK(run_gradlab({"lst"}).err.starts_with("gradlab: there is no 'lst': did you mean 'list'?\n"));
  CHECK(run_gradlab({"run", "save-saef"})
            .err.starts_with("gradlab: there is no 'save-saef': did you mean 'save-safe'?\n"));
  CHECK(
      run_gradlab({"show", "fucntion"}).err.starts_with("gradlab: there is no 'fucntion': did you mean 'function'?\n"));
  CHECK(run_gradlab({"xyzzy"}).err.starts_with("gradlab: there is no 'xyzzy'\n"));
}

TEST_CASE("no subcommand is a usage error that says what to try") {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"--json"}, {"--device", "cpu"}, {"--set", "x=1"}, {"--set"}}) {
    const CliRun run = run_gradlab(arguments);
    CHECK(run.status == kExitUsage);
    CHECK(run.out.empty());
    CHECK(run.err == "gradlab: what should be run? Try `gradlab all`, `gradlab list` or `gradlab --help`.\n");
  }
}

TEST_CASE("a subcommand that needs a name says which there are") {
  for (const char* command : {"run", "show"}) {
    const CliRun run = run_gradlab({command});
    CHECK(run.status == kExitUsage);
    CHECK(run.err.starts_with("gradlab: " + std::string(command) + " needs a NAME: invisible, function,"));
  }
}

TEST_CASE("an option that is not known is answered with the nearest one") {
  const CliRun run = run_gradlab({"all", "--jsn"});
  CHECK(run.status == kExitUsage);
  CHECK(run.err == "gradlab: run has no option '--jsn': did you mean '--json'? (options: gradlab run --help)\n");
  CHECK(run_gradlab({"list", "--set", "x=3"}).status == kExitUsage);
  CHECK(run_gradlab({"list", "extra"}).err ==
        "gradlab: 'extra' is one argument too many for list (options: gradlab list --help)\n");
}

TEST_CASE("what follows -- is a name") {
  CHECK(run_gradlab({"run", "--", "save-safe"}).out == run_gradlab({"save-safe"}).out);
  CHECK(run_gradlab({"--", "save-safe"}).out == run_gradlab({"save-safe"}).out);
}

TEST_CASE("an option without its value is a usage error") {
  for (const char* option : {"--set", "--device"}) {
    const CliRun run = run_gradlab({"all", option});
    CHECK(run.status == kExitUsage);
    CHECK(run.err == "gradlab: " + std::string(option) + " needs a value (options: gradlab run --help)\n");
  }
}

TEST_CASE("an empty value is none") {
  const auto needed = [](const std::string& option, const std::string& command) {
    return "gradlab: " + option + " needs a value (options: gradlab " + command + " --help)\n";
  };
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"verify", "--golden", ""},
                                                    {"quiz", "--save", ""},
                                                    {"quiz", "--answers", ""},
                                                    {"graph", "--at", "", "function"},
                                                    {"graph", "--format", "", "function"},
                                                    {"graph", "--output", "", "function"},
                                                    {"explain", "--from", ""},
                                                    {"explain", "--color", "", "function"},
                                                    {"run", "--device", "", "function"}}) {
    CAPTURE(arguments[1]);
    const CliRun run = run_gradlab(arguments);
    CHECK(run.status == kExitUsage);
    CHECK(run.out.empty());
    CHECK(run.err == needed(arguments[1], arguments[0]));
  }
  CHECK(run_gradlab({"run", "--device=", "function"}).status == kExitUsage);
  CHECK(run_gradlab({"run", "function", "--device="}).err == needed("--device", "run"));
  CHECK(run_gradlab({"graph", "-o", "", "function"}).err == needed("--output", "graph"));
}

TEST_CASE("an option that takes one value is refused when it is given twice") {
  CHECK(run_gradlab({"function", "--device=cpu", "--device=cuda"}).err ==
        "gradlab: --device is given twice and takes one value (options: gradlab run --help)\n");
  CHECK(run_gradlab({"explain", "--from", "a", "--from", "b"}).err ==
        "gradlab: --from is given twice and takes one value (options: gradlab explain --help)\n");
  CHECK(run_gradlab({"graph", "function", "--at", "3", "--at", "2"}).err ==
        "gradlab: --at is given twice and takes one value (options: gradlab graph --help)\n");
  CHECK(run_gradlab({"quiz", "--save", "a", "--save", "b", "--save", "a"}).err ==
        "gradlab: --save is given 3 times and takes one value (options: gradlab quiz --help)\n");
  CHECK(run_gradlab({"quiz", "--save", "a", "--save", "b"}).status == kExitUsage);
}

TEST_CASE("help goes to stdout with status 0 and shows examples") {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"-h"},
                                                    {"help"},
                                                    {"run", "--help"},
                                                    {"help", "verify"},
                                                    {"list", "-h"},
                                                    {"show", "--help"},
                                                    {"save-unsafe", "--help"}}) {
    const CliRun run = run_gradlab(arguments);
    CHECK(run.status == kExitReproduced);
    CHECK(run.err.empty());
    CHECK(run.out.find("Examples:\n  gradlab ") != std::string::npos);
  }
}

TEST_CASE("the version is that of the build") {
  const CliRun run = run_gradlab({"--version"});
  CHECK(run.status == kExitReproduced);
  CHECK(run.out == "gradlab " + std::string(version()) + "\n");
  CHECK(run_gradlab({"--version", "all"}).out == run.out);
}

TEST_CASE("list has a line for each experiment with its section and how loud the mistake is") {
  const std::string out = run_gradlab({"list"}).out;
  CHECK(out.find("\nsave-safe         15.3.1   loud     ") != std::string::npos);
  CHECK(out.find("\nsave-unsafe       15.3.2   silent   ") != std::string::npos);
  CHECK(out.find("\nfunction          15.2.1   none     ") != std::string::npos);
  CHECK(out.find("\n02_autograd_function       02       ") != std::string::npos);
}

TEST_CASE("show lists the very statements, the parameters and the expected output") {
  const CliRun run = run_gradlab({"show", "save-unsafe"});
  CHECK(run.status == kExitReproduced);
  CHECK(run.out.find("Steps (scenarios/save_unsafe.cpp)\n"
                     "   1  x2 = tensor(values, requires_grad)\n"
                     "   2  y2 = UnsafeSquare::apply(x2)\n"
                     "   3  with torch.no_grad(): x2.mul_(factor)\n"
                     "   4  y2.sum().backward()\n") != std::string::npos);
  CHECK(run.out.find("\n  factor   what x is multiplied by after forward (default: 10; a number)\n"
                     "  n        elements of the input: x is repeated, or cut, to n (default: as many\n"
                     "           as x has; a whole number from 1 to 100000000)\n") != std::string::npos);
  CHECK(run.out.find("\n    static Tensor forward(Context& ctx, const Tensor& x) {\n"
                     "      ctx.saved_data[\"x\"] = x;\n"
                     "      return x * x;\n") != std::string::npos);
  CHECK(run.out.ends_with("giving 2*30=60.0)\n"));
}

TEST_CASE("show of a script names its experiments") {
  const std::string out = run_gradlab({"show", "03"}).out;
  CHECK(out.starts_with("03_save_for_backward\n"));
  CHECK(out.find("\n  save-unsafe       ") != std::string::npos);
}

namespace {

// Takes `room` characters, then fails as a full disk does.
class FullDisk : public std::streambuf {
 public:
  explicit FullDisk(std::streamsize room) : room_(room) {}

 protected:
  std::streamsize xsputn(const char*, std::streamsize count) override {
    const std::streamsize taken = std::min(count, room_);
    room_ -= taken;
    return taken;
  }
  int_type overflow(int_type) override { return traits_type::eof(); }

 private:
  std::streamsize room_;
};

}  // namespace

TEST_CASE("output that cannot be written whole is never a success") {
  for (const std::streamsize room : {0, 10}) {
    FullDisk disk(room);
    std::ostream out(&disk);
    std::ostringstream err;
    const std::vector<std::string> arguments = {"all"};
    CHECK(run_command_line(arguments, out, err) == kExitEnvironment);
    CHECK(err.str().starts_with("gradlab: the output could not be written"));
  }
}
