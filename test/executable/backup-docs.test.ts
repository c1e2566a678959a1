import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { backUp, openFolder } from '../support/backups'
import { executable } from '../support/executable'
import { usedDataDir } from '../support/used-data'

const text = readFileSync(join(import.meta.dir, '../../docs/backup.md'), 'utf8')
const blocks = [...text.matchAll(/<!-- runs: [^>]*-->\n```sh\n(.*?)```/gs)].map(([, block]) => block!)

test('the commands of docs/backup.md do what it says; only the folders are others', async () => {
  const { dataDir } = await usedDataDir()
  const backups = openFolder()
  const lost = openFolder()
  mkdirSync(join(lost, 'bin'))
  expect((await backUp(dataDir, join(backups, 'mine.tar.zst'))).code).toBe(0)
  expect(blocks.length).toBe(3)
  for (const block of blocks) {
    const script = block.replaceAll('/backups', backups).replaceAll('/var/lib/rowhouse', join(lost, 'data'))
    const shell = Bun.spawn(['sh', '-e'], {
      cwd: lost,
      env: { PATH: `${dirname(executable())}:${process.env.PATH}`, ROWHOUSE_DATA_DIR: dataDir },
      stdin: Buffer.from(script),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [output, errors] = await Promise.all([new Response(shell.stdout).text(), new Response(shell.stderr).text()])
    expect({ code: await shell.exited, output, errors: errors.includes('rowhouse: ') }).toEqual({ code: 0, output, errors: false })
    if (block.includes('users list')) expect(output).toContain('ada@example.org\tadmin\tactive')
    if (block.includes('--dry-run')) expect(output).toContain('It is intact: every byte is the one that was written.')
  }
  const names = readdirSync(backups).sort()
  expect(names).toEqual(['mine.tar.zst', 'mine.tar.zst.age', 'passphrase', expect.stringMatching(/^rowhouse-\d{8}T\d{6}Z\.tar\.zst$/)])
}, 600_000)

test('every flag and exit code of the commands stands in docs/backup.md', () => {
  for (const word of ['--quiet', '--dry-run', '--passphrase-file', 'ROWHOUSE_PASSPHRASE_FILE', '| 0 |', '| 1 |', '| 2 |', '| 3 |'])
    expect(text).toContain(word)
})
