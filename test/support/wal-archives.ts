import { expect } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ask, restoreFrom } from './backups'
import { call, type Ended, type Service, startService } from './executable'
import { isAlive, postmasterPid, until } from './processes'
import { startUsed } from './used-data'
import { storedNumbers } from './write-load'

export type UsedService = Service & { token: string }

export async function addNumber({ url, token }: UsedService, number: number): Promise<void> {
  expect((await call(`${url}/api/v1/tables/items/records`, { token, body: { number } })).status).toBe(201)
}

/** Makes PostgreSQL archive its current log segment. @returns the segment */
export async function switchSegment(service: UsedService): Promise<string> {
  // An empty segment is not switched.
  await ask(service, "select pg_logical_emit_message(true, 'test', 'x')")
  const [row] = await ask<{ segment: string }>(service, 'select pg_walfile_name(pg_switch_wal()) as segment')
  return row!.segment
}

/** Like `switchSegment`, and waits until the segment is in the archive. */
export async function archived(service: UsedService, archive: string): Promise<string> {
  const segment = await switchSegment(service)
  await until(`${segment} is archived`, () => segmentsIn(archive).some((name) => name.startsWith(segment)))
  return segment
}

/** The id of the newest archive. */
const archiveId = (archive: string) => readdirSync(archive).sort().at(-1)!
export const segmentsIn = (archive: string, id = archiveId(archive)): string[] => {
  try {
    return readdirSync(join(archive, id, 'wal')).sort()
  } catch {
    return []
  }
}

export const startArchiving = (archive: string, more: Record<string, string> = {}): Promise<UsedService> =>
  startUsed({ environment: { ROWHOUSE_WAL_ARCHIVE: archive, ...more } })

/** Simulates the loss of the machine: nothing of it is left. */
export async function destroy(service: Service): Promise<void> {
  const postmaster = postmasterPid(service.dataDir)
  service.kill('SIGKILL')
  await service.exited
  await until('PostgreSQL is gone', () => !isAlive(postmaster))
  rmSync(service.dataDir, { recursive: true })
}

export const restoreTo = (file: string, archive: string, to: string, dataDir: string, more: string[] = []): Promise<Ended> =>
  restoreFrom(file, dataDir, [`--wal-archive=${archive}`, `--to=${to}`, ...more])

/** The numbers in `items` of a restored data directory. */
export const numbersOf = async (dataDir: string, token: string, environment: Record<string, string> = {}): Promise<number[]> => {
  await using service = await startService({ dataDir, environment })
  return [...(await storedNumbers(service.url, token))].sort((one, other) => one - other)
}

/** A time that is certainly after all earlier writes and before all later ones. */
export async function timeBetween(): Promise<string> {
  await Bun.sleep(20)
  const at = new Date().toISOString()
  await Bun.sleep(20)
  return at
}
