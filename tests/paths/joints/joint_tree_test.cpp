#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include <eventspace/error.h>
#include <eventspace/path.h>
#include "paths/joints/joint.h"

// Random trees of joints yield the results of a plain computation, for any shape of the tree and any order of
// arrival.

namespace eventspace {
namespace {

using Random = std::mt19937;

std::size_t up_to(Random& random, std::size_t most) {
  return std::uniform_int_distribution<std::size_t>(0, most)(random);
}

/// The collective of a test: n participants, each of which contributes a tuple of two integers.
struct Collective {
  CollectiveKind kind;
  std::uint32_t participants;
  std::optional<std::uint32_t> root;
  std::vector<std::string> combine;
};

Collective random_collective(Random& random) {
  Collective collective;
  collective.kind = static_cast<CollectiveKind>(up_to(random, 5));
  collective.participants = static_cast<std::uint32_t>(2 + up_to(random, 10));
  if (has_root(collective.kind))
    collective.root = static_cast<std::uint32_t>(up_to(random, collective.participants - 1));
  const std::vector<std::string> names = CombineRegistry::instance().names();
  if (combines(collective.kind))
    collective.combine = {names[up_to(random, names.size() - 1)], names[up_to(random, names.size() - 1)]};
  return collective;
}

const Signature two_integers{FieldType::integer, FieldType::integer};

std::vector<const CombineInfo*> how_of(const Collective& collective) {
  std::vector<const CombineInfo*> how;
  for (const std::string& name : collective.combine) how.push_back(CombineRegistry::instance().find(name));
  return how;
}

/// A tree of joints in one process; participants are assigned to joints at random.
class Tree {
 public:
  Tree(const Collective& collective, Random& random) : collective_(collective), random_(random) {
    std::vector<std::uint32_t> all(collective.participants);
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    std::shuffle(all.begin(), all.end(), random);
    places_.resize(all.size());
    grow("c", all, std::nullopt);
  }
  ~Tree() {
    while (!joints_.empty()) joints_.pop_back();  // those below first
  }

  Path path(std::uint32_t participant) {
    const auto [joint, child] = places_[participant];
    return {"c", std::make_unique<JointStage>(*joint, child)};
  }
  [[nodiscard]] std::size_t size() const { return joints_.size(); }

 private:
  struct Way {
    Joint* joint;
    std::size_t child;
  };

  void grow(const std::string& name, std::vector<std::uint32_t> members, std::optional<Way> above) {
    std::vector<std::vector<std::uint32_t>> groups;
    while (!members.empty()) {
      const std::size_t size = 1 + up_to(random_, members.size() - 1) / (1 + up_to(random_, 2));
      const auto end =
          members.begin() + static_cast<std::ptrdiff_t>(std::min(
                                size, members.size() - (groups.empty() && members.size() > 1 ? 1 : 0)));
      groups.emplace_back(members.begin(), end);
      members.erase(members.begin(), end);
    }
    JointConfig config;
    config.name = name;
    config.kind = collective_.kind;
    if (has_tuples(config.kind)) config.signature = two_integers;
    config.combine = how_of(collective_);
    config.root = collective_.root;
    config.participants = collective_.participants;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      std::ranges::sort(groups[i]);
      config.children.push_back({name + "/" + std::to_string(i), groups[i].size() > 1, groups[i]});
    }
    std::optional<Uplink> uplink;
    if (above) {
      uplink.emplace();
      uplink->make = [way = *above] { return std::make_unique<JointStage>(*way.joint, way.child); };
    }
    joints_.push_back(std::make_unique<Joint>(config, uplink));
    Joint* const joint = joints_.back().get();
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].size() == 1) {
        places_[groups[i].front()] = {joint, i};
      } else {
        std::shuffle(groups[i].begin(), groups[i].end(), random_);
        grow(name + "/" + std::to_string(i), groups[i], Way{joint, i});
      }
    }
  }

  const Collective& collective_;
  Random& random_;
  std::vector<std::unique_ptr<Joint>> joints_;
  std::vector<Way> places_;
};

/// The tuple of a participant in one round.
Tuple own(std::uint32_t participant, std::int64_t round) {
  return Tuple::of({std::int64_t{participant} * 7919 + round * 104729,
                    (round << 40) - std::int64_t{participant} * participant});
}

std::vector<Tuple> all_own(const Collective& collective, std::int64_t round) {
  std::vector<Tuple> tuples;
  for (std::uint32_t participant = 0; participant < collective.participants; ++participant)
    tuples.push_back(own(participant, round));
  return tuples;
}

Tuple contribution_of(const Collective& collective, std::uint32_t participant, std::int64_t round) {
  switch (collective.kind) {
    case CollectiveKind::barrier:
      return {};
    case CollectiveKind::broadcast:
      return participant == collective.root ? own(participant, round) : Tuple();
    case CollectiveKind::scatter:
      return participant == collective.root ? pack_tuples(all_own(collective, round)) : Tuple();
    default:
      return own(participant, round);
  }
}

