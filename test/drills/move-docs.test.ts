import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { moveCommand } from '../../src/commands/backup/move'
import { executable, newFolder } from '../support/executable'
import { startPostgres } from '../support/postgres'
import { usedDataDir } from '../support/used-data'

const text = readFileSync(join(import.meta.dir, '../../docs/move.md'), 'utf8')
const server = await startPostgres()
afterAll(() => server[Symbol.asyncDispose]())

test('the commands of docs/move.md do what it says; only the address is another', async () => {
  const [, block = ''] = /<!-- runs: [^>]*-->\n```sh\n(.*?)```/s.exec(text) ?? []
  const uri = await server.createDatabase('documented')
  const { dataDir } = await usedDataDir()
  const shell = Bun.spawn(['sh', '-e'], {
    cwd: newFolder(),
    env: { PATH: `${dirname(executable())}:${process.env.PATH}`, ROWHOUSE_DATA_DIR: dataDir },
    stdin: Buffer.from(block.replace(/postgres:[^']*/, uri)),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const errors = await new Response(shell.stderr).text()
  expect({ code: await shell.exited, errors }).toEqual({ code: 0, errors: expect.stringContaining('Moved to the embedded database in ') })
  expect(errors.match(/^Moves the embedded database to /gm)).toHaveLength(2)
})

test('every flag of the command stands in docs/move.md', () => {
  for (const flag of Object.keys({ ...moveCommand.switches, ...moveCommand.values })) expect(text).toContain(`\`--${flag}`)
})
