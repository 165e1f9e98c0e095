// The parts of a report: hashes, compression, the bundle of modules, and the tree of tiles.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <zlib.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include <eventspace/error.h>
#include "monitors/web/http/asset.h"
#include "monitors/web/report/packed.h"
#include "monitors/web/report/page_file.h"
#include "monitors/web/report/report_parts.h"
#include "monitors/web/report/report_totals.h"
#include "monitors/web/report/sha256.h"
#include "monitors/web/report/tile_tree.h"
#include "tests/monitors/web/timeline/random_timeline.h"

namespace eventspace::web {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::string hex_of(std::string_view text) {
  std::string hex;
  for (const std::uint8_t byte : sha256(text)) hex += fmt::format("{:02x}", byte);
  return hex;
}

// The examples of FIPS 180-4, and texts around the length of a block.
TEST(ReportPacking, HashesAreThoseOfTheStandard) {
  EXPECT_EQ(hex_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(ReportPacking, Base64IsThatOfTheStandard) {
  const auto of = [](std::string_view text) {
    return base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(of("\xff\xfe\xfd"), "//79");
}

std::vector<std::uint8_t> bytes_of_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  std::uint32_t held = 0;
  int bits = 0;
  for (const char letter : text.substr(0, text.find('='))) {
    held = held << 6 | static_cast<std::uint32_t>(digits.find(letter));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<std::uint8_t>(held >> bits));
  }
  return bytes;
}

std::string unpacked(const std::string& text) {
  const auto bytes = bytes_of_base64(text);
  std::string result(64u << 20, '\0');
  uLongf size = result.size();
  EXPECT_EQ(::uncompress(reinterpret_cast<Bytef*>(result.data()), &size, bytes.data(), bytes.size()), Z_OK);
  result.resize(size);
  return result;
}

TEST(ReportTotals, LinesBeyondTheBoundAreLeftOutAndCounted) {
  const std::string lines = "{\"a\":1}\n{\"b\":1}\n{\"b\":2}\n";
  EXPECT_EQ(first_lines(lines, 3), lines);
  EXPECT_EQ(first_lines(lines, 1), "{\"a\":1}\n{\"kind\":\"left_out\",\"count\":2}\n");
  EXPECT_EQ(first_lines("", 1), "");
}

TEST(ReportParts, EachKindOfChosenPartsGetsHalfOfTheRoomAndTheRestIsCounted) {
  ReportParts parts{.members = "\"about\":{}",
                    .chosen = {{"part/calls_of/0", std::string(300, 'A')},
                               {"part/calls_of/1", std::string(300, 'A')},
                               {"part/flows/1", std::string(500, 'A')},
                               {"part/flows/2", std::string(1, 'A')}}};
  ReportParts small = parts;
  EXPECT_EQ(leave_out(parts, 1202), 0u);
  EXPECT_EQ(parts.chosen.size(), 4u);
  EXPECT_EQ(json::parse("{" + parts.members + "}"),
            json::parse(R"({"about": {}, "left_out": {"calls_of": 0, "flows": 0}})"));
  EXPECT_EQ(leave_out(small, 1000), 2u);  // 600 and 501 do not fit into 500
  ASSERT_EQ(small.chosen.size(), 2u);
  EXPECT_EQ(small.chosen[0].id, "part/calls_of/0");
  EXPECT_EQ(small.chosen[1].id, "part/flows/1");
  EXPECT_EQ(json::parse("{" + small.members + "}")["left_out"],
            json::parse(R"({"calls_of": 1, "flows": 1})"));
}

TEST(ReportPacking, PackedTextsAreUnpackedByTheStandardLibrary) {
  const std::string text = "{\"a\":[" + std::string(10'000, '1') + "]}";
  EXPECT_LT(packed(text).size(), 200u);
  EXPECT_EQ(unpacked(packed(text)), text);
}

std::map<std::string, std::string, std::less<>> modules;
std::string_view read_module(std::string_view name) { return modules.at(std::string(name)); }

TEST(ReportBundle, ModulesComeAfterThoseThatTheyImport) {
  modules = {
      {"app.js", "import { f } from \"./deep/b.js\";\nimport * as all from \"./a.js\";\nf(all);\n"},
      {"a.js", "export const one = 1;\nexport class Two {}\n"},
      {"deep/b.js",
       "import { one, Two } from \"../a.js\";\nexport function f() {}\nexport async function g() {}\n"}};
  const std::string script = bundled("app.js", &read_module);
  EXPECT_LT(script.find("modules[\"a.js\"] ="), script.find("modules[\"deep/b.js\"] ="));
  EXPECT_LT(script.find("modules[\"deep/b.js\"] ="), script.find("modules[\"app.js\"] ="));
  EXPECT_THAT(script, HasSubstr("const { one, Two } = modules[\"a.js\"];"));
  EXPECT_THAT(script, HasSubstr("const all = modules[\"a.js\"];"));
  EXPECT_THAT(script, HasSubstr("return { f, g };"));
  EXPECT_THAT(script, Not(HasSubstr("import ")));
  EXPECT_THAT(script, Not(HasSubstr("export ")));
}

TEST(ReportBundle, OtherFormsAndCirclesAreRefused) {
  for (const char* line : {"export default 1;\n", "import { a as b } from \"./a.js\";\n",
                           "import \"./a.js\";\n", "export { a };\n"}) {
    modules = {{"app.js", line}, {"a.js", "export const a = 1;\n"}};
    EXPECT_THROW(static_cast<void>(bundled("app.js", &read_module)), ConfigurationError) << line;
  }
  modules = {{"app.js", "import { a } from \"./a.js\";\n"}, {"a.js", "import { b } from \"./app.js\";\n"}};
  EXPECT_THROW(static_cast<void>(bundled("app.js", &read_module)), ConfigurationError);
}

TEST(ReportFile, HasNoAddressOfAServerAndNamesAreText) {
  const std::string page = page_file("</title><script>alert(1)</script>&\"", {{"tile/0/0/0", "QUJD"}});
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, HasSubstr("&#60;script&#62;alert(1)"));
  EXPECT_THAT(page, Not(HasSubstr("/assets/")));
  EXPECT_THAT(page, HasSubstr("<script type=\"text/plain\" id=\"tile/0/0/0\">QUJD</script>"));
  // The policy has the hashes of the two scripts that run, and of the style.
  std::set<std::string> hashes;
  for (std::size_t at = page.find("'sha256-"); at != std::string::npos; at = page.find("'sha256-", at + 1))
    hashes.insert(page.substr(at + 8, 44));
  EXPECT_EQ(hashes.size(), 3u);
  for (const std::string_view tag : {"<script>", "<style>"}) {
    for (std::size_t at = page.find(tag); at != std::string::npos; at = page.find(tag, at + 1)) {
      const std::size_t begin = at + tag.size();
      const std::size_t end = page.find(tag == "<style>" ? "</style>" : "</script>", begin);
      const std::string_view content = std::string_view(page).substr(begin, end - begin);
      EXPECT_TRUE(hashes.contains(base64(sha256(content)))) << content.substr(0, 40);
    }
  }
}

/// The tiles of a tree by id, unpacked.
std::map<std::string, json> tiles_of(const TileTree& tree) {
  std::map<std::string, json> tiles;
  for (const DataBlock& block : tree.tiles) tiles[block.id] = json::parse(unpacked(block.text));
  return tiles;
}

TEST(ReportTiles, EachOperationIsInATileThatHasAll) {
  OperationStore store(0, 10'000'000);
  std::set<std::int64_t> begins;
  for (std::uint32_t row = 0; row < 20; ++row) {
    store.add_row({});
    for (std::int64_t i = 0; i < 1500; ++i) {
      const std::int64_t begin = i * 6'000 + row;
      store.add(row, {.begin = begin,
                      .end = begin + 4'000,
                      .place = {static_cast<std::uint64_t>(i + 1), row, 0},
                      .name = store.name_number("x")});
      begins.insert(begin);
    }
  }
  store.finish();
  const TileTree tree = tile_tree(store, 10u << 20);
  EXPECT_EQ(tree.finest_ns, 0);
  EXPECT_GT(tree.deepest, 0u);
  std::set<std::int64_t> found;
  for (const auto& [id, tile] : tiles_of(tree)) {
    if (tile["exact"] == 0) continue;
    std::size_t at = 0;
    for (const auto& count : tile["counts"]) {
      std::int64_t begin = tile["from"];
      for (std::size_t i = 0; i < count; ++i) found.insert(begin += tile["begin"][at++].get<std::int64_t>());
    }
  }
  EXPECT_EQ(found, begins);
}

TEST(ReportTiles, ASmallLimitLeavesOutTheFinestLevelsAndSaysSo) {
  OperationStore store(0, 100'000'000);
  store.add_row({});
  for (std::int64_t i = 0; i < 40'000; ++i) {
    const std::int64_t begin = i * 2'400 + i * 7919 % 400;
    store.add(0, {.begin = begin, .end = begin + 1'000, .name = store.name_number("x")});
  }
  store.finish();
  const TileTree whole = tile_tree(store, 10u << 20);
  ASSERT_EQ(whole.finest_ns, 0);
  const std::size_t limit = whole.bytes / 4;
  const TileTree part = tile_tree(store, limit);
  EXPECT_GT(part.finest_ns, 0);
  EXPECT_LE(part.bytes, limit);
  EXPECT_LT(part.deepest, whole.deepest);
  EXPECT_FALSE(part.tiles.empty());
  EXPECT_FALSE(tile_tree(store, 0).tiles.empty());  // there is always something to see
}

}  // namespace
}  // namespace eventspace::web