Tuple result_of(const Collective& collective, std::uint32_t participant, std::int64_t round) {
  const bool is_root = participant == collective.root;
  const std::vector<Tuple> all = all_own(collective, round);
  switch (collective.kind) {
    case CollectiveKind::barrier:
      return {};
    case CollectiveKind::broadcast:
      return own(*collective.root, round);
    case CollectiveKind::scatter:
      return own(participant, round);
    case CollectiveKind::gather:
      return is_root ? pack_tuples(all) : Tuple();
    default:
      break;
  }
  Tuple combined = all.front();
  for (std::size_t i = 1; i < all.size(); ++i) combined = combine(combined, all[i], how_of(collective));
  return collective.kind == CollectiveKind::all_reduce || is_root ? combined : Tuple();
}

void take_part(Tree& tree, const Collective& collective, std::uint32_t participant) {
  Path path = tree.path(participant);
  for (std::int64_t round = 1; round <= 20; ++round) {
    if ((round * 13 + std::int64_t{participant} * 5) % 7 == 0) std::this_thread::yield();
    const Received received = path.exchange(contribution_of(collective, participant, round));
    ASSERT_EQ(received.status, Status::ok) << received.reason;
    EXPECT_EQ(received.sequence, static_cast<std::uint64_t>(round));
    EXPECT_EQ(received.tuple, result_of(collective, participant, round))
        << to_string(collective.kind) << " of " << collective.participants << ", participant " << participant;
  }
}

TEST(JointTreeTest, RandomTreesYieldTheResultsOfAPlainComputation) {
  std::size_t largest = 0;
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Collective collective = random_collective(random);
    Tree tree(collective, random);
    largest = std::max(largest, tree.size());
    std::vector<std::jthread> threads;
    for (std::uint32_t participant = 0; participant < collective.participants; ++participant)
      threads.emplace_back([&, participant] { take_part(tree, collective, participant); });
  }
  EXPECT_GE(largest, 5u) << "the trees are too flat to show anything";
}

// --- the units alone ----------------------------------------------------------------------------------

TEST(PackedTuplesTest, KeepTheirOrder) {
  std::vector<Tuple> tuples(140, Tuple::of({std::int64_t{1}, "x"}));
  tuples[3] = Tuple();
  tuples[70] = Tuple::of({2.5});
  EXPECT_EQ(unpack_tuples(pack_tuples(tuples)), tuples);
  EXPECT_TRUE(unpack_tuples(pack_tuples({})).empty());
}

TEST(PackedTuplesTest, AMalformedTupleIsRefused) {
  EXPECT_THROW(unpack_tuples(Tuple()), ConfigurationError);
  EXPECT_THROW(unpack_tuples(Tuple::of({"text"})), ConfigurationError);
  const std::vector<Tuple> one{Tuple::of({std::int64_t{1}})};
  const Tuple packed = pack_tuples(one);
  const Bytes whole = packed.get<Bytes>(0);
  for (std::size_t size = 1; size < whole.size(); ++size)
    EXPECT_THROW(unpack_tuples(Tuple::of({whole.first(size)})), ConfigurationError) << size;
  std::vector<std::byte> huge(whole.begin(), whole.end());
  huge[3] = std::byte{0xff};
  EXPECT_THROW(unpack_tuples(Tuple::of({Bytes(huge)})), ConfigurationError);
}

TEST(CombineTest, IntegersWrapAround) {
  const auto most = std::numeric_limits<std::int64_t>::max();
  const std::vector<const CombineInfo*> how{CombineRegistry::instance().find("sum"),
                                            CombineRegistry::instance().find("product")};
  EXPECT_EQ(combine(Tuple::of({most, most}), Tuple::of({std::int64_t{1}, std::int64_t{2}}), how),
            Tuple::of({std::numeric_limits<std::int64_t>::min(), std::int64_t{-2}}));
}

TEST(CombineTest, TheLeastOfRealsWithANanIsNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* const name : {"min", "max"}) {
    const CombineInfo& info = *CombineRegistry::instance().find(name);
    EXPECT_TRUE(std::isnan(std::get<double>(info.combine(nan, 1.0)))) << name;
    EXPECT_TRUE(std::isnan(std::get<double>(info.combine(1.0, nan)))) << name;
  }
  EXPECT_EQ(std::get<double>(CombineRegistry::instance().find("min")->combine(2.0, -1.0)), -1.0);
  EXPECT_EQ(std::get<double>(CombineRegistry::instance().find("max")->combine(2.0, -1.0)), 2.0);
}

TEST(CombineTest, ANameIsRegisteredOnce) {
  EXPECT_THROW(CombineRegistry::instance().add({"sum", "", {FieldType::integer}, nullptr}),
               ConfigurationError);
  EXPECT_EQ(CombineRegistry::instance().find("average"), nullptr);
  EXPECT_TRUE(CombineRegistry::instance().find("and")->takes(FieldType::boolean));
  EXPECT_FALSE(CombineRegistry::instance().find("and")->takes(FieldType::real));
}

}  // namespace
}  // namespace eventspace
