#include "pathmaps/expansion/scopes/k_ary.h"

namespace eventspace::expansion {

std::vector<std::size_t> k_ary_parts(std::size_t count, std::size_t arity) {
  if (count <= arity) return {};
  std::size_t below = arity;  // the largest run that fits into a subtree of least depth
  while (count > below * arity) below *= arity;
  const std::size_t parts = (count + below - 1) / below;
  std::vector<std::size_t> sizes(parts, count / parts);
  for (std::size_t i = 0; i < count % parts; ++i) ++sizes[i];
  return sizes;
}

}  // namespace eventspace::expansion
