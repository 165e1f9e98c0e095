#include "pathmaps/jobs/job_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <eventspace/error.h>
#include "tests/error_text.h"

namespace eventspace {
namespace {

using testing::HasSubstr;

JobNode some_node() {
  JobNode node;
  node.session = "solver";
  node.node = "alpha";
  node.machine = "0123456789abcdef";
  node.pid = 4711;
  node.ranks = 8;
  node.ranks_of_job = 64;
  node.port = 40211;
  node.addresses = {"10.0.0.1", "192.168.7.8"};
  return node;
}

std::string refusal_of(const std::string& text) {
  return test::error_text<ConfigurationError>([&] { (void)parse_job_node(text, "node-003"); }, "accepted");
}

std::string with(const std::string& line, const std::string& instead) {
  std::string text = to_text(some_node());
  const std::size_t at = text.find(line);
  return text.replace(at, line.size(), instead);
}

TEST(JobNode, IsReadAsItWasWritten) {
  EXPECT_EQ(parse_job_node(to_text(some_node()), "node-003"), some_node());
  JobNode not_told = some_node();
  not_told.ranks = not_told.ranks_of_job = 0;
  EXPECT_EQ(parse_job_node(to_text(not_told), "node-003"), not_told);
  JobNode failed = some_node();
  failed.port = 0;
  failed.addresses.clear();
  failed.failure = "cannot find a free port";
  EXPECT_EQ(parse_job_node(to_text(failed), "node-003"), failed);
}

TEST(JobNode, OfWhichAnyPartIsMissingIsRefused) {
  const std::string whole = to_text(some_node());
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_THAT(refusal_of(whole.substr(0, bytes)),
                HasSubstr("node-003 is not a file that a machine of a job writes"))
        << bytes;
}

TEST(JobNode, WithAFaultIsRefusedWithTheFault) {
  EXPECT_THAT(refusal_of(with("node 1", "node 2")), HasSubstr("first line is not 'eventspace-job-node 1'"));
  EXPECT_THAT(refusal_of(with("40211", "70000")), HasSubstr("'port' is '70000'; expected 1 to 65535"));
  EXPECT_THAT(refusal_of(with("40211", "-1")), HasSubstr("'port' is '-1'"));
  EXPECT_THAT(refusal_of(with("4711", "0")), HasSubstr("'pid' is '0'"));
  EXPECT_THAT(refusal_of(with("of 64\n", "")), HasSubstr("line 'of' is missing"));
  EXPECT_THAT(refusal_of(with("10.0.0.1", "10.0.0.x")), HasSubstr("'10.0.0.x' is not an IPv4 address"));
  EXPECT_THAT(refusal_of(with("10.0.0.1", "2001:db8::1")), HasSubstr("not an IPv4 address"));
  EXPECT_THAT(refusal_of(with("alpha", "\x1b[2J")), HasSubstr("without control characters"));
  EXPECT_THAT(refusal_of(with("solver", "a/b")), HasSubstr("'/'"));
  EXPECT_THAT(refusal_of(with("0123456789abcdef", "0123456789ABCDEF")), HasSubstr("16 hexadecimal digits"));
  EXPECT_THAT(refusal_of(with("end\n", "end\nmore\n")), HasSubstr("'end'"));
  EXPECT_THAT(refusal_of(with("port 40211\n", "")), HasSubstr("line 'port' is missing"));
}

TEST(JobNode, WithTooManyAddressesIsRefused) {
  JobNode node = some_node();
  node.addresses.assign(max_job_addresses, "10.0.0.1");
  EXPECT_EQ(refusal_of(to_text(node)), "accepted");
  node.addresses.emplace_back("10.0.0.2");
  EXPECT_THAT(refusal_of(to_text(node)), HasSubstr("more than 16 addresses"));
}

}  // namespace
}  // namespace eventspace
