import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { scaffoldPlugin } from '../../../src/plugins/sdk/scaffold'
import { newFolder } from '../../support/executable'

const installed = resolve(import.meta.dir, '../../../node_modules')
const typeErrors = (folder: string) =>
  Bun.spawnSync([join(installed, '.bin/tsc'), '--noEmit', '-p', folder])
    .stdout.toString()
    .trim()
    .split('\n')
    .filter(Boolean)

test('the comment of a new plugin names the variable of this plugin', () => {
  const folder = newFolder()
  scaffoldPlugin(folder, 'stock-prices')
  const text = readFileSync(join(folder, 'stock-prices/plugin.ts'), 'utf8')
  expect(text).toContain('ROWHOUSE_PLUGIN_STOCK_PRICES__KEY')
  expect(text).not.toContain('HELLO__')
})

test('a new plugin is type-checked without @types/bun, and knows Bun and Node once that is installed', () => {
  const folder = newFolder()
  scaffoldPlugin(folder, 'one')
  expect(typeErrors(folder)).toEqual([])
  const code = `import { createHmac } from 'node:crypto'\nawait Bun.sleep(1)\nexport const text: string = createHmac('sha256', 'a').digest('hex')\n`
  writeFileSync(join(folder, 'one/other.ts'), code)
  expect(typeErrors(folder).join()).toContain('npm i --save-dev @types/bun')
  // What npm installs: a package that refers to the types.
  const types = join(folder, 'node_modules/@types/bun')
  mkdirSync(types, { recursive: true })
  writeFileSync(join(types, 'package.json'), '{"name":"@types/bun","types":"index.d.ts"}')
  writeFileSync(join(types, 'index.d.ts'), '/// <reference types="bun-types" />\n')
  symlinkSync(join(installed, 'bun-types'), join(folder, 'node_modules/bun-types'))
  expect(typeErrors(folder)).toEqual([])
})
