#pragma once

#include <functional>
#include <string>
#include <vector>

#include <eventspace/tuple.h>
#include "paths/parameters/registry.h"

namespace eventspace {

/// A function that combines two values of one field in a reduce. It must be associative and commutative,
/// because a tree may group the participants in any way; then every tree yields the same result. The built-in
/// functions are, except for the rounding of sums and products of reals. Text and bytes in the arguments are
/// views that outlive the call; the result must not be a view of memory that the function owns.
struct CombineInfo {
  std::string name;  ///< the word in pathmaps
  std::string help;
  std::vector<FieldType> types;  ///< the field types that it accepts
  std::function<Field(const Field& earlier, const Field& later)> combine;

  [[nodiscard]] bool takes(FieldType type) const noexcept;
};

/// The combine functions that this process knows, by name. Built in are sum, product, min, max (int and
/// float), and, or, xor (bool, and int bit by bit). Sums and products of integers wrap around at 64 bits, so
/// that an overflow in a partial result does not change a final result that fits. The min and max of reals
/// are NaN if one of them is. Thread-safety: see Registry.
class CombineRegistry final : public Registry<CombineInfo> {
 public:
  static CombineRegistry& instance();

 private:
  CombineRegistry();
};

/// Combines two tuples field by field. Both must have as many fields as `how` has entries.
Tuple combine(const Tuple& earlier, const Tuple& later, const std::vector<const CombineInfo*>& how);

}  // namespace eventspace
