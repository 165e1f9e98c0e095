#include "monitors/probing/analysis_cache/analysis_cache.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/monitors/probing/small_module.h"
#include "tests/tuplespace/variable.h"

#ifdef EVENTSPACE_HAS_ZYDIS

// The analysis cache: results of decoding modules, kept between commands.

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using testing::SizeIs;
using testing_probing::SmallElf;

EntryAnalysis full_analysis() {
  EntryAnalysis analysis;
  analysis.branches = {{0, 7, false}, {0x1000, 0x1001, true}, {0x1000, 0x900, false}, {UINT64_MAX, 1, true}};
  analysis.table_targets = {1, 1, 0x7fffffffffff};
  analysis.refused = {{5, EntryRefusal::data}, {UINT64_MAX, EntryRefusal::unknown_jump}};
  return analysis;
}

const AnalysisKey module_a{"a1", 0x123456789abcdef0};

TEST(CacheFormat, IsReadAsItWasWritten) {
  const std::vector<std::byte> bytes = to_bytes(module_a, full_analysis());
  EXPECT_LT(bytes.size(), 100U);
  EXPECT_EQ(analysis_in(bytes, module_a), full_analysis());
  EXPECT_EQ(analysis_in(to_bytes(module_a, {}), module_a), EntryAnalysis());
  EXPECT_FALSE(analysis_in(bytes, {"a2", module_a.fingerprint}));
  EXPECT_FALSE(analysis_in(bytes, {"a1", 1}));
}

TEST(CacheFormat, OfAnotherVersionOfTheDecoderIsNotRead) {
  std::vector<std::byte> bytes = to_bytes(module_a, full_analysis());
  const std::size_t decoding = head_bytes - 2 * sizeof(std::uint64_t);  // offset of the checksum
  ASSERT_TRUE(analysis_in(bytes, module_a));
  bytes[decoding] ^= std::byte(1);
  EXPECT_FALSE(analysis_in(bytes, module_a));
}

TEST(CacheFormat, AnyChangeOfItsBytesIsFound) {
  const std::vector<std::byte> bytes = to_bytes(module_a, full_analysis());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(analysis_in(Bytes(bytes).first(size), module_a)) << size;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<std::byte> changed = bytes;
      changed[at] ^= std::byte(1 << bit);
      EXPECT_FALSE(analysis_in(changed, module_a)) << at;
    }
}

/// A file with a program, its module, and an empty directory for the cache.
class AnalysisCacheOfModule : public testing::Test {
 protected:
  AnalysisCacheOfModule() {
    fs::create_directory(folder_);
    fs::create_directory(kept_);
    fs::permissions(kept_, fs::perms::owner_all);
    write(testing_probing::simple);
  }
  ~AnalysisCacheOfModule() override { fs::remove_all(folder_); }

  void write(const std::string& code, const std::string& id = "id") {
    SmallElf elf;
    elf.function("f0", SmallElf::code_at, code.size()).code(code).note("GNU", 3, id);
    std::ofstream(program_, std::ios::binary) << elf.text();
    fs::permissions(program_, fs::perms::owner_all);
  }
  /// Whether its function can have a probe, checked as by a command.
  [[nodiscard]] EntryRefusal look(const AnalysisCache& cache) const {
    const ModuleSymbols module = read_module(program_);
    return cache.check_of(module).refusal_of(module.functions.at(0));
  }
  [[nodiscard]] std::vector<fs::path> files() const {
    return {fs::directory_iterator(kept_), fs::directory_iterator()};
  }
  /// Writes into the cached result that the function contains data: this distinguishes reading it from
  /// decoding.
  void mark() const {
    const ModuleSymbols module = read_module(program_);
    EntryAnalysis analysis;
    analysis.refused[module.functions.at(0).address] = EntryRefusal::data;
    replace(to_bytes({module.build_id, fingerprint_of(module)}, analysis));
  }
  void replace(const std::vector<std::byte>& bytes) const {
    std::ofstream(files().at(0), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }

  const fs::path folder_ = fs::temp_directory_path() / ("eventspace-analysis-" + std::to_string(::getpid()));
  const fs::path program_ = folder_ / "program";
  const fs::path kept_ = folder_ / "kept";
  const AnalysisCache cache_{kept_};
};

TEST_F(AnalysisCacheOfModule, ReadsCachedResults) {
  EXPECT_EQ(look(cache_), EntryRefusal::none);
  ASSERT_THAT(files(), SizeIs(1));
  EXPECT_EQ(files()[0].filename(), "6964.findings") << "by its build-id";
  EXPECT_EQ(fs::status(files()[0]).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(look(cache_), EntryRefusal::none);
  mark();
  EXPECT_EQ(look(cache_), EntryRefusal::data) << "it is not decoded again";
}

TEST_F(AnalysisCacheOfModule, DecodesAgainIfAFileIsDamagedStaleOrOpenToOthers) {
  EXPECT_EQ(look(cache_), EntryRefusal::none);
  mark();
  write(testing_probing::simple + "\x90");  // another program with the same build-id
  EXPECT_EQ(look(cache_), EntryRefusal::none);
  mark();
  EXPECT_EQ(look(cache_), EntryRefusal::data) << "it was written anew";
  replace({std::byte{1}});
  EXPECT_EQ(look(cache_), EntryRefusal::none);
  mark();
  fs::permissions(files()[0], fs::perms::group_read, fs::perm_options::add);
  EXPECT_EQ(look(cache_), EntryRefusal::none);
  mark();
  const fs::path elsewhere = folder_ / "elsewhere";
  fs::rename(files()[0], elsewhere);
  fs::create_symlink(elsewhere, kept_ / "6964.findings");
  EXPECT_EQ(look(cache_), EntryRefusal::none) << "links are not followed";
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(kept_ / "6964.findings"))) << "it took the link's place";
}

