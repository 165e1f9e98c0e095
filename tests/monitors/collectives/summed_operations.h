#pragma once

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/monitors/json_lines.h"

namespace eventspace::testing_commands {

/// Compares the summary of `collectives --format json` with sums over the lines of `--each` of the same
/// recording, which share no code with it.
class SummedOperations {
 public:
  explicit SummedOperations(const std::string& each) {
    for (const nlohmann::json& line : objects_in(each)) add(line);
  }

  void expect_equal(const std::string& summary) const {
    double run_time = 0;
    std::size_t rows = 0;
    for (const nlohmann::json& line : objects_in(summary)) {
      if (line["type"] == "summary") {
        run_time = line["run_s"].get<double>() * line["participants"].get<double>() * 1e9;
        expect_row(line, total_, run_time);
        continue;
      }
      ++rows;
      const auto found = rows_.find(key_of(line["collective"], call_of(line)));
      ASSERT_NE(found, rows_.end()) << line;
      expect_row(line, found->second, run_time);
    }
    EXPECT_EQ(rows, rows_.size()) << summary;
    EXPECT_GT(run_time, 0) << summary;
  }
  [[nodiscard]] std::uint64_t operations() const { return total_.operations; }

 private:
  struct Sum {
    std::uint64_t operations{0}, incomplete{0}, uncertain{0};
    std::int64_t waiting{0};
    std::map<std::string, std::pair<std::uint64_t, std::int64_t>> late{};  // by name: how often, and the cost
  };
  static std::string key_of(const std::string& collective, const std::string& call) {
    return collective + " / " + call;
  }
  // The collectives of a pathmap imply their operation, which `--each` does not have.
  static std::string call_of(const nlohmann::json& row) {
    const std::string operation = row["operation"].is_null() ? "" : row["operation"].get<std::string>();
    if (!operation.starts_with("MPI_")) return "";
    return row["site"].is_null() ? operation : operation + " at " + row["site"].get<std::string>();
  }

  void add(const nlohmann::json& line) {
    if (line["state"] != "complete" && line["state"] != "incomplete") return;
    for (Sum* const sum : {&rows_[key_of(line["collective"], line.value("call", ""))], &total_}) {
      const auto waiting = line["waiting"]["ns"].get<std::int64_t>();
      ++sum->operations;
      sum->incomplete += line["state"] == "incomplete" ? 1 : 0;
      sum->waiting += waiting;
      if (line["last"].is_null()) {
        ++sum->uncertain;
        continue;
      }
      auto& [times, cost] = sum->late[line["last"].get<std::string>()];
      ++times;
      cost += waiting;
    }
  }

  static void expect_row(const nlohmann::json& row, const Sum& sum, double run_time) {
    EXPECT_EQ(row["operations"], sum.operations) << row;
    EXPECT_EQ(row["incomplete"], sum.incomplete) << row;
    EXPECT_EQ(row["uncertain"], sum.uncertain) << row;
    EXPECT_EQ(row["waiting"]["ns"], sum.waiting) << row;
    EXPECT_NEAR(row["share"].get<double>(), static_cast<double>(sum.waiting) / run_time, 1e-6) << row;
    std::size_t certain = 0;
    for (const nlohmann::json& late : row["late"]) {
      if (late["last"] == 0) continue;
      ++certain;
      const auto found = sum.late.find(late["name"].get<std::string>());
      ASSERT_NE(found, sum.late.end()) << row;
      EXPECT_EQ(late["last"], found->second.first) << row;
      EXPECT_EQ(late["cost"]["ns"], found->second.second) << row;
    }
    EXPECT_EQ(certain, sum.late.size()) << row;
  }

  std::map<std::string, Sum> rows_;
  Sum total_;
};

}  // namespace eventspace::testing_commands
