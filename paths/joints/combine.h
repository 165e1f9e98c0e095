#pragma once

// Private to paths/.

#include <functional>
#include <string>
#include <vector>

#include "paths/parameters/registry.h"
#include "tuplespace/tuple.h"

namespace eventspace {

/// How two values of one field become one in a reduce, registered by name. It has to be associative and, as
/// trees may group participants in any way, commutative: then every tree gives the same result. The built-in
/// ones are, but for the rounding of sums and products of reals. What they view lives on; they return no view
/// of their own.
struct CombineInfo {
  std::string name;
  std::string help;
  std::vector<FieldType> types;  ///< of fields that it can combine
  std::function<Field(const Field& earlier, const Field& later)> combine;

  [[nodiscard]] bool takes(FieldType type) const noexcept;
};

/// The ways to combine that are known by name to this process. Built in: sum, product, min, max (int and
/// float), and, or, xor (bool, and int bit by bit). Sums and products of integers wrap around at 64 bits, so
/// that a partial result that does not fit cannot spoil one that does. The least and the greatest of reals
/// with a NaN among them is NaN. Thread-safety: see Registry.
class CombineRegistry final : public Registry<CombineInfo> {
 public:
  static CombineRegistry& instance();

 private:
  CombineRegistry();
};

/// The tuple of `earlier` and `later`, field by field: `how` has an entry for each field of both.
Tuple combine(const Tuple& earlier, const Tuple& later, const std::vector<const CombineInfo*>& how);

}  // namespace eventspace
