#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "kernels/device.h"
#include "src/lab/golden_diff.h"
#include "tests/cli/run_gradlab.h"

using namespace gradlab;
using test::CliRun;
using test::run_gradlab;

TEST_CASE("the subcommand run may be left out") {
  const CliRun run = run_gradlab({"run", "save-unsafe"});
  CHECK(run.status == kExitReproduced);
  CHECK(run.out == run_gradlab({"save-unsafe"}).out);
}

TEST_CASE("several names run in order, and a name may come twice") {
  const std::string safe = run_gradlab({"save-safe"}).out;
  const std::string unsafe = run_gradlab({"save-unsafe"}).out;
  CHECK(run_gradlab({"run", "save-unsafe", "save-safe", "save-unsafe"}).out == unsafe + safe + unsafe);
  CHECK(run_gradlab({"save-safe", "save-unsafe"}).out == safe + unsafe);
}

TEST_CASE("a script has a long and a short name") {
  CHECK(run_gradlab({"run", "01"}).out == run_gradlab({"01_invisible_to_autograd"}).out);
  CHECK(run_gradlab({"04"}).out == run_gradlab({"all"}).out);
}

TEST_CASE("options stand before or after the name") {
  const CliRun run = run_gradlab({"--set", "x=5", "save-unsafe", "--set=factor=2"});
  CHECK(run.status == kExitReproduced);
  CHECK(run.out ==
        "backward succeeded silently, x2.grad: tensor([20.])\n"
        "(correct gradient at x=5 would be 2*5=10.0 -- this used the MUTATED x=10 instead, giving 2*10=20.0)\n");
  CHECK(run_gradlab({"--set=x=5", "run", "--set", "factor=2", "save-unsafe"}).out == run.out);
  CHECK(run_gradlab({"run", "save-unsafe", "--device=cpu", "--set", "x=5", "--set", "factor=2"}).out == run.out);
}

TEST_CASE("all numbers of the unsafe experiment follow the parameters") {
  const auto sentence = [](std::vector<std::string> settings) {
    std::vector<std::string> arguments = {"save-unsafe"};
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    const std::string out = run_gradlab(arguments).out;
    return out.substr(out.find("\n(") + 1);
  };
  CHECK(
      sentence({"x=3,4"}) ==
      "(correct gradient at x=[3, 4] would be 2*[3, 4]=[6.0, 8.0] -- this used the MUTATED x=[30, 40] instead, giving "
      "2*[30, 40]=[60.0, 80.0])\n");
  CHECK(sentence({"x=2.5", "factor=0.5"}) ==
        "(correct gradient at x=2.5 would be 2*2.5=5.0 -- this used the MUTATED x=1.25 instead, giving 2*1.25=2.5)\n");
  CHECK(sentence({"x=-3"}) ==
        "(correct gradient at x=-3 would be 2*-3=-6.0 -- this used the MUTATED x=-30 instead, giving 2*-30=-60.0)\n");
  CHECK(sentence({"x=0.1"}) ==
        "(correct gradient at x=0.1 would be 2*0.1=0.2 -- this used the MUTATED x=1 instead, giving 2*1=2.0)\n");
  CHECK(sentence({"x=1", "factor=nan"}) ==
        "(correct gradient at x=1 would be 2*1=2.0 -- this used the MUTATED x=nan instead, giving 2*nan=nan)\n");
  CHECK(sentence({"n=1000000"}) ==
        "(correct gradient at x=[3, 3, 3, ..., 3, 3, 3] would be 2*[3, 3, 3, ..., 3, 3, 3]=[6.0, 6.0, 6.0, ..., 6.0, "
        "6.0, "
        "6.0] -- this used the MUTATED x=[30, 30, 30, ..., 30, 30, 30] instead, giving 2*[30, 30, 30, ..., 30, 30, "
        "30]=[60.0, 60.0, 60.0, ..., 60.0, 60.0, 60.0])\n");
}

TEST_CASE("values that do not show the mistake end with status 1 and say so") {
  const CliRun run = run_gradlab({"save-unsafe", "--set", "factor=1"});
  CHECK(run.status == kExitNotReproduced);
  CHECK(run.out ==
        "backward succeeded silently, x2.grad: tensor([6.])\n"
        "(correct gradient at x=3 would be 2*3=6.0 -- the write made no difference: 6.0)\n");
  CHECK(run.err ==
        "gradlab: save-unsafe: not so with these values: the gradient differs from the one without the write\n");
}

TEST_CASE("the scripts follow the parameters too") {
  const CliRun run = run_gradlab({"all", "--set", "x=0.1,2", "--set", "factor=3"});
  CHECK(run.status == kExitReproduced);
  CHECK(run.out.find("unsafe version -> silently wrong grad: [0.6000000238418579, 12.0] (correct would be "
                     "[0.20000000298023224, 4.0])\n") != std::string::npos);
  CHECK(
      run_gradlab({"03", "--set", "x=2"})
          .out.ends_with("x2.grad: tensor([40.])\n(correct gradient at x=2 would be 4.0 -- this used the mutated x=20 "
                         "instead)\n"));
  CHECK(run_gradlab({"04", "--set", "factor=1"}).out.ends_with("unsafe version -> grad: 6.0 (correct would be 6.0)\n"));
}

