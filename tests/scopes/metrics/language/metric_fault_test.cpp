#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "scopes/metrics/metric_library.h"
#include "tests/scopes/metrics/metric_talk.h"

namespace eventspace::metrics {
namespace {

using ::testing::ElementsAre;

/// The statements of a metric in one line, and its fault. A declaration of each kind precedes them.
struct Case {
  std::string_view statements;
  std::string_view fault;
};

void PrintTo(const Case& faulty, std::ostream* out) { *out << faulty.statements; }

constexpr std::string_view head =
    "Step(Process p, VirtualTime vt) { PROBE done(Process, VirtualTime, Value); RETURN Time(NOW) AT done(p, "
    "vt); }\n"
    "M(Process[] procs, Region[] regions, TimeInterval t) {\n"
    "PROBE end(Process, VirtualTime, Value residual); Process p, q; Node n; Region r; VirtualTime vt, wt; "
    "Value "
    "v; Value[] a; Value[][] b; a[p] = Send_count(p, t);\n";

class FaultyMetric : public testing::TestWithParam<Case> {};

TEST_P(FaultyMetric, IsRefusedWithItsPlaceAndTheAllowedForms) {
  MetricLibrary library;
  EXPECT_THAT(test::described(library.add(fmt::format("{}{} }}", head, GetParam().statements))),
              ElementsAre(fmt::format("4:{}", GetParam().fault)));
}

INSTANTIATE_TEST_SUITE_P(
    Characters, FaultyMetric,
    testing::Values(Case{"RETURN 1 $ ;", "10: found '$'; expected a name, a value or an operator"},
                    Case{"RETURN 1 && 2;", "10: found '&&'; did you mean 'and'?"},
                    Case{
                        "RETURN 20mz;",
                        "8: '20mz' is not a number, size or duration; expected a value such as 12, 0.5, 4KiB "
                        "or 20ms"},
                    Case{"RETURN COUNT(p WHERE p.name == \"x); \n",
                         "32: the text that begins here is not closed with \""}));

INSTANTIATE_TEST_SUITE_P(
    Statements, FaultyMetric,
    testing::Values(
        Case{"", "2: the metric 'M' lacks a RETURN"},
        Case{"RETURN 1; Value x;", "11: found a statement after RETURN, which must be the last statement"},
        Case{"RETURN 1", "10: found '}'; expected ';' at the end of the statement"},
        Case{"Value NOW = 1; RETURN 1;",
             "7: 'NOW' is a keyword; expected the name of a variable after the type "
             "'Value'"},
        Case{"Valu x = 1; RETURN 1;",
             "1: unknown type 'Valu'; did you mean 'Value'?; known: Value, Process, Thread, Node, Site, "
             "Region, "
             "VirtualTime, TimePoint, TimeInterval"},
        Case{"Value v = 1; RETURN 1;", "7: 'v' is already declared"},
        Case{"Value x = p.rank; RETURN 1;",
             "11: 'p' has no value here: index the result with it ('NAME[p] = ...'), or aggregate over it "
             "('SUM[p](...)')"},
        Case{"Process x = 1; RETURN 1;", "13: '1' is a value; 'x' is declared as a process"},
        Case{"x = 1; RETURN 1;", "1: unknown variable 'x'; declare it first: Value x;"},
        Case{"v = 1; v = 2; RETURN v;", "8: 'v' already has a value"},
        Case{"a = 1; RETURN 1;", "1: 'a' already has a value"},
        Case{"b[p] = 1; RETURN 1;", "1: 'b' is declared with 2 dimensions, found 1 indices"},
        Case{"b[p][p] = 1; RETURN 1;", "6: 'p' is listed twice"},
        Case{"b[p][t] = 1; RETURN 1;",
             "6: 't' is not a free variable; expected one, such as p after 'Process p;'"},
        Case{"PROBE end(Process, VirtualTime); RETURN 1;", "7: the probe 'end' is already declared"},
        Case{"PROBE x(Process); RETURN 1;",
             "7: expected PROBE x(Process or Thread, VirtualTime), and up to 8 more of type Value"},
        Case{"RETURN procs;", "8: 'procs' is several processes; a metric returns a value"}));

INSTANTIATE_TEST_SUITE_P(
    Names, FaultyMetric,
    testing::Values(
        Case{"RETURN w;",
             "8: unknown variable 'w'; did you mean 'wt'?; known: a, b, n, p, procs, q, r, regions, t, v, "
             "vt, wt"},
        Case{"RETURN v;",
             "8: 'v' has no value yet; assign one first, or bind it to a value of a probe with AT "
             "PROBE(process, time, v)"},
        Case{"RETURN b[p][q];", "8: 'b' has no value yet; assign 'b[...] = ...' first"},
        Case{"RETURN SUM(a);", "12: 'a' is indexed; expected 'a[...]'"},
        Case{"RETURN SUM(a[n]);", "14: 'n' is a node; 'a' is indexed by a process"},
        Case{"RETURN SUM(a[p][q]);", "12: 'a' has 1 indices, found 2"},
        Case{"RETURN SUM(procs[p]);",
             "12: the parameter 'procs' cannot be indexed; choose from it with WHERE x IN procs"},
        Case{"RETURN Step;", "8: 'Step' is a metric; expected its parameters: 'Step(...)'"},
        Case{"RETURN end;", "8: 'end' is a probe; expected 'VALUE AT end(process, virtual time)'"},
        Case{"RETURN Send_volum(procs, t);", "8: unknown metric 'Send_volum'; did you mean 'Send_volume'?"},
        Case{"RETURN M(procs, regions, t);", "8: the metric 'M' uses itself"},
        Case{"RETURN p.rang;",
             "10: 'p' is a process, which has no attribute 'rang'; did you mean 'rank'?; known: "
             "rank, name, node, site"},
        Case{"RETURN vt.time;", "11: 'vt' is a virtual time, which has no attributes"}));

INSTANTIATE_TEST_SUITE_P(
    Types, FaultyMetric,
    testing::Values(
        Case{"RETURN 1s + 1KiB;",
             "11: '1s' is a value in s and '1KiB' is a value in B: '+' takes values of one unit"},
        Case{"RETURN 1 + t;", "10: '1' is a value and 't' is an interval of time: '+' takes values"},
        Case{"RETURN -t;", "9: 't' is an interval of time: '-' takes a value"},
        Case{"RETURN COUNT(p WHERE NOT p);", "26: 'p' is a process: NOT takes true or false"},
        Case{"RETURN COUNT(p WHERE p);", "22: 'p' is a process; WHERE takes true or false"},
        Case{"RETURN COUNT(p WHERE p.rank == p);",
             "29: 'p.rank' is a value and 'p' is a process: '==' compares "
             "values of one type and unit"},
        Case{"RETURN COUNT(p WHERE p < q);",
             "24: 'p' is a process and 'q' is a process: '<' compares values, points "
             "of time and virtual times"},
        Case{"RETURN COUNT(p WHERE 1 < p.rank < 3);",
             "33: comparisons cannot follow each other; join them with AND"},
        Case{"RETURN COUNT(p WHERE p.rank MATCHES 'x');",
             "22: 'p.rank' is a value: MATCHES takes a text, such as "
             "p.name"},
        Case{"RETURN COUNT(p WHERE p.name MATCHES '{a');", "37: the pattern '{a' has a '{' without a '}'"},
        Case{"RETURN COUNT(p WHERE p IN t);",
             "22: 'p' is a process and 't' is an interval of time: IN takes an object and several of its "
             "type, or a "
             "point of time and an interval"},
        Case{"RETURN Send_count(procs, [1, NOW]);",
             "27: '1' is a value; an interval is between points of time, such as [START, NOW]"},
        Case{"a[vt] = 1; RETURN 1;", "1: 'a' already has a value"},
        Case{"RETURN PERCENTILE(a[p], 101);",
             "8: PERCENTILE takes a value and a percentage from 0 to 100: PERCENTILE(x[vt], 95 WHERE ...)"},
        Case{"RETURN PROD(Send_volume(p, t) WHERE p IN procs);",
             "13: 'Send_volume(p, t)' is a value in B; PROD takes values without a unit"},
        Case{"RETURN MAX(1, 2s);", "15: '2s' is a value in s; MAX takes values of one unit, here a value"}));

INSTANTIATE_TEST_SUITE_P(
    Probes, FaultyMetric,
    testing::Values(
        Case{"RETURN SUM[vt](1 AT nothing(p, vt));", "21: unknown probe 'nothing'; known: end"},
        Case{"RETURN SUM[vt](1 AT Step(p, vt));",
             "21: 'Step' is a metric; AT takes a probe, declared with PROBE"},
        Case{"RETURN SUM[vt](1 AT end(p));",
             "21: 'end' takes its process, a virtual time and up to 1 variables for its values; found 1 "
             "arguments"},
        Case{"RETURN SUM[vt](1 AT end(n, vt));", "25: 'n' is a node; 'end' is passed by a process"},
        Case{"RETURN SUM[vt](1 AT end(p, 3));",
             "28: '3' is a value; expected a virtual time, such as vt or vt - 1"},
        Case{"RETURN SUM[vt](1 AT end(p, vt - 0.5));",
             "31: 'vt' is a virtual time: it can be shifted by a whole number of at most 1000000, such as "
             "'vt - 1'"},
        Case{"RETURN SUM[vt](v AT end(p, vt, p));",
             "32: found 'p'; expected a Value variable without a value, for value 1 of the probe"},
        Case{"RETURN SUM[vt](Step(p, vt) AT end(p, vt));",
             "16: 'Step(p, vt)' depends on a probe itself; the value before AT is taken when 'end' is "
             "passed"},
        Case{"RETURN SUM[vt](Compute_time(p, [START, NOW]) AT end(p, vt));",
             "16: 'Compute_time(p, [START, NOW])' is sampled when a server is polled, not when 'end' is "
             "passed; AT takes values of events"},
        Case{"RETURN SUM[vt](t AT end(p, vt));", "16: 't' is an interval of time; AT takes a value"}));

INSTANTIATE_TEST_SUITE_P(
    Variables, FaultyMetric,
    testing::Values(Case{"RETURN Step(p, vt);",
                         "8: 'p' has no value here: index the result with it ('NAME[p] = ...'), or "
                         "aggregate over it ('SUM[p](...)')"},
                    Case{"RETURN Send_count(procs, t) + SUM(1);",
                         "31: SUM has nothing to range over: its value has no free variable"},
                    Case{"RETURN SUM(a[p] WHERE t.length > 1s);",
                         "8: SUM has nothing to range over: its condition has no free variable"},
                    Case{"RETURN SUM[t](a[p]);",
                         "12: 't' is not a free variable; SUM ranges over free variables"},
                    Case{"RETURN SUM(1 WHERE vt > 3);",
                         "8: 'vt' is not bound, because the value does not depend on it; expected VALUE AT "
                         "PROBE(..., vt), or a metric of vt"},
                    Case{"RETURN COUNT(r WHERE r.name == 'x');",
                         "8: 'r' is not bound; expected WHERE r IN the regions of a parameter"},
                    Case{"RETURN SUM[vt](1 AT end(procs, vt));",
                         "25: 'procs' is several processes; 'end' is passed by a process"},
                    Case{"a[q] = 1; RETURN 1;", "1: 'a' already has a value"},
                    Case{"RETURN SUM[vt](SUM[wt](Step(UNIQUE(p), vt) * Step(UNIQUE(p), wt)));",
                         "24: 'Step(UNIQUE(p), vt) * Step(UNIQUE(p), wt...' depends on 2 virtual times; an "
                         "aggregate takes a value that depends on one"},
                    Case{"b[vt][wt] = Step(UNIQUE(p), vt) + Step(UNIQUE(p), wt); RETURN 1;",
                         "13: 'Step(UNIQUE(p), vt) + Step(UNIQUE(p), wt...' depends on 2 virtual times; at "
                         "most one is allowed"}));

INSTANTIATE_TEST_SUITE_P(
    Calls, FaultyMetric,
    testing::Values(
        Case{"RETURN SUM[vt](Step(vt));", "16: 'Step' has 2 parameters, found 1"},
        Case{"RETURN SUM[p,vt](Step(n, vt));", "13: found ','; expected ']' after the index"},
        Case{"RETURN SUM[p][vt](Step(n, vt) + a[p]);", "24: 'n' is a node; 'p' of 'Step' is a process"},
        Case{"RETURN Send_volume(t);",
             "20: found 't', which is an interval of time; expected Send_volume(OBJECTS[, PARTNERS][, "
             "REGIONS], "
             "INTERVAL)"},
        Case{"RETURN Send_volume(procs);",
             "8: found the end of the parameters; expected Send_volume(OBJECTS[, PARTNERS][, REGIONS], "
             "INTERVAL)"},
        Case{"RETURN Barrier_delay(procs, procs, t);",
             "29: found 'procs', which is several processes; expected Barrier_delay(OBJECTS[, REGIONS], "
             "INTERVAL)"},
        Case{"RETURN Compute_time(procs, NOW);",
             "28: found 'NOW', which is a point of time; expected Compute_time(PROCESSES, INTERVAL)"},
        Case{"RETURN Memory_size(procs, t);",
             "27: found 't', which is an interval of time; expected Memory_size(PROCESSES, NOW)"},
        Case{"RETURN Time(t);", "13: found 't', which is an interval of time; expected Time(NOW)"},
        Case{"RETURN Event_count(procs, \"verb == 'wirte'\", t);",
             "36: unknown value 'wirte' for 'verb'; did you mean 'write'?; known: write, read, take, "
             "discard, pull, "
             "exchange, point, region, send, receive, complete, collective, probe, manage, start, look and "
             "8 more"},
        Case{"RETURN Event_sum(procs, \"verb\", \"true\", t);", "26: 'verb' is text; expected a number"}));

struct FileCase {
  std::string_view text;
  std::string_view fault;
};

void PrintTo(const FileCase& faulty, std::ostream* out) { *out << faulty.text; }

class FaultyMetricFile : public testing::TestWithParam<FileCase> {};

TEST_P(FaultyMetricFile, IsRefusedWithItsPlaceAndTheAllowedForms) {
  MetricLibrary library;
  EXPECT_THAT(test::described(library.add(GetParam().text)), ElementsAre(GetParam().fault));
}

INSTANTIATE_TEST_SUITE_P(
    Metrics, FaultyMetricFile,
    testing::Values(
        FileCase{"", "1:1: the file has no metric; expected 'NAME(TYPE NAME, ...) { ... RETURN ...; }'"},
        FileCase{"/* M(TimePoint t) { RETURN 1; }",
                 "1:1: the comment that begins here is not closed with */"},
        FileCase{"M { RETURN 1; }", "1:3: found '{'; expected '(' after the name of the metric 'M'"},
        FileCase{"M() { RETURN 1; }", "1:3: found ')'; expected the type of a parameter"},
        FileCase{"M(TimePoint) { RETURN 1; }", "1:12: the parameter of type 'TimePoint' has no name"},
        FileCase{"M(Process p) { RETURN 1; }",
                 "1:1: the metric 'M' has no time parameter; expected one VirtualTime, "
                 "TimeInterval or TimePoint"},
        FileCase{"M(VirtualTime vt, TimePoint t) { RETURN 1; }",
                 "1:1: the metric 'M' has 2 time parameters; expected one VirtualTime, "
                 "TimeInterval or TimePoint"},
        // Uses of the faulty declaration are not further faults.
        FileCase{"M(Process p, Interval t) { RETURN Send_delay(p, t); }",
                 "1:14: unknown type 'Interval'; known: Value, Process, Thread, Node, Site, Region, "
                 "VirtualTime, TimePoint, TimeInterval"},
        FileCase{"M(Process p, VirtualTime vt) { PROBE e(Process); RETURN 1 AT e(p, vt); }",
                 "1:38: expected PROBE e(Process or Thread, VirtualTime), and up to 8 more of type Value"},
        FileCase{"M(Thread th, VirtualTime vt) { PROBE e(Thread); RETURN 1 AT e(th, vt); }",
                 "1:38: expected PROBE e(Process or Thread, VirtualTime), and up to 8 more of type Value"},
        FileCase{"M(Process p, VirtualTime vt) { PROBE e(Interval, VirtualTime); RETURN 1 AT e(p, vt); }",
                 "1:40: unknown type 'Interval'; known: Value, Process, Thread, Node, Site, Region, "
                 "VirtualTime, TimePoint, TimeInterval"},
        FileCase{
            "M(Value v, TimePoint t) { RETURN 1; }",
            "1:3: a Value cannot be a parameter; expected Process, Thread, Node, Site, Region or a time"},
        FileCase{"M(TimePoint t): Unit(s) { RETURN 1s; }", "1:22: found 's'; expected the unit in quotes"},
        FileCase{"M(TimePoint t): Unit(\"B\") { RETURN 1s; }",
                 "1:22: the metric returns a value in s, which cannot be written in 'B'"},
        FileCase{"M(TimePoint t) { RETURN 1; ",
                 "1:28: found the end of the file; expected '}' at the end of the "
                 "metric 'M'"},
        FileCase{"M(TimePoint t) { RETURN 1;\nN(TimePoint t) { RETURN 1; }",
                 "2:1: found 'N'; expected '}' at the end of the metric 'M'"},
        FileCase{"Time(TimePoint t) { RETURN 1; }", "1:1: 'Time' is a built-in metric; choose another name"},
        FileCase{"M(TimePoint t) { RETURN 1; }\nM(TimePoint t) { RETURN 1; }",
                 "2:1: the metric 'M' is already defined"},
        FileCase{"M(TimePoint t) { RETURN N(t); }\nN(TimePoint t) { RETURN M(t); }",
                 "1:25: the metric 'N' is defined after this; metrics are defined before they are used"},
        FileCase{"M(VirtualTime vt) { RETURN 1; }",
                 "1:28: '1' does not depend on a probe, but the metric has a VirtualTime; expected VALUE AT "
                 "PROBE(..., vt)"},
        FileCase{"M(TimePoint t) { PROBE e(Process, VirtualTime); VirtualTime vt; Value[] a; Process[] p; "
                 "a[vt] = 1 "
                 "AT e(q, vt); RETURN 1; }",
                 "1:104: unknown variable 'q'; known: a, p, t, vt"}));

}  // namespace
}  // namespace eventspace::metrics
