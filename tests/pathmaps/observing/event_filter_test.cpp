#include <eventspace/event_filter.h>

#include <gmock/gmock.h>

#include <fstream>
#include <string>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/monitor.h>
#include <eventspace/pathmap.h>
#include "tests/pathmaps/observing/observed_pair.h"

// A filter of events in a shared object, which this process loads.
namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class EventFilterTest : public test::ObservedPair {
 protected:
  /// The pathmap with a scope that uses the filter.
  [[nodiscard]] std::filesystem::path with(const std::string& parameters) const {
    const std::filesystem::path file = directory_.path() / "filtered.yaml";
    std::ifstream in(pathmap_);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    std::ofstream(file) << text << "  late:\n    read: next\n    direct: true\n    levels: [{group: all, "
                        << "wrappers: [gather, {late: " << parameters
                        << "}]}]\nwrappers: {late: {library: " << EVENTSPACE_PLUGINS
                        << "/event_filter.so, limit: 10s}}\n";
    return file;
  }
};

TEST_F(EventFilterTest, DecidesWhichEventsPass) {
  Monitor monitor = Monitor::of_pathmap(with("{least: 2}"));
  write("a", 3);
  write("b", 3);
  const Events events = monitor.open("late").pull();
  std::vector<std::string> told;
  for (const Event& event : events)
    told.push_back(std::string(event.thread()) + std::to_string(static_cast<int>(*event.number("sequence"))));
  EXPECT_THAT(told, ElementsAre("a2", "a3"));
  EXPECT_EQ(events.loss().filtered, 4u);
  EXPECT_THAT(events.missing(), IsEmpty());
}

TEST_F(EventFilterTest, ItsExceptionIsNamed) {
  Monitor monitor = Monitor::of_pathmap(with("{least: 99}"));
  write("a", 3);
  const Events events = monitor.open("late").pull();
  EXPECT_THAT(events, IsEmpty());
  EXPECT_EQ(events.loss().failed, 3u);
  ASSERT_THAT(events.missing(), SizeIs(1));
  EXPECT_THAT(events.missing()[0].detail, HasSubstr("the moon is full"));
}

TEST_F(EventFilterTest, ItsParametersAreChecked) {
  const Pathmap faulty = Pathmap::load(with("{least: none}"));
  ASSERT_FALSE(faulty.faults().empty());
  EXPECT_THAT(faulty.faults()[0].text, HasSubstr("least"));
  const Pathmap refused = Pathmap::load(with("{least: 1, thread: nobody}"));
  ASSERT_FALSE(refused.faults().empty());
  EXPECT_THAT(refused.faults()[0].text, HasSubstr("there is no such thread"));
}

}  // namespace
}  // namespace eventspace