TEST_CASE("the shape in an error follows the parameters") {
  CHECK(run_gradlab({"save-safe", "--set", "n=7"}).out.find("[torch.FloatTensor [7]] is at version 1") !=
        std::string::npos);
}

TEST_CASE("a long input is summarised as PyTorch does") {
  const CliRun run = run_gradlab({"function", "--set", "n=1000000"});
  CHECK(run.status == kExitReproduced);
  CHECK(run.out.find("x.grad: tensor([-0.0833,  0.8675,  1.0852,  ...,  0.8675,  1.0852, -0.0833])\n") !=
        std::string::npos);
}

TEST_CASE("a parameter counts for those of several experiments that have it") {
  const CliRun run = run_gradlab({"invisible", "save-unsafe", "--set", "factor=2"});
  CHECK(run.status == kExitReproduced);
  CHECK(run.out.find("x=6 instead") != std::string::npos);
}

TEST_CASE("a parameter that no experiment has is a usage error naming those there are") {
  const CliRun run = run_gradlab({"save-unsafe", "invisible", "--set", "facter=2"});
  CHECK(run.status == kExitUsage);
  CHECK(run.out.empty());
  CHECK(run.err ==
        "gradlab: --set facter=2: there is no parameter 'facter': did you mean 'factor'?\n"
        "save-unsafe has x (numbers separated by commas), factor (a number), n (a whole number from 1 to 100000000)\n"
        "invisible has x (numbers separated by commas), n (a whole number from 1 to 100000000)\n");
}

TEST_CASE("a bad value is a usage error naming what is accepted") {
  for (const char* setting : {"x=three", "x=", "x=1,,2", "factor=", "factor=1,2", "n=0", "n=many", "x", "=1"}) {
    CAPTURE(setting);
    const CliRun run = run_gradlab({"save-unsafe", "--set", setting});
    CHECK(run.status == kExitUsage);
    CHECK(run.out.empty());
    CHECK(run.err.starts_with("gradlab: --set "));
    CHECK(run.err.find("takes") != std::string::npos);
  }
}

TEST_CASE("addresses are real when asked for, and then the only difference") {
  const CliRun run = run_gradlab({"function", "--addresses"});
  CHECK(run.out.find("TritonGELUBackward object at 0x") != std::string::npos);
  CHECK(mask_addresses(run.out) == run_gradlab({"function"}).out);
}

TEST_CASE("JSON holds each experiment once, with the numbers as numbers") {
  const CliRun run = run_gradlab({"save-unsafe", "03", "--json", "--set", "x=5"});
  CHECK(run.status == kExitReproduced);
  const nlohmann::json document = nlohmann::json::parse(run.out);
  REQUIRE(document["experiments"].size() == 2);
  const nlohmann::json& unsafe = document["experiments"][0];
  CHECK(unsafe["name"] == "save-unsafe");
  CHECK(unsafe["reproduced"] == true);
  CHECK(unsafe["steps"][3]["code"] == "y2.sum().backward()");
  CHECK(unsafe["steps"][3]["file"] == "scenarios/save_unsafe.cpp");
  CHECK(document["experiments"][1]["name"] == "save-safe");
  for (const nlohmann::json& observation : unsafe["observations"]) {
    if (observation["key"] == "right gradient") CHECK(observation["value"] == nlohmann::json{10.0});
    if (observation["key"] == "x2.grad") CHECK(observation["value"]["values"] == nlohmann::json{100.0});
  }
}

TEST_CASE("a device that is not there is the environment's fault") {
  try {
    require_device(Device::kCuda);
  } catch (const DeviceError& error) {
    const CliRun run = run_gradlab({"--device", "cuda", "all"});
    CHECK(run.status == kExitEnvironment);
    CHECK(run.out.empty());
    CHECK(run.err == std::string("gradlab: ") + error.what() + "\n");
  }
}

TEST_CASE("a device that does not exist is a usage error") {
  const CliRun run = run_gradlab({"all", "--device", "gpu"});
  CHECK(run.status == kExitUsage);
  CHECK(run.err == "gradlab: --device takes cpu or cuda, not 'gpu'\n");
}

TEST_CASE("--backward is a parameter of the experiment that has it") {
  const CliRun run = run_gradlab({"function", "--backward", "kernel"});
  CHECK(run.status == kExitReproduced);
  CHECK(run.out == run_gradlab({"function"}).out);
  CHECK(run_gradlab({"--backward", "kernel", "function"}).out == run.out);
  CHECK(run_gradlab({"function", "--backward", "tensor"}).err ==
        "gradlab: --set backward: backward takes arithmetic or kernel, not 'tensor'\n");
  CHECK(run_gradlab({"save-safe", "--backward", "kernel"}).status == kExitUsage);
  const auto parameters = nlohmann::json::parse(run_gradlab({"function", "--backward", "kernel", "--json"}).out);
  CHECK(parameters["experiments"][0]["parameters"][2]["value"] == "kernel");
}
