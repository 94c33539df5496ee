# Turns a file into C++; run it as
#   cmake -DINPUT=<file> -DOUTPUT=<file.cc> -DSYMBOL=<name> -P EmbedFile.cmake
# and defines  namespace amontons::embedded { extern const unsigned char SYMBOL[]; extern const
# std::size_t SYMBOL_size; }.  An array, since ISO C++ does not promise string literals this long.
file(READ ${INPUT} bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "#include <cstddef>
namespace amontons::embedded {
extern const unsigned char ${SYMBOL}[];
extern const std::size_t ${SYMBOL}_size;
const unsigned char ${SYMBOL}[] = {${bytes}};
const std::size_t ${SYMBOL}_size = ${size};
}  // namespace amontons::embedded
")
