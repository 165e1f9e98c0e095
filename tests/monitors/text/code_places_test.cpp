#include "monitors/text/code_places.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include <filesystem>

namespace eventspace {
namespace {

using testing::HasSubstr;

// The recorded form: the module and the address in its file.
std::string place_of(const void* address) {
  Dl_info info{};
  struct ::link_map* module = nullptr;
  EXPECT_NE(::dladdr1(address, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP), 0);
  const auto at = reinterpret_cast<std::uintptr_t>(address) - module->l_addr;
  std::string file = module->l_name;
  if (file.empty()) file = std::filesystem::read_symlink("/proc/self/exe").string();
  return fmt::format("{}+{:#x}", file, at);
}

#ifdef EVENTSPACE_HAS_DW
TEST(CodePlaces, AFunctionOfALibraryHasItsName) {
  CodePlaces places;
  const std::string place = place_of(::dlsym(RTLD_DEFAULT, "getaddrinfo"));
  EXPECT_THAT(places.describe(place), HasSubstr("getaddrinfo"));
  EXPECT_EQ(places.describe(place), places.describe(place));
}

TEST(CodePlaces, AFunctionOfTheProgramHasItsName) {
  CodePlaces places;
  const auto function = static_cast<CodePlaces& (*)()>(&CodePlaces::instance);
  EXPECT_THAT(places.describe(place_of(reinterpret_cast<const void*>(function))), HasSubstr("instance"));
}
#endif

TEST(CodePlaces, UnknownAddressesStayUnchanged) {
  CodePlaces places;
  for (const char* const text :
       {"", "+0x", "+0x10", "x", "/nowhere/app+0x10", "/dev/zero+0x10", "/etc/passwd+0x10",
        "/proc/self/exe+0xffffffffffffffff", "/proc/self/exe+0xg", "app+16"})
    EXPECT_EQ(places.describe(text), text);
}

}  // namespace
}  // namespace eventspace
