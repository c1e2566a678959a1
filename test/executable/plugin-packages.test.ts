import { expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { newFolder, run } from '../support/executable'
import { endpoints, pluginsWith } from '../support/plugins'

/**
 * The ways in which packages say where their code lies. Each exports its own name, from the file that Node would take.
 */
const packages: Record<string, Record<string, string | object>> = {
  'index-only': { 'index.js': 'exports.name = "index-only"' },
  'main-only': { 'package.json': { main: './lib/main.js' }, 'lib/main.js': 'exports.name = "main-only"' },
  'main-without-ending': { 'package.json': { main: 'lib/main' }, 'lib/main.js': 'exports.name = "main-without-ending"' },
  'main-folder': { 'package.json': { main: 'lib' }, 'lib/index.js': 'exports.name = "main-folder"' },
  'main-of-two': {
    'package.json': { main: 'node.js', browser: 'browser.js' },
    'node.js': 'exports.name = "main-of-two"',
    'browser.js': 'throw new Error("for browsers")',
  },
  'module-beside-main': {
    'package.json': { main: './main.js', module: './module.mjs' },
    'main.js': 'exports.name = "module-beside-main"',
    'module.mjs': 'export const name = "module-beside-main"',
  },
  'type-module': { 'package.json': { type: 'module', main: 'a/b.js' }, 'a/b.js': 'export const name = "type-module"' },
  'type-commonjs': {
    'package.json': { type: 'commonjs', main: './a.js' },
    'a.js': 'module.exports = { name: require("main-only").name.replace("main-only", "type-commonjs") }',
  },
  'exports-text': { 'package.json': { type: 'module', exports: './src/x.js' }, 'src/x.js': 'export const name = "exports-text"' },
  'exports-conditions': {
    'package.json': {
      exports: { '.': { browser: './none.js', node: { import: './esm/i.mjs', require: './cjs/i.cjs' }, default: './none.js' } },
    },
    'esm/i.mjs': 'export const name = "exports-conditions"',
    'cjs/i.cjs': 'exports.name = "exports-conditions"',
    'none.js': 'throw new Error("for others")',
  },
  'exports-pattern': {
    'package.json': { type: 'module', exports: { '.': './i.js', './parts/*': './dist/*.js' } },
    'i.js': 'export { name } from "exports-pattern/parts/one"',
    'dist/one.js': 'export const name = "exports-pattern"',
  },
  'imports-map': {
    'package.json': { type: 'module', exports: './i.js', imports: { '#inside': { node: './in/n.js', default: './none.js' } } },
    'i.js': 'export { name } from "#inside"',
    'in/n.js': 'export const name = "imports-map"',
  },
  '@scope/scoped': { 'package.json': { main: './x.cjs' }, 'x.cjs': 'exports.name = "@scope/scoped"' },
  'nested-package': {
    'package.json': { main: './dist/x.js' },
    'dist/x.js': 'exports.name = require("of-its-own").name',
    'node_modules/of-its-own/package.json': { exports: { require: './c.js' } },
    'node_modules/of-its-own/c.js': 'exports.name = "nested-package"',
  },
}

function install(names: string[], folder: string) {
  for (const name of names) {
    const files = packages[name]!
    const about = { name, version: '1.0.0', ...(files['package.json'] as object) }
    for (const [file, content] of Object.entries({ ...files, 'package.json': about })) {
      const path = join(folder, 'node_modules', name, file)
      mkdirSync(resolve(path, '..'), { recursive: true })
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    }
  }
}

/** A plugin that throws the names of what it imported, so that `plugins check` says them. */
const importing = (names: string[]) =>
  `${names.map((name, index) => `import { name as n${index} } from '${name}'`).join('\n')}
throw new Error('imported ' + [${names.map((_, index) => `n${index}`)}].join(' '))`

test.each(Object.keys(packages))('a plugin can use an npm package that is laid out like %s', async (name) => {
  const cwd = newFolder()
  pluginsWith({ 'p/plugin.ts': importing([name]) }, join(cwd, 'plugins'))
  install([name, 'main-only'], join(cwd, 'plugins/p'))
  const { stdout } = await run(['plugins', 'check'], { cwd })
  expect(stdout).toContain(`imported ${name}`)
})

test('packages may lie beside the plugins, for all of them, and a plugin may have another version', async () => {
  const cwd = newFolder()
  const names = Object.keys(packages)
  pluginsWith({ 'p/plugin.ts': importing(names), 'q/plugin.ts': importing(['main-only']) }, join(cwd, 'plugins'))
  install(names, join(cwd, 'plugins'))
  install(['main-only'], join(cwd, 'plugins/q'))
  writeFileSync(join(cwd, 'plugins/q/node_modules/main-only/lib/main.js'), 'exports.name = "of-its-own"')
  const { stdout } = await run(['plugins', 'check'], { cwd })
  expect(stdout).toContain(`imported ${names.join(' ')}`)
  expect(stdout).toContain('imported of-its-own')
})

test('a plugin can use packages as they come from npm', async () => {
  const cwd = newFolder()
  const code = `import { parse } from 'csv-parse/sync'\nimport liquid from 'liquidjs'\nimport pino from 'pino'
throw new Error('imported ' + parse('a,b')[0].join() + typeof liquid.Liquid + typeof pino)`
  pluginsWith({ 'p/plugin.ts': code }, join(cwd, 'plugins'))
  const installed = resolve(import.meta.dir, '../../node_modules')
  const needed = new Set<string>()
  const add = (name: string) => {
    if (needed.has(name)) return
    needed.add(name)
    const { dependencies = {} } = require(join(installed, name, 'package.json'))
    for (const each of Object.keys(dependencies)) add(each)
  }
  for (const name of ['csv-parse', 'liquidjs', 'pino']) add(name)
  for (const name of needed) cpSync(join(installed, name), join(cwd, 'plugins/node_modules', name), { recursive: true })
  const { stdout } = await run(['plugins', 'check'], { cwd })
  expect(stdout).toContain('imported a,bfunctionfunction')
})

test('what lies in the current folder changes nothing for plugins, nor for the service with them', async () => {
  const cwd = newFolder()
  const snapped = join(cwd, 'snapped')
  writeFileSync(join(cwd, 'trap.ts'), `require('node:fs').writeFileSync(${JSON.stringify(snapped)}, 'ran')`)
  for (const folder of [cwd, join(cwd, 'plugins'), join(cwd, 'plugins/p')]) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'bunfig.toml'), `preload = ["${cwd}/trap.ts"]\n`)
    writeFileSync(join(folder, '.env'), 'SNAPPED=yes\n')
    const paths = { compilerOptions: { baseUrl: '.', paths: { '*': [`${cwd}/trap.ts`], './beside': [`${cwd}/trap.ts`] } } }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(paths))
    const about = {
      name: 'rowhouse',
      main: `${cwd}/trap.ts`,
      exports: { './plugin': '../../trap.ts' },
      imports: { postgres: '../../trap.ts' },
    }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(about))
  }
  install(['main-only'], join(cwd, 'plugins/p'))
  const declared = endpoints(`{ method: 'GET', path: '/x', public: true, allow: () => true, handle: () => 1 }`)
  const code = `import { name } from 'main-only'\nimport { beside } from './beside'\nif (name + beside + process.env.SNAPPED !== 'main-onlyyesundefined') throw new Error('other code')\n${declared}`
  pluginsWith({ 'p/plugin.ts': code, 'p/beside.ts': 'export const beside = "yes"' }, join(cwd, 'plugins'))
  const { stdout, code: exitCode } = await run(['plugins', 'check'], { cwd })
  expect({ exitCode, stdout, snapped: existsSync(snapped) }).toEqual({ exitCode: 0, stdout: expect.stringContaining('/x'), snapped: false })
})
