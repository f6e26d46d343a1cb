// The layer rule of docs/: which folder may include what. It reads the #include lines, so it needs no compiler.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/files.h"

namespace {

namespace fs = std::filesystem;

struct Layer {
  std::string_view folder;
  int rank;
};

constexpr std::array<Layer, 7> kLayers{{{"kernels/", 0},
                                        {"src/tensor/", 1},
                                        {"src/autograd/", 2},
                                        {"src/ops/", 3},
                                        {"src/lab/", 4},
                                        {"scenarios/", 5},
                                        {"src/cli/", 6}}};

std::optional<int> rank_of(const std::string& path) {
  for (const Layer& layer : kLayers) {
    if (path.starts_with(layer.folder)) return layer.rank;
  }
  return std::nullopt;
}

// The files in which a CUDA header may stand; including one of them counts as including CUDA.
bool may_include_cuda(const std::string& path) {
  return path.starts_with("kernels/") &&
         (path.ends_with(".cu") || path.ends_with(".cuh") || path.find("cuda") != std::string::npos);
}

bool starts_with_one_of(std::string_view header, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return header.starts_with(prefix); });
}

bool is_cuda_header(const std::string& header) {
  return starts_with_one_of(header, {"cuda", "cub/", "thrust/", "cublas", "cudnn", "curand", "cusparse", "cusolver",
                                     "nvrtc", "nvtx", "nvml", "cooperative_groups", "mma.h", "device_launch_parameters",
                                     "vector_types", "driver_types", "math_constants"}) ||
         (header.starts_with("kernels/") && may_include_cuda(header));
}

struct Include {
  std::string header;
  bool quoted;
};

// What an #include line names, null for any other line.
std::optional<Include> parse_include(std::string_view line) {
  const auto skip_blanks = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
  skip_blanks();
  if (!line.starts_with('#')) return std::nullopt;
  line.remove_prefix(1);
  skip_blanks();
  if (!line.starts_with("include")) return std::nullopt;
  line.remove_prefix(std::string_view("include").size());
  skip_blanks();
  if (!line.starts_with('<') && !line.starts_with('"')) return std::nullopt;
  const bool quoted = line.front() == '"';
  line.remove_prefix(1);
  return Include{std::string(line.substr(0, line.find(quoted ? '"' : '>'))), quoted};
}

// One sentence for each #include line of `text` that the file at `path` (from the root) may not hold.
std::vector<std::string> breaches(const std::string& path, const std::string& text) {
  const int rank = rank_of(path).value();
  std::vector<std::string> found;
  std::istringstream lines(text);
  int line_number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++line_number;
    const std::optional<Include> include = parse_include(line);
    if (!include) continue;
    const std::string& header = include->header;
    const auto breach = [&](const std::string& why) {
      found.push_back(path + ":" + std::to_string(line_number) + " includes " + header + ": " + why);
    };

    const std::optional<int> header_rank = rank_of(header);
    if (header_rank && *header_rank > rank) {
      breach("rank " + std::to_string(*header_rank) + " from rank " + std::to_string(rank));
    }
    if (include->quoted && !header_rank) breach("a quoted include is written from the root and names a ranked folder");
    if (is_cuda_header(header) && !may_include_cuda(path)) breach("CUDA stays in kernels/*.cu and kernels/*cuda*");
    if (rank == 0 && starts_with_one_of(header, {"fmt/", "nlohmann/"})) breach("kernels format nothing");
    if (rank < 6 && header.starts_with("CLI/")) breach("only src/cli knows argv");
    if (rank < 6 && header == "iostream") breach("nothing below src/cli prints");
    if (header.starts_with("doctest/")) breach("doctest belongs to tests/");
  }
  return found;
}

bool is_source(const fs::path& file) {
  const std::string extension = file.extension().string();
  return extension == ".h" || extension == ".cpp" || extension == ".cu" || extension == ".cuh";
}

TEST_CASE("every file includes its own layer or a lower one") {
  const fs::path root = GRADLAB_SOURCE_DIR;
  int files = 0;
  for (const char* folder : {"kernels", "src", "scenarios"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      const std::string path = entry.path().lexically_relative(root).generic_string();
      ++files;
      if (!rank_of(path)) {
        FAIL_CHECK(path << " stands in a folder without a rank");
        continue;
      }
      for (const std::string& breach : breaches(path, gradlab::test::read_file(entry.path()))) FAIL_CHECK(breach);
    }
  }
  CHECK(files > 0);
}

TEST_CASE("the layer rule sees a file that includes a higher layer") {
  CHECK(breaches("src/tensor/tensor.cpp", "#pragma once\n#include \"src/autograd/node.h\"\n") ==
        std::vector<std::string>{"src/tensor/tensor.cpp:2 includes src/autograd/node.h: rank 2 from rank 1"});
  CHECK(breaches("src/lab/report.h", "  #  include <scenarios/invisible.h>  // why\n").size() == 1);
  CHECK(breaches("scenarios/invisible.cpp", "#include \"src/cli/options.h\"\n").size() == 1);
  CHECK(breaches("src/cli/main.cpp", "#include \"kernels/gelu.h\"\n#include \"src/cli/run.h\"\n").empty());
}

TEST_CASE("the layer rule sees a CUDA header outside the CUDA files of kernels") {
  const std::string runtime = "#include <cuda_runtime.h>\n";
  CHECK(breaches("kernels/gelu.h", runtime).size() == 1);
  CHECK(breaches("src/tensor/storage.cpp", runtime).size() == 1);
  CHECK(breaches("src/tensor/storage.cpp", "#include \"kernels/cuda_utils.h\"\n").size() == 1);
  CHECK(breaches("kernels/gelu_cuda.cu", runtime + "#include \"kernels/cuda_utils.h\"\n").empty());
  CHECK(breaches("kernels/cuda_utils.h", runtime).empty());
}

TEST_CASE("the layer rule sees a library where it may not be known") {
  for (const char* header : {"fmt/format.h", "CLI/CLI.hpp", "doctest/doctest.h", "iostream"}) {
    CAPTURE(header);
    CHECK_FALSE(breaches("kernels/gelu_cuda.cu", std::string("#include <") + header + ">\n").empty());
  }
  CHECK(breaches("src/ops/pow.cpp", "#include <fmt/format.h>\n").empty());
  CHECK(breaches("src/lab/report.cpp", "#include <CLI/CLI.hpp>\n").size() == 1);
  CHECK(breaches("src/cli/run.cpp", "#include <CLI/CLI.hpp>\n#include <iostream>\n").empty());
}

TEST_CASE("the layer rule sees a quoted include that is not written from the root") {
  CHECK(breaches("kernels/gelu_cpu.cpp", "#include \"gelu.h\"\n").size() == 1);
  CHECK(breaches("kernels/gelu_cpu.cpp", "// #include \"gelu.h\"\n").empty());
}

}  // namespace
