#pragma once

#include <tinyxml2.h>

#include <functional>
#include <string>

namespace amontons::io {

/// Name of the model into which join_models() puts the models of a world that joints connect.
inline constexpr const char* kJoinedModels = "amontons_joined";

/// Puts the models of a world that its joints connect into one model, with these joints. A joint of
/// a world is newer than libsdformat 12, which resolves it as one between nested models.
/// @param world         checked, with the original of each element as user data.
/// @param name_of_file  returns the name of the model in an included file, by its path.
void join_models(tinyxml2::XMLElement& world,
                 const std::function<std::string(const std::string&)>& name_of_file);

}  // namespace amontons::io
