import initialise, {
  get_font_info,
  type TypstCompiler,
  TypstCompilerBuilder,
  type TypstFontResolver,
  TypstFontResolverBuilder,
} from '@myriaddreamin/typst-ts-web-compiler'
import archive from '../../../.build/typesetting.tar.zst' with { type: 'file' }
import { type Job, pictureExtension, placePictures, type RenderedDocument, type TemplateFiles } from './job'
import { byScript, type Coverage, createCoverage, type MissingCharacters, uncoveredIn } from './missing-characters'

const isFont = (path: string) => /\.(ttf|otf|ttc)$/i.test(path)

/** The path of the data's images for the template. */
const pictureAt = (number: number, type: string) => `/data/${number}.${pictureExtension(type)}`

type Typesetter = { compiler: TypstCompiler; fonts: Uint8Array[] }

let typesetter: Promise<Typesetter> | null = null
let fontsOf = ''
let isCovered: (character: string) => boolean = () => true

/** Typst has no file system, packages or network here: only the given files. */
async function start(): Promise<Typesetter> {
  const unpacked = await new Bun.Archive(Bun.zstdDecompressSync(await Bun.file(archive).bytes())).files()
  const bytes = async (file: Blob) => new Uint8Array(await file.arrayBuffer())
  const fonts: Uint8Array[] = []
  for (const [name, file] of unpacked) {
    if (isFont(name)) fonts.push(await bytes(file))
    else await initialise({ module_or_path: await bytes(file) })
  }
  const builder = new TypstCompilerBuilder()
  builder.set_dummy_access_model()
  for (const font of fonts) await builder.add_raw_font(font)
  return { compiler: await builder.build(), fonts }
}

export function loadTypst(): Promise<Typesetter> {
  typesetter ??= start()
  return typesetter
}

/**
 * No date, so that the same input gives the same bytes. On the same line as the template's first, so that line numbers
 * in errors are the template's.
 */
const beginning = '#set document(date: none);#set text(font: "Noto Sans");'

type Compiled = { result?: Uint8Array; diagnostics?: string[] }

export async function renderTypst({ main, template, data, pictures }: Job): Promise<RenderedDocument> {
  const { compiler, fonts } = await loadTypst()
  if (fontsOf !== template.hash) {
    const all = [...fonts, ...fontsIn(template)]
    compiler.set_fonts(await resolverFor(all))
    isCovered = createCoverage(all.flatMap(coveragesOf))
  }
  fontsOf = template.hash
  compiler.reset_shadow()
  for (const [path, bytes] of Object.entries(template.files)) compiler.map_shadow(`/${path}`, bytes)
  const placed = placePictures(data, (number) => pictureAt(number, pictures[number]!.type))
  const json = JSON.stringify(placed)
  compiler.map_shadow('/data.json', new TextEncoder().encode(json))
  for (const [number, { type, bytes }] of pictures.entries()) compiler.map_shadow(pictureAt(number, type), bytes)
  const uncovered = uncoveredIn([json, ...sourcesOf(template)], isCovered)
  const prelude = beginning + markingRule(uncovered)
  compiler.add_source(`/${main}`, prelude + new TextDecoder().decode(template.files[main]))
  const { result, diagnostics = [] } = compiler.compile(`/${main}`, undefined, 'pdf', 2) as Compiled
  if (!result) return { problems: diagnostics.map((line) => shownLine(line, main, prelude)) }
  const missing = uncovered.length ? missingIn(compiler, main) : []
  return missing.length ? { bytes: result, missing } : { bytes: result }
}

const mark = 'rowhouse-missing'

/** Marks the characters where they are printed: data and templates may contain others that are never printed. */
const markingRule = (characters: readonly string[]): string => {
  const listed = characters.map((character) => `\\u{${character.codePointAt(0)!.toString(16)}}`).join('')
  return listed && `#show regex("[${listed}]+"): it => [#it#metadata(it.text)<${mark}>];`
}

const missingIn = (compiler: TypstCompiler, main: string): MissingCharacters[] =>
  byScript((JSON.parse(compiler.query(`/${main}`, undefined, `<${mark}>`, 'value')) as string[]).join(''))

/** A message of Typst with its position in the template: our prefix precedes the first line. */
const shownLine = (text: string, main: string, prelude: string): string =>
  text
    .split('\n')[0]!
    .replace(/^\//, '')
    // Typst's hint about another root does not apply here.
    .replace(/failed to load file \(access denied\).*/, "failed to load file (it is not in the template's folder)")
    .replace(/^(.*):1:(\d+):/, (whole, path: string, column: string) =>
      path === main ? `${path}:1:${Number(column) - prelude.length}:` : whole,
    )
    .slice(0, 500)

async function resolverFor(fonts: Uint8Array[]): Promise<TypstFontResolver> {
  const builder = new TypstFontResolverBuilder()
  for (const font of fonts) builder.add_raw_font(font)
  return builder.build()
}

const fontsIn = ({ files }: TemplateFiles) => Object.entries(files).flatMap(([path, bytes]) => (isFont(path) ? [bytes] : []))

/** A file may hold several fonts, or no readable one. */
const coveragesOf = (font: Uint8Array): Coverage[] =>
  ((get_font_info(font) as { info?: { coverage: Coverage }[] } | undefined)?.info ?? []).map(({ coverage }) => coverage)

const sourcesOf = ({ files }: TemplateFiles): string[] =>
  Object.entries(files).flatMap(([path, bytes]) => (path.endsWith('.typ') ? [new TextDecoder().decode(bytes)] : []))
