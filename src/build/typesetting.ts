import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { packTar } from './tar'

const wasm = '@myriaddreamin/typst-ts-web-compiler/pkg/typst_ts_web_compiler_bg.wasm'
const fonts = ['400Regular', '400Regular_Italic', '700Bold', '700Bold_Italic'].map(
  (style) => `@expo-google-fonts/noto-sans/${style}/NotoSans_${style}.ttf`,
)
const licence = '@expo-google-fonts/noto-sans/LICENSE_FONT'

/**
 * Packs Typst and the fonts of documents into `.build/typesetting.tar.zst`. Done once per version: level 19 takes half
 * a minute.
 */
export async function packTypesetting(root: string) {
  const files = [wasm, ...fonts].map((path) => join(root, 'node_modules', path))
  const state = [wasm, licence]
    .map((path) => `${path} ${versionOf(root, path)}`)
    .join('\n')
    .concat('\nsorted')
  const stamp = join(root, '.build/typesetting.stamp')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return
  mkdirSync(join(root, '.build'), { recursive: true })
  const contents = files.map((file) => ({ name: basename(file), bytes: readFileSync(file) }))
  const archive = await Bun.zstdCompress(await packTar(contents), { level: 19 })
  writeFileSync(join(root, '.build/typesetting.tar.zst'), archive)
  writeFileSync(stamp, state)
}

const versionOf = (root: string, path: string): string => {
  const name = path.split('/').slice(0, 2).join('/')
  return (JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as { version: string }).version
}
