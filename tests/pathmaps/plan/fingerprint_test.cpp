#include "pathmaps/plan/fingerprint.h"

#include <gtest/gtest.h>

#include "pathmaps/pathmap.h"
#include "tests/pathmaps/pathmap_text.h"

namespace eventspace {
namespace {

std::uint64_t fingerprint(const PathmapText& text) { return text.plan().fingerprint; }

TEST(Fingerprint, IsTheSameForTheSamePathmap) {
  EXPECT_EQ(fingerprint(PathmapText()), fingerprint(PathmapText()));
  EXPECT_EQ(PathmapText().plan().fingerprint, fingerprint_of(PathmapText().plan()));
}

// Recordings contain fingerprints. If this value changes, existing recordings no longer match their pathmaps.
TEST(Fingerprint, IsFixedForAKnownPlan) {
  EXPECT_EQ(canonical_text(PathmapText().plan()),
            "plan small\nnode n1\nprocess p0 0\nthread a 0\nthread b 0\nelement box (int) 0 -1\n"
            "path out 0 0\npath in 1 0\ntrace a/out@thread 0 thread 0 0\ntrace b/in@thread 1 thread 0 0\n");
  EXPECT_EQ(fingerprint(PathmapText()), 11874209571010710878U);
}

/// A pathmap with joints in a process and on servers, an element in each kind of place, and a scope that
/// records its own paths.
constexpr std::string_view every_kind = R"(pathmap: 1
name: all
cluster:
  nodes:
    n1: {host: 127.0.0.1, port: 7101}
    n2: {host: 127.0.0.1, port: 7102}
application:
  threads: [a, b, c, d]
  elements: [{name: box, tuple: int}, {name: pot, tuple: [text, float]}]
  paths:
    - {thread: a, name: out, element: box}
    - {thread: b, name: in, element: box}
    - {thread: c, name: out, element: pot}
  collectives:
    sum: {kind: all-reduce, threads: "*", tuple: [int], combine: sum, levels: [{group: all, on: server}, {group: node, on: server}]}
    meet: {kind: barrier, threads: [a, b, c], levels: [{group: all}, {group: process}]}
placement:
  processes:
    p0: {node: n1, port: 7201, threads: [a, b]}
    p1: {node: n2, threads: [c, d]}
  elements:
    - {elements: box, process: p0, shared: 4KiB}
    - {elements: pot, node: n2}
collect: {points: [{threads: "**", at: [thread, element]}]}
scopes:
  s: {collect: {}, levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]}
)";

TEST(Fingerprint, IsFixedForAPlanWithEveryKindOfPart) {
  const auto loaded = parse_plan(every_kind, "every_kind");
  for (const auto& fault : loaded.faults) ADD_FAILURE() << to_string(fault);
  ASSERT_TRUE(loaded.plan);
  EXPECT_EQ(loaded.plan->fingerprint, 0x9ede5e9e36ea05faU) << canonical_text(*loaded.plan);
  EXPECT_EQ(loaded.plan->scopes_fingerprint, 0x9e482af6f466a1a9U) << canonical_text_of_scopes(*loaded.plan);
}

TEST(Fingerprint, ChangesWithTheMeaningOfNumbers) {
  const auto plain = fingerprint(PathmapText());
  EXPECT_NE(plain, fingerprint(PathmapText().collect("  points: [{paths: in, at: thread}]\n").scopes("")));
  EXPECT_NE(plain, fingerprint(PathmapText().placement("  processes: {p1: {node: n1, threads: [a, b]}}\n")));
  EXPECT_NE(plain, fingerprint(PathmapText().application(
                       "  threads: [b, a]\n  elements: [{name: box, tuple: [int]}]\n"
                       "  paths:\n    - {thread: a, name: out, element: box}\n"
                       "    - {thread: b, name: in, element: box}\n")));
}

TEST(Fingerprint, ChangesIfAnElementBecomesSharedButNotWithItsRoom) {
  const auto shared = [](const std::string& more) {
    return fingerprint(
        PathmapText().placement("  processes: {p0: {node: n1, threads: \"*\"}}\n"
                                "  elements: [{elements: box, process: p0" +
                                more + "}]\n"));
  };
  EXPECT_EQ(shared(""), fingerprint(PathmapText()));
  EXPECT_NE(shared(", shared: 4KiB"), shared(""));
  EXPECT_EQ(shared(", shared: 4KiB"), shared(", shared: 8KiB"));
}

TEST(Fingerprint, DoesNotChangeWithSettingsThatAMonitorMayChange) {
  const auto plain = fingerprint(PathmapText());
  EXPECT_EQ(plain, fingerprint(PathmapText().scopes("")));
  EXPECT_EQ(plain, fingerprint(PathmapText().cluster("  nodes: {n1: {host: elsewhere, port: 9}}\n")));
  EXPECT_EQ(plain, fingerprint(PathmapText().collect("  points: [{at: thread, threshold: 3}]\n")));
}

}  // namespace
}  // namespace eventspace
