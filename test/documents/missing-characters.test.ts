import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { renderTypst } from '../../src/documents/render/typst'
import { json, startApp } from '../support/app'
import { newFolder } from '../support/executable'
import { hebrewFont } from '../support/fonts'
import { pluginsWith } from '../support/plugins'
import { settled } from '../support/rejection'

const encoder = new TextEncoder()
let hashes = 0

/** What is said of a document of a template and its data. */
async function missingIn(source: string, data: object, fonts: Record<string, Uint8Array> = {}) {
  const files = { 'a.typ': encoder.encode(source), ...fonts }
  const template = { hash: `hash ${++hashes}`, files }
  const outcome = await renderTypst({ format: 'pdf', main: 'a.typ', template, data: JSON.stringify(data), pictures: [] })
  if ('problems' in outcome) throw new Error(outcome.problems.join('\n'))
  return outcome.missing
}

const printing = '#let data = json("/data.json")\n= #data.title\n#emph(data.title)'

describe('characters that no font has', () => {
  test('are named by script, some of each, once', async () => {
    const title = `Grüße Ελλάδα Привет नमस्ते 東京 ひらカタ 한국 مرحبا שלום 🎉🇩🇪 ${'一丁七万丈三上下不与丐丑'}`
    expect(await missingIn(printing, { title })).toEqual([
      { script: 'Hani', characters: '東京一丁七万丈三上下', count: 14 },
      { script: 'Hira', characters: 'ひら', count: 2 },
      { script: 'Kana', characters: 'カタ', count: 2 },
      { script: 'Hang', characters: '한국', count: 2 },
      { script: 'Arab', characters: 'مرحبا', count: 5 },
      { script: 'Hebr', characters: 'שלום', count: 4 },
      { script: 'Zsye', characters: '🎉🇩🇪', count: 3 },
    ])
  })

  test('count only where they are printed, in the data and in the template', async () => {
    expect(await missingIn(printing, { title: 'Latin', note: '東京' })).toBeUndefined()
    const places = '`東` #link("https://a.example")[東] #table(columns: 1)[東] #outline()\n= 東\n#strong[a東b]'
    expect(await missingIn(places, {})).toEqual([{ script: 'Hani', characters: '東', count: 1 }])
    expect(await missingIn('// 東京\nplain', {})).toBeUndefined()
    expect(await missingIn('#set text(lang: "ja")\n東京', {})).toEqual([{ script: 'Hani', characters: '東京', count: 2 }])
    expect(await missingIn(printing, { title: 'a\u200bb\u00ad e\u0301 \ufe0f' })).toBeUndefined()
  })

  test('are fewer with a font in the folder of the template, of which Typst takes them by itself', async () => {
    const title = 'שלום 東'
    expect(await missingIn(printing, { title }, { 'fonts/Hebrew.ttf': hebrewFont() })).toEqual([
      { script: 'Hani', characters: '東', count: 1 },
    ])
    expect(await missingIn(printing, { title })).toHaveLength(2)
    expect(await missingIn(printing, { title: 'plain' }, { 'fonts/broken.ttf': encoder.encode('no font') })).toBeUndefined()
  })

  test('leave the places of mistakes as they are', async () => {
    expect(await settled(missingIn('#nothing(東)', {}))).toThrow('a.typ:1:2: error: unknown variable: nothing')
  })
})

test('a document with such characters says so in its header, in the log and in the answer of saveTo', async () => {
  const folder = pluginsWith({
    'notes/note/template.ts': `import { documentTemplate, t } from 'rowhouse/plugin'
      export default documentTemplate({ title: 'Note', public: true, params: t.Object({ title: t.String() }), allow: () => true,
        load: ({ params }) => params, formats: { pdf: 'note.typ' } })`,
    'notes/note/note.typ': printing,
  })
  const app = await startApp({ ROWHOUSE_DATA_DIR: join(newFolder(), 'data') }, { plugins: folder })
  const make = (title: string) => app.call(`/api/v1/documents/notes/note?title=${encodeURIComponent(title)}`)
  const missing = [{ script: 'Hebr', characters: 'שלום', count: 4 }]
  const header = (await make('שלום')).headers.get('rowhouse-missing-characters')
  expect(JSON.parse(decodeURIComponent(header!))).toEqual(missing)
  expect((await make('plain')).headers.has('rowhouse-missing-characters')).toBe(false)
  expect(app.events).toContainEqual(
    expect.objectContaining({ kind: 'plugin_log', plugin: 'notes', level: 'warn', message: expect.stringContaining('(Hebrew: שלום)') }),
  )
  await app.call('/api/v1/tables', { as: 'admin', body: { name: 'papers', columns: [{ name: 'file', type: 'attachment' }] } })
  await app.call('/api/v1/tables/papers/records', { as: 'admin', body: {} })
  const body = { params: { title: 'שלום' }, saveTo: { table: 'papers', pk: 1, column: 'file' } }
  expect(await json(app.call('/api/v1/documents/notes/note', { as: 'admin', body }))).toMatchObject({ missingCharacters: missing })
})
