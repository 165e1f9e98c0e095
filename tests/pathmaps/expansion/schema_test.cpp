#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "pathmaps/generators/generators.h"
#include "pathmaps/reading/keys.h"
#include "paths/wrappers.h"
#include "scopes/wrappers/scope_wrappers.h"

// Checks that pathmap.schema.json, which editors use, has the same keys and words as the loader.

namespace eventspace {
namespace {

using Json = nlohmann::json;
using Names = std::set<std::string>;
using reading::Shape;

const Json& schema() {
  static const Json schema = Json::parse(std::ifstream(EVENTSPACE_SCHEMA_FILE));
  return schema;
}

/// Returns the schema of a mapping: the root for a pathmap, a definition for the others.
const Json& schema_of(const std::string& name) {
  return name == "pathmap" ? schema() : schema().at("$defs").at(name);
}

Names keys_of(const Json& mapping) {
  Names names;
  for (const auto& [key, value] : mapping.at("properties").items()) names.insert(key);
  return names;
}

Names required_by(const Json& mapping) { return mapping.value("required", Names{}); }

/// Such mappings may be split over files, so that their required keys can be checked only after files are
/// joined.
bool is_joined_key_by_key(const Shape& shape) {
  return &shape == &reading::pathmap_shape ||
         std::ranges::any_of(reading::all_shapes, [&](const auto* outer) {
           return std::ranges::any_of(outer->keys, [&](const auto& key) { return key.inner == &shape; });
         });
}

TEST(Schema, HasTheKeysOfEveryMapping) {
  for (const auto* shape : reading::all_shapes) {
    Names keys;
    Names required;
    for (const auto& key : shape->keys) {
      keys.emplace(key.name);
      if (key.required && !is_joined_key_by_key(*shape)) required.emplace(key.name);
    }
    const auto& mapping = schema_of(std::string(shape->name));
    EXPECT_EQ(keys_of(mapping), keys) << shape->name;
    EXPECT_EQ(required_by(mapping), required) << shape->name;
    EXPECT_EQ(mapping.at("additionalProperties"), false) << shape->name;
  }
}

/// Returns the words that a schema allows for a value, or for each item of a list.
Names choices_in(const Json& property) {
  if (property.contains("enum")) return property.at("enum");
  if (property.contains("$ref")) {
    const auto target = property.at("$ref").get<std::string>();
    return choices_in(schema_of(target.substr(target.rfind('/') + 1)));
  }
  return property.contains("anyOf") ? choices_in(property.at("anyOf").at(0)) : Names{};
}

void expect_parameters(const std::string& definition, const std::vector<ParameterSpec>& specs) {
  const auto& mapping = schema_of(definition);
  Names names;
  Names required;
  for (const auto& spec : specs) {
    names.insert(spec.name);
    if (spec.required) required.insert(spec.name);
    if (spec.choices.empty()) continue;
    EXPECT_EQ(choices_in(mapping.at("properties").at(spec.name)),
              Names(spec.choices.begin(), spec.choices.end()))
        << definition << ' ' << spec.name;
  }
  EXPECT_EQ(keys_of(mapping), names) << definition;
  EXPECT_EQ(required_by(mapping), required) << definition;
}

TEST(Schema, HasTheParametersOfTheGenerators) {
  for (const auto* name : {"neighbour-exchange", "reduce-tree", "barrier"})
    expect_parameters("generator:" + std::string(name),
                      GeneratorRegistry::instance().find(name)->all_parameters());
}

TEST(Schema, HasTheParametersOfTheWrappers) {
  expect_parameters("wrapper:delay", WrapperRegistry::instance().find("delay")->parameters);
  for (const auto* name : {"gather", "merge", "reduce", "aggregate", "filter", "sort", "convert"})
    expect_parameters("scope-wrapper:" + std::string(name), find_scope_wrapper(name)->parameters);
}

TEST(Schema, EveryReferenceHasATarget) {
  const std::string text = schema().dump();
  for (auto at = text.find("#/$defs/"); at != std::string::npos; at = text.find("#/$defs/", at + 1)) {
    const auto name = text.substr(at + 8, text.find('"', at) - at - 8);
    EXPECT_TRUE(schema().at("$defs").contains(name)) << name;
  }
}

}  // namespace
}  // namespace eventspace
