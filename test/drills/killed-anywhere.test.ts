import { afterAll, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { backUp, launch, openFolder, restoreFrom } from '../support/backups'
import { call, run, type Service, startService } from '../support/executable'
import { startPostgres } from '../support/postgres'
import { postmasterPid, until } from '../support/processes'
import { printedRandom } from '../support/random'
import { usedDataDir } from '../support/used-data'
import { startWriteLoad, storedNumbers } from '../support/write-load'

const kills = Number(process.env.KILLS ?? 25)

const random = printedRandom()
const server = await startPostgres()
afterAll(() => server[Symbol.asyncDispose]())

const isReady = async ({ url }: Service) => (await call(`${url}/readyz`).catch(() => null))?.status === 200

test('kill -9 of move, service or PostgreSQL at any moment of a move: no acknowledged write is lost, and the same command ends it', async () => {
  const { dataDir, token } = await usedDataDir()
  const acknowledged: number[] = []
  let sent = 0
  let ended = 0
  let service = await startService({ dataDir })
  for (let round = 0; round < kills; round++) {
    // There on the even ones, and back on the odd ones.
    const isInside = round % 2 === 0
    const target = isInside ? await server.createDatabase(`round_${round}`) : 'embedded'
    const load = startWriteLoad(service.url, token, 2, sent)
    await until('there are writes', () => load.acknowledged.length > 50)
    const move = launch(['move', `--to=${target}`], dataDir)
    await Promise.race([move.ended, Bun.sleep(random() * 2500)])
    const victim = Math.floor(random() * (isInside ? 3 : 2))
    if (victim === 0) move.kill('SIGKILL')
    if (victim === 1) service.kill('SIGKILL')
    if (victim === 2 && existsSync(join(dataDir, 'postgres/postmaster.pid'))) process.kill(postmasterPid(dataDir), 'SIGKILL')
    const code = await move.ended
    if (victim !== 1) await until('the service is ready', () => isReady(service))
    await load.stop()
    sent = load.sent
    acknowledged.push(...load.acknowledged)
    if (victim === 1) {
      await service.exited
      service = await startService({ dataDir })
    }
    if (code === 0) ended++
    const again = await run(['move', `--to=${target}`], { environment: { ROWHOUSE_DATA_DIR: dataDir } })
    expect({ round, victim, code: again.code, stderr: again.stderr }).toMatchObject({
      code: code === 0 ? 1 : expect.any(Number),
      stderr: expect.stringMatching(
        again.code === 0 ? /The foreign keys are checked|database-url/ : /has already been moved|is embedded already/,
      ),
    })
    const isWritten = async () => {
      const answer = await call(`${service.url}/api/v1/tables/items/records`, { token, body: { number: ++sent } })
      if (answer.status === 201) acknowledged.push(sent)
      return answer.status === 201
    }
    await until('it is written to', () => isWritten().catch(() => false))
    expect(existsSync(join(dataDir, 'database-url'))).toBe(isInside)
    const stored = await storedNumbers(service.url, token)
    expect(acknowledged.filter((number) => !stored.has(number))).toEqual([])
  }
  await service.stop()
  if (process.env.KILLS) console.info(`${kills} kills, of which ${ended} came behind the move; ${acknowledged.length} writes`)
}, 3_600_000)

test('kill -9 of a restore at any moment leaves nothing that starts, and the next one is whole', async () => {
  const { dataDir, token } = await usedDataDir()
  const file = join(openFolder(), 'b')
  {
    await using service = await startService({ dataDir })
    const load = startWriteLoad(service.url, token, 2)
    await until('there are writes', () => load.acknowledged.length > 200)
    await load.stop()
    expect((await backUp(dataDir, file)).code).toBe(0)
  }
  const numbers = await storedNumbersOf(dataDir, token)
  let ended = 0
  for (let round = 0; round < kills; round++) {
    const target = join(openFolder(), 'data')
    const restore = launch(['restore', file], target)
    await Promise.race([restore.ended, Bun.sleep(random() * 2000)])
    restore.kill('SIGKILL')
    const code = await restore.ended
    // A service starts from here on, and has to find all of it; the command ends a moment later.
    const isThere = existsSync(join(target, 'postgres')) && !existsSync(join(target, 'restoring'))
    if (code === 0) expect(isThere).toBe(true)
    if (isThere) ended++
    else expect(await restoreFrom(file, target)).toMatchObject({ code: 0 })
    expect(readdirSync(target)).not.toContain('restoring')
    expect(await storedNumbersOf(target, token)).toEqual(numbers)
  }
  if (process.env.KILLS) console.info(`${kills} kills, of which ${ended} came behind the restore`)
}, 3_600_000)

async function storedNumbersOf(dataDir: string, token: string): Promise<Set<number>> {
  await using service = await startService({ dataDir })
  return await storedNumbers(service.url, token)
}
