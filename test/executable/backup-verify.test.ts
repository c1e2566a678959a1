import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backUp, openFolder, scratchIn } from '../support/backups'
import { run } from '../support/executable'
import { startUsed } from '../support/used-data'

test('old backups are tried out again, and a damaged one is named', async () => {
  const folder = openFolder()
  await using service = await startUsed()
  expect(await backUp(service.dataDir, join(folder, 'whole.tar.zst'))).toMatchObject({ code: 0 })
  const verify = (place: string) => run(['backup', '--verify', place], { environment: { ROWHOUSE_DATA_DIR: service.dataDir } })
  const whole = await verify(`${folder}/`)
  expect({ code: whole.code, stderr: whole.stderr }).toEqual({ code: 0, stderr: expect.stringContaining('whole.tar.zst can be restored.') })
  expect(JSON.parse(readFileSync(join(folder, 'whole.tar.zst.verified'), 'utf8'))).toMatchObject({ problem: null })

  const bytes = readFileSync(join(folder, 'whole.tar.zst'))
  // Shortly before the seal: the beginning, which the list reads, is whole.
  const at = bytes.length - 100
  bytes[at] = bytes[at]! ^ 1
  writeFileSync(join(folder, 'damaged.tar.zst'), bytes)
  const damaged = await verify(join(folder, 'damaged.tar.zst'))
  expect({ code: damaged.code, stdout: damaged.stdout }).toEqual({
    code: 3,
    stdout: expect.stringContaining('damaged.tar.zst is damaged. '),
  })
  expect((await verify(`${folder}/`)).code).toBe(3)
  const listed = JSON.parse((await run(['backups', folder, '--json'])).stdout)
  expect(Object.fromEntries(listed.backups.map(({ name, proof }: Record<string, string>) => [name, proof]))).toEqual({
    'damaged.tar.zst': 'damaged',
    'whole.tar.zst': 'proven',
  })
  expect(readdirSync(folder).sort()).toEqual(['damaged.tar.zst', 'damaged.tar.zst.verified', 'whole.tar.zst', 'whole.tar.zst.verified'])
  expect(scratchIn(service.dataDir)).toEqual([])
}, 600_000)
