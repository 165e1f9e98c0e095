#include "examples/extending/count_wrapper.h"

namespace example {

using namespace eventspace;

std::atomic<std::uint64_t> counted{0};

namespace {

// Overrides only the function in which it acts; Wrapper forwards the others. A wrapper must call begin and
// finish of the next stage once each, and must not block in begin.
class CountWrapper final : public Wrapper {
 public:
  CountWrapper(std::unique_ptr<Stage> next, std::string verb)
      : Wrapper(std::move(next)), verb_(std::move(verb)) {}

  void finish(Operation& operation) override {
    Wrapper::finish(operation);
    if (operation.status == Status::ok && to_string(operation.verb) == verb_) counted.fetch_add(1);
  }

 private:
  std::string verb_;
};

}  // namespace

WrapperInfo count_wrapper() {
  ParameterSpec verb{"verb", ParameterKind::text};
  verb.default_value = std::string("write");
  verb.choices = {"write", "read", "take"};
  verb.help = "which operations to count";
  return {"count", "counts operations", {verb}, [](const Parameters& given, std::unique_ptr<Stage> next) {
            return std::make_unique<CountWrapper>(std::move(next), parameter<std::string>(given, "verb"));
          }};
}

}  // namespace example
