#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>

#include "collectors/event_record.h"
#include "paths/views/view.h"

namespace eventspace::testing_hosts {

/// Collects views of unread events, and checks that the events of each path are complete, in order and not
/// repeated.
class Gathered {
 public:
  void add(const View& view) {
    EXPECT_EQ(view.loss, Loss{.repeated = view.loss.repeated});
    for (const TraceTuple& tuple : view.records) {
      const EventRecord record = decode(tuple);
      std::uint64_t& newest = newest_[record.path];
      EXPECT_EQ(record.sequence, newest + 1) << "of path " << record.path;
      newest = record.sequence;
    }
  }
  [[nodiscard]] std::uint64_t events_of(std::uint32_t path) const {
    const auto found = newest_.find(path);
    return found == newest_.end() ? 0 : found->second;
  }

 private:
  std::map<std::uint32_t, std::uint64_t> newest_;
};

}  // namespace eventspace::testing_hosts
