import type { BunPlugin } from 'bun'

/**
 * How `@electric-sql/pglite-tools` finds its WebAssembly: beside its own file, which does not exist in an executable.
 */
const address = 'new URL("pg_dump.wasm",import.meta.url).href'

/** Packs pg_dump into the executable. */
export const pgDumpPlugin: BunPlugin = {
  name: 'pg_dump',
  setup: (build) => {
    build.onLoad({ filter: /pglite-tools\/dist\/chunk-\w+\.js$/ }, async ({ path }) => {
      const text = await Bun.file(path).text()
      if (!text.includes(address)) throw new Error(`${path} finds its WebAssembly by other means than ${address}.`)
      const contents = `import pgDumpFile from './pg_dump.wasm' with { type: 'file' };\n${text.replace(address, 'pgDumpFile')}`
      return { contents, loader: 'js' }
    })
  },
}
