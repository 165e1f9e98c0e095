#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "pathmaps/pathmap.h"

namespace eventspace::test {

/// The plan of a pathmap. The test fails for each fault; without a plan, throws.
inline Plan valid_plan(LoadResult loaded) {
  for (const Fault& fault : loaded.faults) ADD_FAILURE() << to_string(fault);
  return std::move(loaded.plan.value());
}
inline std::shared_ptr<const Plan> shared_plan(LoadResult loaded) {
  return std::make_shared<const Plan>(valid_plan(std::move(loaded)));
}

}  // namespace eventspace::test
