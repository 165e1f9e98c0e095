#pragma once

// The fields of an order to list functions, and of its answer.

#include "monitors/probing/groups/group_layout.h"
#include "monitors/probing/listing/listing_order.h"
#include "paths/wire/fields.h"

namespace eventspace::wire {

template <>
struct Layout<FunctionChoice>
    : Array<FunctionChoice, Field<&FunctionChoice::pattern>, Field<&FunctionChoice::callers_of>,
            Field<&FunctionChoice::can_be_probed_only>> {};

template <>
struct Layout<ModuleClass>
    : Array<ModuleClass, Field<&ModuleClass::key>, Field<&ModuleClass::path>, Field<&ModuleClass::processes>,
            Field<&ModuleClass::machine>, Field<&ModuleClass::pid>> {};

template <>
struct Layout<ListingOrder>
    : Array<ListingOrder, Field<&ListingOrder::step, OneOf<ListingStep::classify, ListingStep::read_apart>>,
            Field<&ListingOrder::choice>, Field<&ListingOrder::groups, GroupsByName>,
            Field<&ListingOrder::modules>,
            Field<&ListingOrder::listing, OneOf<Listing::functions, Listing::user_probes>>,
            Field<&ListingOrder::functions>,
            Field<&ListingOrder::classes, List<Structure, ListedModules::max_classes>>> {};

template <>
struct Layout<ListedRow> : Array<ListedRow, Field<&ListedRow::numbers, List<Integer, ListedRow::max_numbers>>,
                                 Field<&ListedRow::texts, List<Text<>, ListedRow::max_texts>>> {
  // A row of nothing would take much more memory than bytes of a message.
  static void check(const ListedRow& row) {
    if (row.numbers.empty() || row.texts.empty()) throw BodyError();
  }
};

template <>
struct Layout<ListedRows>
    : Array<ListedRows, Field<&ListedRows::rows, List<Structure, ListedModules::max_rows>>,
            Field<&ListedRows::looked_at>> {};

template <>
struct Layout<ListedClass> : Array<ListedClass, Field<&ListedClass::module>, Field<&ListedClass::listed>> {};

template <>
struct Layout<ListedModules>
    : Array<ListedModules, Field<&ListedModules::processes>, Field<&ListedModules::done>,
            Field<&ListedModules::left_out>, Field<&ListedModules::refusals, RefusalsByReason>,
            Field<&ListedModules::classes, List<Structure, ListedModules::max_classes>>,
            Field<&ListedModules::keeps_apart>> {};

}  // namespace eventspace::wire
