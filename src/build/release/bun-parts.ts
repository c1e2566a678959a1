import type { Part } from './part'

const several = 'Several licences, see https://bun.com/docs/project/licensing'

/** The parts of Bun, as in `process.versions`, with their licences; null for an entry that is not a part. */
const licences: Record<string, { name: string; licence: string } | null> = {
  boringssl: { name: 'BoringSSL', licence: several },
  libarchive: { name: 'libarchive', licence: several },
  mimalloc: { name: 'mimalloc', licence: 'MIT' },
  picohttpparser: { name: 'picohttpparser', licence: 'MIT' },
  uwebsockets: { name: 'uWebSockets', licence: 'Apache-2.0' },
  usockets: { name: 'uSockets', licence: 'Apache-2.0' },
  webkit: { name: 'WebKit (JavaScriptCore)', licence: 'LGPL-2.1-or-later' },
  zlib: { name: 'zlib', licence: 'Zlib' },
  tinycc: { name: 'TinyCC', licence: 'LGPL-2.1-or-later' },
  lolhtml: { name: 'LOL HTML', licence: 'BSD-3-Clause' },
  ares: { name: 'c-ares', licence: 'MIT' },
  libdeflate: { name: 'libdeflate', licence: 'MIT' },
  lshpack: { name: 'ls-hpack', licence: 'MIT' },
  llhttp: { name: 'llhttp', licence: 'MIT' },
  zstd: { name: 'zstd', licence: 'BSD-3-Clause' },
  sqlite: { name: 'SQLite', licence: 'blessing' },
  icu: { name: 'ICU', licence: 'Unicode-3.0' },
  // Bun's interfaces, Bun itself, and the tools that built it.
  ...Object.fromEntries(
    ['bun', 'modules', 'napi', 'node', 'openssl', 'typescript', 'unicode', 'uv', 'v8', 'zig'].map((key) => [key, null]),
  ),
}

/** On macOS Bun uses the system's ICU. */
export const bunParts = (os: string): Part[] =>
  Object.entries(process.versions)
    .filter(([key]) => key !== 'icu' || os === 'linux')
    .flatMap(([key, version]) => {
      const known = licences[key]
      if (known === undefined) throw new Error(`Bun ${Bun.version} has a part "${key}", and its licence is not known here.`)
      return known && version ? [{ ...known, version }] : []
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
