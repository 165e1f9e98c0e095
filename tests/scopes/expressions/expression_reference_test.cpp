#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "scopes/expressions/expression.h"
#include "scopes/tree/field_reader.h"
#include "tests/scopes/expressions/expression_talk.h"

// Compiles the examples of docs/expressions.md and compares the faults that it shows with the real ones.

namespace eventspace {
namespace {

using test::condition;

const std::string& reference() {
  static const std::string text = [] {
    std::stringstream stream;
    stream << std::ifstream(EVENTSPACE_EXPRESSIONS_FILE).rdbuf();
    return stream.str();
  }();
  return text;
}

std::vector<std::string> lines_of_block(const std::string& language) {
  const auto fence = "```" + language + "\n";
  const auto begin = reference().find(fence) + fence.size();
  std::istringstream block(reference().substr(begin, reference().find("```", begin) - begin));
  std::vector<std::string> lines;
  for (std::string line; std::getline(block, line);) lines.push_back(line);
  return lines;
}

TEST(ExpressionReference, ItsExamplesAreConditions) {
  const auto examples = lines_of_block("expression");
  EXPECT_GE(examples.size(), 5U);
  for (const auto& example : examples) {
    const auto fault = Expression::fault(example, condition);
    EXPECT_FALSE(fault) << example << ": " << fault->text;
  }
}

TEST(ExpressionReference, ItsFaultyExamplesHaveTheFaultsItShows) {
  std::vector<std::string> found;
  for (const auto& example : lines_of_block("faulty")) {
    const auto fault = Expression::fault(example, condition);
    found.push_back(fault ? fault->text : "nothing is wrong with " + example);
  }
  EXPECT_EQ(found, lines_of_block("text"));
}

TEST(ExpressionReference, NamesEveryFieldAndWord) {
  const auto names = [](std::string_view word) {
    return reference().find("`" + std::string(word) + "`") != std::string::npos;
  };
  const EventKinds& kinds = EventKinds::instance();
  for (const EventField& field : kinds.fields()) {
    EXPECT_TRUE(names(field.name)) << field.name;
    if (field.name == "call") continue;  // the functions of MPI: docs/mpi.md says which
    for (const auto word : words_of(*kinds.field_named(field.name))) EXPECT_TRUE(names(word)) << word;
  }
}

}  // namespace
}  // namespace eventspace