TEST_F(AnalysisCacheOfModule, KeepsNothingWithoutABuildIdOrOfFilesThatOthersMayChange) {
  fs::permissions(program_, fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(look(cache_), EntryRefusal::none);
  EXPECT_THAT(files(), IsEmpty());
  write(testing_probing::simple, "");
  EXPECT_EQ(look(cache_), EntryRefusal::none);
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_EQ(look(AnalysisCache(std::nullopt)), EntryRefusal::none);
  EXPECT_EQ(look(AnalysisCache(folder_ / "nowhere")), EntryRefusal::none);
  EXPECT_FALSE(fs::exists(folder_ / "nowhere"));
}

TEST_F(AnalysisCacheOfModule, TrustsAFileAsItWasWhenItWasRead) {
  fs::permissions(program_, fs::perms::others_write, fs::perm_options::add);
  const ModuleSymbols open_to_others = read_module(program_);
  fs::permissions(program_, fs::perms::owner_all);
  const ModuleSymbols own = read_module(program_);
  fs::remove(program_);
  EXPECT_FALSE(open_to_others.is_trusted);
  EXPECT_TRUE(own.is_trusted);
  (void)cache_.check_of(open_to_others);
  EXPECT_THAT(files(), IsEmpty());
  (void)cache_.check_of(own);
  EXPECT_THAT(files(), SizeIs(1));
}

TEST_F(AnalysisCacheOfModule, LeavesNothingInADirectoryOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make one";
  const fs::path home = folder_ / "home";
  fs::create_directory(home);
  ASSERT_EQ(::chown(home.c_str(), 65534, 65534), 0);
  const test::Variable caches("XDG_CACHE_HOME", (home / ".cache").string());
  EXPECT_EQ(look(AnalysisCache::of_user()), EntryRefusal::none);
  EXPECT_FALSE(fs::exists(home / ".cache"));
  fs::create_directory(home / ".cache");
  ASSERT_EQ(::chown((home / ".cache").c_str(), 65534, 65534), 0);
  EXPECT_EQ(look(AnalysisCache::of_user()), EntryRefusal::none);
  EXPECT_TRUE(fs::is_empty(home / ".cache"));
}

TEST_F(AnalysisCacheOfModule, RemovesTheLeastRecentlyUsedFiles) {
  (void)look(cache_);
  const std::uint64_t bytes = fs::file_size(files()[0]);
  const AnalysisCache small(kept_, 2 * bytes + bytes / 2);
  const auto age = [&](const char* name, int hours) {
    fs::last_write_time(kept_ / name, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  write(testing_probing::simple, "ie");
  (void)look(small);
  age("6964.findings", 2);
  age("6965.findings", 1);
  write(testing_probing::simple, "id");
  (void)look(small);  // now it is the most recently used
  write(testing_probing::simple, "if");
  (void)look(small);
  std::vector<std::string> names;
  for (const fs::path& file : files()) names.push_back(file.filename());
  EXPECT_THAT(names, testing::UnorderedElementsAre("6964.findings", "6966.findings"));
  const AnalysisCache none(kept_, 1);
  write(testing_probing::simple, "ig");
  (void)look(none);
  EXPECT_THAT(files(), SizeIs(2)) << "what is larger than the limit is not written";
}

TEST_F(AnalysisCacheOfModule, OfTheUserIsInTheDirectoryForCaches) {
  const test::Variable caches("XDG_CACHE_HOME", (folder_ / "caches").string());
  EXPECT_EQ(look(AnalysisCache::of_user()), EntryRefusal::none);
  EXPECT_TRUE(fs::exists(folder_ / "caches" / "eventspace" / "6964.findings"));
  EXPECT_EQ(fs::status(folder_ / "caches" / "eventspace").permissions(), fs::perms::owner_all);
  fs::permissions(folder_ / "caches" / "eventspace", fs::perms::others_read, fs::perm_options::add);
  fs::remove(folder_ / "caches" / "eventspace" / "6964.findings");
  EXPECT_EQ(look(AnalysisCache::of_user()), EntryRefusal::none);
  EXPECT_TRUE(fs::is_empty(folder_ / "caches" / "eventspace")) << "it is open to others";
  const test::Variable none("XDG_CACHE_HOME", "/dev/null");
  EXPECT_EQ(look(AnalysisCache::of_user()), EntryRefusal::none);
}

}  // namespace
}  // namespace eventspace

#endif
