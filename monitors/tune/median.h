#pragma once

// Private to monitors/.

#include <vector>

namespace eventspace::tune {

/// The value in the middle, or halfway between the two that are; of no values 0.
double median(std::vector<double> values);

}  // namespace eventspace::tune
