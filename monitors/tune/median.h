#pragma once

#include <vector>

namespace eventspace::tune {

/// The median: the middle value, or the mean of the two middle ones; 0 if there are no values.
double median(std::vector<double> values);

}  // namespace eventspace::tune
