#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "scopes/wrappers/plugin.h"
#include "scopes/wrappers/scope_wrappers.h"

// A user's scope wrapper with the faults that tests need: `{do: WHAT, file: F}`. odd_wrapper() has the
// allowed values of WHAT.

namespace eventspace {
namespace {

class OddOperator final : public ViewOperator {
 public:
  OddOperator(std::string what, std::filesystem::path file)
      : what_(std::move(what)), file_(std::move(file)) {}

  void apply(View& view) override {
    if (what_ == "throw") throw std::runtime_error("the moon is full");
    if (what_ == "hang") hang();
    if (what_ != "keep-odd") return;
    view.loss.filtered +=
        erase_if(view.records, [](const TraceTuple& tuple) { return tuple.words[0] % 2 == 0; });
  }

 private:
  /// Blocks until the test creates the file. Creates `FILE.hangs` first, so that the test can wait for this
  /// point.
  void hang() const {
    std::ofstream(file_.string() + ".hangs") << "begun";
    while (!std::filesystem::exists(file_)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  std::string what_;
  std::filesystem::path file_;
};

ScopeWrapperInfo odd_wrapper() {
  ParameterSpec what{"do", ParameterKind::text};
  what.default_value = std::string("keep-odd");
  what.choices = {"keep-odd", "throw", "hang", "refuse"};
  what.help = "what it does";
  ParameterSpec file{"file", ParameterKind::text};
  file.default_value = std::string();
  file.help = "with hang: until this file is there";
  return {"whatever",
          "keeps the events with odd numbers",
          true,
          {what, file},
          [](const Parameters& given, const PlanNames&) -> std::unique_ptr<ViewOperator> {
            const auto& asked = parameter<std::string>(given, "do");
            if (asked == "refuse") throw std::invalid_argument("it cannot be done");
            return std::make_unique<OddOperator>(asked, parameter<std::string>(given, "file"));
          },
          as_given};
}

}  // namespace
}  // namespace eventspace

EVENTSPACE_SCOPE_WRAPPER(eventspace::odd_wrapper)
