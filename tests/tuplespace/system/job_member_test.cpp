#include "tuplespace/system/job_member.h"

#include <gtest/gtest.h>

namespace eventspace {
namespace {

TEST(JobMemberTest, ItsTextIsParsedToTheSameMember) {
  for (const JobMember member :
       {JobMember{1, 0}, JobMember{2, 13}, JobMember{0xffff, JobMember::max_ranks - 1}})
    EXPECT_EQ(JobMember::parse(member.text()), member) << member.text();
}

TEST(JobMemberTest, OtherTextsAreRefused) {
  for (const char* const text :
       {"", "3", ":3", "1:", "1:x", "x:3", "0:3", "2:1048576", "99999999999:1", "2:1:3", "-1:3"})
    EXPECT_FALSE(JobMember::parse(text)) << text;
}

TEST(JobMemberTest, OnlyProcessesOfTheFirstJobHaveARankInIt) {
  EXPECT_EQ((JobMember{first_job, 13}.first_job_rank()), 13U);
  EXPECT_FALSE((JobMember{first_job + 1, 13}.first_job_rank()));
}

}  // namespace
}  // namespace eventspace
