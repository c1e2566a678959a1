import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { call, newFolder, type Service } from './executable'

export type Stored = { id: string; name: string; size: number; url: string }

type Reached = Pick<Service, 'url'> & { token: string }

export const cellPath = '/api/v1/tables/pets/records/1/attachments/files'

/** The table `pets` with one record and a column of files, in a service that has been set up. */
export async function makePets({ url, token }: Reached): Promise<void> {
  const body = { name: 'pets', columns: [{ name: 'files', type: 'attachment' }] }
  for (const [path, sent] of [
    ['/api/v1/tables', body],
    ['/api/v1/tables/pets/records', {}],
  ] as const) {
    const answer = await call(url + path, { token, body: sent })
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  }
}

export const upload = ({ url, token }: Reached, name: string, body: BodyInit, query = '', record = 1): Promise<Response> =>
  fetch(`${url}${cellPath.replace('/1/', `/${record}/`)}?name=${name}${query}`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
    signal: AbortSignal.timeout(120_000),
  })

/** A file of that many bytes without a pattern. */
export function largeFile(megabytes: number): string {
  const path = join(newFolder(), 'large.bin')
  spawnSync('sh', ['-c', `head -c ${megabytes * 2 ** 20} /dev/urandom > ${path}`])
  return path
}

/** The memory of the process itself in bytes, and its peak. */
export function memory(pid: number): { now: number; most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024
  return { now: read('VmRSS'), most: read('VmHWM') }
}
