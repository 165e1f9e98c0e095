#include "scopes/tree/scope_codec.h"

#include <gtest/gtest.h>

#include <random>

#include <eventspace/error.h>

namespace eventspace {
namespace {

ScopeTree full_tree() {
  ScopeNode leaf;
  leaf.name = "thread t1";
  leaf.wrapper = "read";
  leaf.sources = {{3, 0}, {5, 0xffffffff}};
  ScopeNode reduce;
  reduce.name = "node n1";
  reduce.wrapper = "reduce";
  reduce.parameters = {{"flag", true},
                       {"count", std::int64_t{-3}},
                       {"share", 0.5},
                       {"whole", 2.0},
                       {"keep", std::string("latest")},
                       {"time", std::chrono::nanoseconds(20)},
                       {"verbs", std::vector<std::string>{"take", "read"}}};
  reduce.node = "n1";
  reduce.endpoint = "tcp://127.0.0.1:1";
  reduce.route = {"tcp://127.0.0.1:2"};
  reduce.timeout = std::chrono::milliseconds(500);
  reduce.asking = Asking::threads;
  reduce.threads = 4;
  reduce.when_late = WhenLate::skip;
  reduce.first_skip = std::chrono::seconds(2);
  reduce.longest_skip = std::chrono::seconds(3);
  reduce.children = {leaf, leaf};
  reduce.ask_path = 0;
  reduce.answer_path = 0xffffffff;
  ScopeTree tree{"heartbeat", 0xfeed, true, 77, 5'000'000'000, std::chrono::seconds(5), {}};
  tree.root.name = "all";
  tree.root.wrapper = "gather";
  tree.root.children = {reduce};
  tree.look = std::chrono::milliseconds(20);
  tree.resume = {{3, 0, 4711, 99, 12}, {5, 0xffffffff, -1, 0, UINT64_MAX}};
  return tree;
}

TEST(ScopeCodecTest, ATreeSurvives) {
  const auto spec = encode(full_tree());
  const ScopeTree read = decode_scope_tree(spec);
  EXPECT_EQ(read.scope, "heartbeat");
  EXPECT_EQ(read.fingerprint, 0xfeedu);
  EXPECT_TRUE(read.next);
  EXPECT_EQ(read.batch, 77u);
  EXPECT_EQ(read.most, 5'000'000'000u);
  EXPECT_EQ(read.since, std::chrono::seconds(5));
  EXPECT_EQ(read.look, std::chrono::milliseconds(20));
  EXPECT_EQ(read.resume, full_tree().resume);
  ASSERT_EQ(read.root.children.size(), 1u);
  const ScopeNode& reduce = read.root.children[0];
  EXPECT_EQ(reduce.parameters, full_tree().root.children[0].parameters);
  EXPECT_EQ(reduce.endpoint, "tcp://127.0.0.1:1");
  EXPECT_EQ(reduce.route, full_tree().root.children[0].route);
  EXPECT_EQ(reduce.timeout, std::chrono::milliseconds(500));
  EXPECT_EQ(reduce.asking, Asking::threads);
  EXPECT_EQ(reduce.threads, 4u);
  EXPECT_EQ(reduce.when_late, WhenLate::skip);
  EXPECT_EQ(reduce.first_skip, std::chrono::seconds(2));
  EXPECT_EQ(reduce.longest_skip, std::chrono::seconds(3));
  EXPECT_EQ(reduce.ask_path, 0u);
  EXPECT_EQ(reduce.answer_path, 0xffffffffu);
  EXPECT_EQ(read.root.ask_path, std::nullopt);
  EXPECT_EQ(read.root.answer_path, std::nullopt);
  ASSERT_EQ(reduce.children.size(), 2u);
  EXPECT_EQ(reduce.children[1].sources, full_tree().root.children[0].children[1].sources);
  EXPECT_EQ(encode(read), spec);
}

TEST(ScopeCodecTest, WithoutSinceThereIsNone) {
  ScopeTree tree = full_tree();
  tree.since.reset();
  EXPECT_EQ(decode_scope_tree(encode(tree)).since, std::nullopt);
}

TEST(ScopeCodecTest, MoreThreadsThanThereMayBeAreRefused) {
  for (const std::uint32_t threads : {0u, max_asking_threads + 1, 1u << 31}) {
    ScopeTree tree = full_tree();
    tree.root.threads = threads;
    EXPECT_THROW(decode_scope_tree(encode(tree)), ConfigurationError) << threads;
  }
}

TEST(ScopeCodecTest, EveryPrefixIsRefused) {
  const auto spec = encode(full_tree());
  for (std::size_t size = 0; size < spec.size(); ++size) {
    EXPECT_THROW(decode_scope_tree(Bytes(spec).first(size)), ConfigurationError);
  }
}

TEST(ScopeCodecTest, AnyMutationIsReadOrRefused) {
  std::mt19937 random(4711);
  for (int round = 0; round < 20'000; ++round) {
    auto spec = encode(full_tree());
    for (std::size_t change = 1 + random() % 4; change > 0; --change) {
      spec[random() % spec.size()] = static_cast<std::byte>(random());
    }
    try {
      (void)decode_scope_tree(spec);
    } catch (const ConfigurationError&) {
    }
  }
}

TEST(ScopeCodecTest, ATreeThatIsTooDeepIsRefused) {
  const auto nested = [](int levels) {
    ScopeTree tree{"deep", 1, false, 1, 0, {}, {}};
    for (int i = 0; i < levels; ++i) {
      ScopeNode parent;
      parent.wrapper = "gather";
      parent.children.push_back(std::move(tree.root));
      tree.root = std::move(parent);
    }
    return encode(tree);
  };
  EXPECT_NO_THROW(decode_scope_tree(nested(100)));
  EXPECT_THROW(decode_scope_tree(nested(200)), ConfigurationError);
}

}  // namespace
}  // namespace eventspace
