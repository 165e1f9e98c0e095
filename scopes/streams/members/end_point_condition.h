#pragma once

// Private to scopes/.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scopes/expressions/syntax.h"
#include "scopes/streams/members/end_points.h"

namespace eventspace::streams {

/// A condition of the language of expressions over the fields of end-points (EndPoints::where), which is
/// evaluated by walking its syntax: it runs once for each end-point, not for each event. Thread-safe.
class EndPointCondition {
 public:
  /// Checks all types. `syntax` and what it refers to must outlive this object. Throws ExpressionError.
  EndPointCondition(const expressions::Syntax& syntax, std::span<const std::string_view> labels);

  [[nodiscard]] bool holds(const EndPoints::EndPoint& end_point) const;
  [[nodiscard]] static bool is_field(std::string_view name) noexcept;

 private:
  /// Empty: a field that the end-point lacks.
  using Value = std::variant<std::monostate, bool, double, std::string_view>;
  enum class Type : std::uint8_t { truth, number, text };

  [[nodiscard]] Type type_of(const expressions::Syntax& syntax) const;
  [[nodiscard]] Type type_of_binary(const expressions::Syntax& syntax) const;
  void require(const expressions::Syntax& syntax, Type type) const;
  [[nodiscard]] static Value value_of(const expressions::Syntax& syntax,
                                      const EndPoints::EndPoint& end_point);
  [[nodiscard]] static Value value_of_field(std::string_view field, const EndPoints::EndPoint& end_point);
  [[nodiscard]] static Value value_of_binary(const expressions::Syntax& syntax,
                                             const EndPoints::EndPoint& end_point);

  const expressions::Syntax* syntax_;
  std::vector<std::string_view> labels_;
};

}  // namespace eventspace::streams
