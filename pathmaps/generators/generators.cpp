#include "pathmaps/generators/generators.h"

#include <fmt/format.h>

#include <eventspace/error.h>
#include "pathmaps/generators/built_in.h"

namespace eventspace {

namespace {

void check_room(std::size_t count, std::size_t most) {
  if (count >= most) throw ConfigurationError(fmt::format("too large: more than {} elements or paths", most));
}

ParameterSpec tuple_parameter(const std::vector<std::string>& tuple) {
  ParameterSpec spec{.name = "tuple",
                     .kind = ParameterKind::texts,
                     .required = tuple.empty(),
                     .help = "type of the elements"};
  if (!tuple.empty()) spec.default_value = tuple;
  return spec;
}

}  // namespace

void Generated::element(std::string name) {
  check_room(elements_.size(), most_);
  elements_.push_back(std::move(name));
}

void Generated::path(Path path) {
  check_room(paths_.size(), most_);
  paths_.push_back(std::move(path));
}

std::vector<ParameterSpec> GeneratorInfo::all_parameters() const {
  std::vector<ParameterSpec> all{
      {.name = "threads", .kind = ParameterKind::texts, .required = true, .help = "which threads take part"},
      tuple_parameter(tuple),
      {.name = "threshold",
       .kind = ParameterKind::integer,
       .default_value = std::int64_t{200},
       .least = 1,
       .most = 1 << 24,
       .help = "tuples that an element keeps"},
      {.name = "when_full",
       .kind = ParameterKind::text,
       .default_value = "wait",
       .choices = {"discard", "wait"},
       .help = "what a write to a full element does"}};
  all.insert(all.end(), parameters.begin(), parameters.end());
  return all;
}

GeneratorRegistry::GeneratorRegistry()
    : Registry("path generator",
               {generators::neighbour_exchange(), generators::reduce_tree(), generators::barrier()}) {}

GeneratorRegistry& GeneratorRegistry::instance() {
  static GeneratorRegistry registry;
  return registry;
}

}  // namespace eventspace
