#include "scenarios/scripts.h"

#include <fmt/format.h>

#include "scenarios/catalogue.h"
#include "src/lab/number_text.h"

namespace gradlab {
namespace {

std::string line(std::string_view label, const Report& report, std::string_view key, RenderOptions options) {
  return fmt::format("{}{}\n", label, text_of(report.value(key), options.with_addresses));
}

bool raised(const Report& report) { return std::holds_alternative<ErrorValue>(report.value("error")); }

std::string invisible_script(std::span<const Report> reports, RenderOptions options) {
  return "=== Section 15.1: a raw kernel launch is invisible to autograd ===\n" + render_text(reports[0], options);
}

std::string function_script(std::span<const Report> reports, RenderOptions options) {
  return "=== Section 15.2: wiring the kernel into a real graph node ===\n" + render_text(reports[0], options);
}

std::string save_script(std::span<const Report> reports, RenderOptions options) {
  const Report& unsafe = reports[1];
  const std::string before = short_text(unsafe.value_as<Numbers>("x at forward"));
  const std::string after = short_text(unsafe.value_as<Numbers>("x at backward"));
  const std::string right = float_text(unsafe.value_as<Numbers>("right gradient"));
  const std::string ending = unsafe.value_as<bool>("is wrong")
                                 ? fmt::format("this used the mutated x={} instead", after)
                                 : "the write made no difference";
  return "=== Section 15.3: save_for_backward detects the in-place mutation ===\n" + render_text(reports[0], options) +
         "\n=== Section 15.3: ctx.x bypasses the safety check entirely ===\n" +
         line("backward succeeded silently, x2.grad: ", unsafe, "x2.grad", options) +
         fmt::format("(correct gradient at x={} would be {} -- {})\n", before, right, ending);
}

std::string complete_script(std::span<const Report> reports, RenderOptions options) {
  const Report& safe = reports[2];
  const Report& unsafe = reports[3];
  const std::string safe_text =
      raised(safe) ? safe.value_as<ErrorValue>("error").type + " (mutation caught)" : "no error (mutation missed)";
  const std::string obtained = item_text(unsafe.value_as<Numbers>("obtained gradient"));
  const std::string right = item_text(unsafe.value_as<Numbers>("right gradient"));
  const std::string_view verdict = unsafe.value_as<bool>("is wrong") ? "silently wrong grad" : "grad";
  return "=== Section 15.1: invisible to autograd ===\n" + line("y.grad_fn: ", reports[0], "y.grad_fn", options) +
         line("backward -> ", reports[0], "error", options) + "\n=== Section 15.2: wired into a real graph node ===\n" +
         line("y.grad_fn: ", reports[1], "y.grad_fn", options) +
         line("gradients match torch's own GELU? ", reports[1], "gradients match", options) +
         "\n=== Section 15.3: save_for_backward vs. ctx.x ===\n" + fmt::format("safe version -> {}\n", safe_text) +
         fmt::format("unsafe version -> {}: {} (correct would be {})\n", verdict, obtained, right);
}

constexpr const Scenario* kInvisibleOnly[] = {&kInvisible};
constexpr const Scenario* kFunctionOnly[] = {&kFunction};
constexpr const Scenario* kSaveBoth[] = {&kSaveSafe, &kSaveUnsafe};
constexpr const Scenario* kChapter[] = {&kInvisible, &kFunction, &kSaveSafe, &kSaveUnsafe};

constexpr Script kScripts[] = {
    {"01_invisible_to_autograd", "01", "section 15.1's script: invisible", kInvisibleOnly, invisible_script},
    {"02_autograd_function", "02", "section 15.2's script: function", kFunctionOnly, function_script},
    {"03_save_for_backward", "03", "section 15.3's script: save-safe and save-unsafe", kSaveBoth, save_script},
    {"04_standalone_complete", "04", "the whole chapter in one script", kChapter, complete_script},
    {"all", "all", "the same as 04", kChapter, complete_script},
};

}  // namespace

std::span<const Script> all_scripts() { return kScripts; }

const Script* find_script(std::string_view name) {
  for (const Script& script : kScripts) {
    if (script.name == name || script.short_name == name) return &script;
  }
  return nullptr;
}

}  // namespace gradlab
