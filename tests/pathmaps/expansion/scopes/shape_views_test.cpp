#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <vector>

#include <eventspace/session.h>
#include "collectors/event_record.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/consumer.h"
#include "pathmaps/sessions/node_server.h"
#include "pathmaps/variants/scope_variants.h"
#include "tests/pathmaps/expansion/random_map.h"
#include "tests/paths/server_talk.h"
#include "tests/tuplespace/temporary_directory.h"

// The view of a scope does not depend on the shape of its tree: random applications with the servers of all
// their nodes, and random trees over them.

namespace eventspace {
namespace {

using namespace std::chrono_literals;

class ShapeViews : public testing::TestWithParam<unsigned> {
 protected:
  ShapeViews() {
    ::setenv("EVENTSPACE_SHM_DIR", directory_.path().c_str(), 1);
    const std::string text = map_.text() + "scopes:\n" + scopes();
    std::ofstream(file()) << text;
    LoadResult loaded = load_plan(file());
    for (const Fault& fault : loaded.faults) ADD_FAILURE() << to_string(fault) << '\n' << text;
    plan_ = std::make_shared<const Plan>(loaded.plan.value());
    for (const NodeIndex node : plan_->nodes.indices()) {
      servers_.push_back(std::make_unique<NodeServer>(plan_, node, NodeServer::Options{}));
      servers_.back()->start();
    }
    for (const ProcessPlan& process : plan_->processes)
      sessions_.push_back(Session::join(plan_, process.name, Session::Options{}));
  }
  ~ShapeViews() override { ::unsetenv("EVENTSPACE_SHM_DIR"); }

  void write_everything() {
    for (Session& session : sessions_) {
      for (const ThreadPlan& thread : plan_->threads) {
        if (!thread.is_thread_of(plan_->find_process(session.process()).value())) continue;
        for (const char* const path : {"p", "q"}) {
          for (int i = 0; i < 3; ++i) {
            ASSERT_EQ(session.thread(thread.name).path(path).write(test::number(i), Deadline::after(60s)),
                      Status::ok);
          }
        }
      }
    }
  }

  View pull(const std::string& scope) { return pull(*plan_->find_scope(scope), scope); }
  View pull(const ScopeTree& tree, const std::string& scope) {
    if (!consumer_) consumer_.emplace(plan_);
    EventScope opened = consumer_->open(tree);
    View view = opened.pull({.deadline = Deadline::after(30s)});
    for (const Missing& missing : view.missing)
      ADD_FAILURE() << scope << ": " << missing.what << ": " << missing.detail;
    EXPECT_EQ(view.sources_read, plan_->traces.size()) << scope;
    return view;
  }

  /// Up to `most` scopes that should yield the same view as `scope`.
  std::vector<ScopeVariant> variants_of(const std::string& scope, std::size_t most) {
    return scope_variants(file(), *plan_, scope, most).variants;
  }

  static constexpr std::size_t shapes = 8;
  static std::string name_of(const std::string& kind, std::size_t shape) {
    return kind + std::to_string(shape);
  }

 private:
  /// The scope named 0 of each kind is flat.
  std::string scopes() {
    const std::map<std::string, std::string> wrappers{
        {"gather", "gather"},
        {"latest", "{reduce: {keep: latest, most: 3}}"},
        {"mean", "{aggregate: {as: mean, by: thread, most: 4}}"},
        {"buckets", "{aggregate: {as: histogram, by: path}}"}};
    std::string text;
    for (const auto& [kind, wrapper] : wrappers) {
      // In the middle of an explicit tree, or of levels, everything must be passed on.
      const std::string inner = kind == "mean" ? "{aggregate: {as: mean, by: thread}}" : wrapper;
      for (std::size_t i = 0; i < shapes; ++i) {
        const std::string shape = i == 0       ? "shape: flat, wrapper: " + wrapper
                                  : i % 3 == 0 ? map_.shape(wrapper)
                                  : i % 3 == 1 ? map_.levels(wrapper, inner, 2 + i % 2)
                                               : map_.tree(wrapper, inner);
        text += "  " + name_of(kind, i) + ": {at: [thread, element], timeout: 30s, " + shape + "}\n";
      }
    }
    return text;
  }

  [[nodiscard]] std::filesystem::path file() const { return pathmap_.path() / "random.yaml"; }

  test::TemporaryDirectory directory_;
  test::TemporaryDirectory pathmap_;
  test::RandomMap map_{GetParam(), 5, [] { return test::free_port(); }};
  std::shared_ptr<const Plan> plan_;
  std::vector<std::unique_ptr<NodeServer>> servers_;
  std::vector<Session> sessions_;
  std::optional<Consumer> consumer_;
};

std::vector<std::vector<std::uint64_t>> records_of(const View& view) {
  std::vector<std::vector<std::uint64_t>> records;
  for (const TraceTuple& tuple : view.records) records.emplace_back(tuple.words.begin(), tuple.words.end());
  std::ranges::sort(records);
  return records;
}

TEST_P(ShapeViews, AreTheSame) {
  write_everything();
  const auto gathered = records_of(pull(name_of("gather", 0)));
  const auto latest = records_of(pull(name_of("latest", 0)));
  EXPECT_EQ(latest.size(), 3U);
  for (std::size_t i = 1; i < shapes; ++i) {
    EXPECT_EQ(records_of(pull(name_of("gather", i))), gathered) << i;
    const View view = pull(name_of("latest", i));
    EXPECT_EQ(records_of(view), latest) << i;
    EXPECT_EQ(view.loss.reduced, gathered.size() - latest.size()) << i;
  }
}

TEST_P(ShapeViews, HaveTheSameNumbers) {
  write_everything();
  for (const std::string kind : {"mean", "buckets"}) {
    const View flat = pull(name_of(kind, 0));
    EXPECT_FALSE(flat.aggregates.empty());
    for (std::size_t i = 1; i < shapes; ++i) {
      const View view = pull(name_of(kind, i));
      ASSERT_EQ(view.aggregates.size(), flat.aggregates.size()) << kind << i;
      for (std::size_t k = 0; k < flat.aggregates.size(); ++k) {
        EXPECT_EQ(view.aggregates[k].group, flat.aggregates[k].group) << kind << i;
        EXPECT_DOUBLE_EQ(view.aggregates[k].value(), flat.aggregates[k].value()) << kind << i;
      }
      EXPECT_EQ(view.loss, flat.loss) << kind << i;
    }
  }
}

TEST_P(ShapeViews, OfVariantsAreThoseOfTheScope) {
  write_everything();
  for (const std::string scope : {"gather0", "gather1", "latest0", "latest3", "buckets1"}) {
    const View view = pull(scope);
    for (const ScopeVariant& variant : variants_of(scope, 24)) {
      const View other = pull(variant.tree, scope + " as " + variant.words);
      EXPECT_EQ(records_of(other), records_of(view)) << scope << " as " << variant.words;
      EXPECT_EQ(other.loss, view.loss) << scope << " as " << variant.words;
      ASSERT_EQ(other.aggregates.size(), view.aggregates.size()) << scope << " as " << variant.words;
      for (std::size_t i = 0; i < view.aggregates.size(); ++i)
        EXPECT_EQ(other.aggregates[i].value(), view.aggregates[i].value())
            << scope << " as " << variant.words;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ShapeViews, testing::Range(1U, 6U));

}  // namespace
}  // namespace eventspace
