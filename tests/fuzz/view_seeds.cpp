#include "tests/fuzz/fuzz.h"
#include "tests/scopes/pulls/view_talk.h"

std::vector<std::string> eventspace::fuzz::seeds() {
  std::vector<std::string> seeds{text_of(test::body_of(test::full_view()))};
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big})
    seeds.push_back(text_of(test::parsed(test::part_of(1, test::part_pieces(), order)).body));
  return seeds;
}
