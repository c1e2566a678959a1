import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dir, '../..')
const stylesOf = (file: string) => file.replace(/(\.layer)?\.css$/, '')

test('styles are loaded for every component of Mantine that is bundled, also inside of others', async () => {
  const bundle = await Bun.build({
    entrypoints: [join(root, 'src/web/browser/index.html')],
    target: 'browser',
    minify: true,
    splitting: true,
    metafile: true,
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const styled = new Set(readdirSync(join(root, 'node_modules/@mantine/core/styles')).map(stylesOf))
  const loaded = await Bun.file(join(root, 'src/web/browser/styles/mantine.css')).text()
  const used = Object.values(bundle.metafile!.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => {
      const [, component = ''] = /@mantine\/core\/esm\/components\/(?:.*\/)?(\w+)\.\w+$/.exec(path) ?? []
      return bytesInOutput > 0 && styled.has(component) ? [component] : []
    }),
  )
  const missing = [...new Set(used)].filter((component) => !loaded.includes(`styles/${component}.css`))
  expect(missing).toEqual([])
  expect(used).toContain('Button')
})
