#include "examples/extending/sample_wrapper.h"

namespace example {

using namespace eventspace;

namespace {

// Acts on the combined view of the children. Dropped records must be counted.
class SampleOperator final : public ViewOperator {
 public:
  explicit SampleOperator(std::int64_t every) : every_(every) {}

  void apply(View& view) override {
    view.loss.filtered += erase_if(view.records, [this](const TraceTuple&) { return ++seen_ % every_ != 0; });
  }

 private:
  std::int64_t every_;
  std::int64_t seen_{0};
};

}  // namespace

ScopeWrapperInfo sample_wrapper() {
  ParameterSpec every{"every", ParameterKind::integer};
  every.required = true;
  every.least = 1;
  every.help = "one event in so many passes";
  return {
      "sample", "lets every n-th event pass", false, {every}, [](const Parameters& given, const PlanNames&) {
        return std::make_unique<SampleOperator>(parameter<std::int64_t>(given, "every"));
      }};
}

}  // namespace example
