#pragma once

#include <eventspace/stream_filter.h>

/// The built-in filters. docs/streams.md describes their input and output.
namespace eventspace::streams::filters {

[[nodiscard]] FilterInfo minimum();
[[nodiscard]] FilterInfo maximum();
[[nodiscard]] FilterInfo sum();
[[nodiscard]] FilterInfo mean();
[[nodiscard]] FilterInfo count();
[[nodiscard]] FilterInfo concatenation();
[[nodiscard]] FilterInfo equivalence_classes();
[[nodiscard]] FilterInfo set_union();
[[nodiscard]] FilterInfo histogram();
[[nodiscard]] FilterInfo top_k();
[[nodiscard]] FilterInfo aligned();
[[nodiscard]] FilterInfo clock_skew();

}  // namespace eventspace::streams::filters
