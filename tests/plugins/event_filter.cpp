#include <eventspace/event_filter.h>

#include <cstdint>
#include <stdexcept>
#include <string>

// A user's filter of events: `{least: N, thread: T}` lets events of thread T with a sequence number of at
// least N pass. N 99 throws, and thread "nobody" cannot be made.
namespace {

using namespace eventspace;

class Least final : public EventFilter {
 public:
  Least(std::int64_t least, std::string thread) : least_(least), thread_(std::move(thread)) {}

  void apply(EventBatch& events) override {
    if (least_ == 99) throw std::runtime_error("the moon is full");
    const EventBatch::Field sequence = events.field("sequence");
    const EventBatch::Field thread = events.field("thread");
    const EventBatch::Field none = events.field("no such field");
    for (std::size_t i = 0; i < events.size(); ++i) {
      const bool passes = !events.in_flight(i) && events.text(i, thread) == thread_ &&
                          events.number(i, sequence).value_or(0) >= static_cast<double>(least_) &&
                          !events.number(i, none) && events.text(i, none).empty() &&
                          !events.number(i, thread) && events.text(i, sequence).empty();
      if (!passes) events.drop(i);
    }
  }

 private:
  std::int64_t least_;
  std::string thread_;
};

EventFilterInfo least() {
  ParameterSpec number{"least", ParameterKind::integer};
  number.required = true;
  number.help = "the least sequence number";
  ParameterSpec thread{"thread", ParameterKind::text};
  thread.default_value = std::string("a");
  thread.help = "the thread";
  return {"least", "lets late events of a thread pass", {number, thread}, [](const Parameters& given) {
            if (parameter<std::string>(given, "thread") == "nobody")
              throw std::invalid_argument("there is no such thread");
            return std::make_unique<Least>(parameter<std::int64_t>(given, "least"),
                                           parameter<std::string>(given, "thread"));
          }};
}

}  // namespace

EVENTSPACE_EVENT_FILTER(least)
