import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startApp } from '../support/app'

const app = await startApp()
const text = readFileSync(resolve(import.meta.dir, '../../docs/csv.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'rowhouse-csv-docs-'))

/** Each block of commands, with what stands behind it as its output. */
const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```\n(?:```text\n([\s\S]*?)```)?/g)].map(([, commands, output]) => ({
  commands: commands!,
  output,
}))

test('the examples do what they say', async () => {
  expect(blocks.length).toBeGreaterThan(6)
  for (const { commands, output } of blocks) {
    const child = Bun.spawn(['sh', '-ec', commands], {
      cwd: folder,
      env: { PATH: process.env.PATH, BASE: app.url, TOKEN: app.tokens.admin },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [printed, complained, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    expect({ commands, code, complained }).toEqual({ commands, code: 0, complained: '' })
    if (output !== undefined) expect(printed.trimEnd()).toBe(output.trimEnd())
  }
  rmSync(folder, { recursive: true })
})
