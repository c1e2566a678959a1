/**
 * The part of Emscripten's module that we use. The package's own entry would look for the WASM file next to itself, but
 * the executable has no file there.
 */
declare module 'libpg-query/wasm/libpg-query.js' {
  export type PgQuery = {
    lengthBytesUTF8: (text: string) => number
    stringToUTF8: (text: string, pointer: number, most: number) => void
    UTF8ToString: (pointer: number) => string
    getValue: (pointer: number, type: 'i32') => number
    _malloc: (bytes: number) => number
    _free: (pointer: number) => void
    /**
     * @returns a pointer to { char *tree, char *stderr, struct { char *message, *function, *file; int line, position; …
     * } *error }
     */
    _wasm_parse_query_raw: (query: number) => number
    _wasm_free_parse_result: (result: number) => void
  }
  export default function load(options: { locateFile: () => string }): Promise<PgQuery>
}

declare module 'libpg-query/wasm/libpg-query.wasm' {
  const path: string
  export default path
}
