import { call, type Ended, executable, newFolder, run, type Service } from './executable'
import { makePets, type Stored, upload } from './pets'
import { until } from './processes'
import type { S3 } from './s3'
import { startUsed } from './used-data'

export type Pets = Pick<Service, 'url'> & { token: string }

/** The uploads that were answered with 201. */
export type KeptFile = { file: Stored; text: string }

export type UploadLoad = {
  acknowledged: KeptFile[]
  /** All other responses. */
  refused: number[]
  stop: () => Promise<void>
}

/** After this many uploads, a caller's pause is twice as long; after as many more, three times as long. */
const growth = 8

/** A cell accepts at most ROWHOUSE_MAX_CELL_FILES files. */
const filesOfRecord = 90

async function addRecord({ url, token }: Pets): Promise<number> {
  const { id } = (await (await call(`${url}/api/v1/tables/pets/records`, { token, body: {} })).json()) as { id: number }
  return id
}

/**
 * Uploads with several concurrent callers until it is stopped. The pauses grow with the number of uploads, so that
 * there are few files even on a machine where a move, which has a lower priority, takes long.
 * @param pauseMs the first pause
 */
export function startUploads(pets: Pets, pauseMs = 40): UploadLoad {
  let isWanted = true
  const load: UploadLoad = { acknowledged: [], refused: [], stop }
  const done = Promise.all([0, 1, 2, 3].map(repeat))

  async function repeat(caller: number) {
    let record = 0
    for (let count = 0; isWanted; count++, await Bun.sleep(pauseMs * (1 + count / growth))) {
      if (count % filesOfRecord === 0) record = await addRecord(pets)
      const text = `${caller}-${count} `.repeat(1 + ((count * 7919) % 20_000))
      const answer = await upload(pets, `${caller}-${count}`, text, '', record)
      if (answer.status !== 201) {
        load.refused.push(answer.status)
        continue
      }
      const [file] = (await answer.json()) as [Stored]
      load.acknowledged.push({ file, text })
    }
  }

  async function stop() {
    isWanted = false
    await done
  }

  return load
}

/** The names and statuses of files that a service does not return as they were uploaded. */
export async function unreadable({ url, token }: Pets, kept: readonly KeptFile[]): Promise<[name: string, status: number][]> {
  const wrong: [string, number][] = []
  for (const { file, text } of kept) {
    const answer = await call(url + file.url, { token })
    if ((await answer.text()) !== text || answer.status !== 200) wrong.push([file.name, answer.status])
  }
  return wrong
}

/** The key for S3, without the bucket: files are in the data directory. */
export function s3Keys({ environment }: S3): Record<string, string> {
  const { S3_BUCKET: _, S3_PREFIX: __, ...keys } = environment
  return keys as Record<string, string>
}

export const moveFiles = (args: string[], environment: Record<string, string>): Promise<Ended> =>
  run(['files', 'move', ...args], { environment })

/** Like `moveFiles`, but killed at a given time. @returns whether it was still running */
export async function killMove(args: string[], environment: Record<string, string>, isTime: () => Promise<boolean>): Promise<boolean> {
  const child = Bun.spawn([executable(), 'files', 'move', ...args], {
    cwd: newFolder(),
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  while (child.exitCode === null && !(await isTime())) await Bun.sleep(5)
  child.kill('SIGKILL')
  await child.exited
  return child.signalCode === 'SIGKILL'
}

/** A random point in time of an operation of about this duration. */
export function afterMs(ms: number): () => Promise<boolean> {
  const startedAt = performance.now()
  return async () => performance.now() - startedAt > ms
}

/** Several hundred files, while a few more are uploaded. */
export async function startFull(environment: Record<string, string>) {
  const service = await startUsed({ environment })
  await makePets(service)
  const first = startUploads(service)
  await until('there are many files', () => first.acknowledged.length > 250)
  await first.stop()
  const load = startUploads(service, 200)
  load.acknowledged.push(...first.acknowledged)
  return { service, load }
}
