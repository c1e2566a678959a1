import { describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { filesIn } from '../support/attachments'
import { rounds } from '../support/drill'
import { call, newFolder, run, startService } from '../support/executable'
import { cellPath, largeFile, makePets, memory, type Stored, upload } from '../support/pets'
import { startPostgres } from '../support/postgres'
import { postmasterPid, until } from '../support/processes'
import { mayMountDisk, withSmallDisk } from '../support/small-disk'
import { setUp, startUsed } from '../support/used-data'

const mb = 2 ** 20

/** Bytes that the kernel keeps for one connection at most, by tcp(7); macOS keeps less than what is taken for it. */
function largestBuffer(name: 'tcp_rmem' | 'tcp_wmem'): number {
  const path = `/proc/sys/net/ipv4/${name}`
  return existsSync(path) ? Number(readFileSync(path, 'utf8').trim().split(/\s+/).at(-1)) : 8 * mb
}

const check = (dataDir: string) => run(['files', 'check'], { environment: { ROWHOUSE_DATA_DIR: dataDir } })

/** Uploads, and removes every third again, until the service is gone; with a breath between, for those who share the machine. */
function startUploads(service: { url: string; token: string }) {
  const load = { acknowledged: [] as { file: Stored; text: string }[], isWanted: true, done: Promise.resolve<unknown>(null) }
  const repeat = async (caller: number) => {
    for (let count = 0; load.isWanted; count++, await Bun.sleep(10)) {
      const text = `${caller}-${count} `.repeat(20_000)
      const answer = await upload(service, `${caller}-${count}`, text).catch(() => null)
      if (answer?.status !== 201) continue
      const [file] = (await answer.json().catch(() => [])) as Stored[]
      if (!file) continue
      if (count % 3 === 0) await call(service.url + file.url, { token: service.token, method: 'DELETE' }).catch(() => null)
      else load.acknowledged.push({ file, text })
    }
  }
  load.done = Promise.all([1, 2, 3, 4].map(repeat))
  return load
}

const environment = { ROWHOUSE_FILES_GRACE: '1s', ROWHOUSE_MAX_CELL_FILES: '1000' }

describe('kill -9 under uploads and sweeps', () => {
  test.each(['the service', 'PostgreSQL'])('of %s: every acknowledged file is whole, and no row is without bytes', async (victim) => {
    let dataDir = ''
    let token = ''
    const kept: { file: Stored; text: string }[] = []
    for (let round = 0; round < rounds(1, 3); round++) {
      await using service = round === 0 ? await startUsed({ environment }) : await startService({ dataDir, environment })
      if ('token' in service) token = service.token as string
      dataDir = service.dataDir
      const reached = { url: service.url, token }
      if (round === 0) await makePets(reached)
      const load = startUploads(reached)
      await until('uploads are under way', () => load.acknowledged.length >= 15)
      // So that the sweep has something to do as well.
      await Bun.sleep(1200 + round * 130)
      if (victim === 'PostgreSQL') {
        process.kill(postmasterPid(dataDir), 'SIGKILL')
        const { length } = load.acknowledged
        await until('uploads go on', () => load.acknowledged.length > length + 3)
        load.isWanted = false
        await load.done
      } else {
        service.kill('SIGKILL')
        load.isWanted = false
        await service.exited
        await load.done
      }
      kept.push(...load.acknowledged)
    }
    await using service = await startService({ dataDir, environment })
    for (const { file, text } of kept) {
      const answer = await call(service.url + file.url, { token })
      expect([file.name, answer.status, (await answer.text()) === text]).toEqual([file.name, 200, true])
    }
    const { code, stdout } = await check(dataDir)
    expect([code, stdout]).toEqual([0, expect.stringContaining('all intact')])
  })
})

/** More than any buffer of ours could hide; test/bench/attachments.ts does it with a gigabyte. */
const largeMb = 160

describe('a large file', () => {
  test('goes up and down with less than 64 MB more than an idle service has', async () => {
    const path = largeFile(largeMb)
    await using service = await startUsed()
    await makePets(service)
    await upload(service, 'first', 'x')
    await Bun.sleep(1000)
    const idle = memory(service.pid).now
    const curl = (...args: string[]) =>
      spawnSync('curl', ['-sS', '-f', '-H', `Authorization: Bearer ${service.token}`, '-H', 'Expect:', ...args])
    const raw = curl('-X', 'POST', '-T', path, `${service.url}${cellPath}?name=raw.bin`)
    const form = curl('-F', `file=@${path}`, service.url + cellPath)
    expect([raw.status, form.status]).toEqual([0, 0])
    const files = [raw, form].map(({ stdout }) => (JSON.parse(stdout.toString()) as Stored[])[0]!)
    for (const { url, size } of files) {
      expect(size).toBe(largeMb * mb)
      const copy = join(newFolder(), 'copy')
      expect(curl('-o', copy, '--limit-rate', '400M', service.url + url).status).toBe(0)
      expect(spawnSync('cmp', [path, copy]).status).toBe(0)
    }
    expect((memory(service.pid).most - idle) / mb).toBeLessThan(64)
  })

  test('may come slowly: longer than any answer may take', async () => {
    await using service = await startUsed({ environment: { ROWHOUSE_QUERY_TIMEOUT: '1s' } })
    await makePets(service)
    let sent = 0
    const slow = new ReadableStream({
      pull: async (controller) => {
        await Bun.sleep(500)
        controller.enqueue(new Uint8Array(1000))
        if (++sent === 28) controller.close()
      },
    })
    const answer = await upload(service, 'slow', slow as BodyInit)
    expect([answer.status, ((await answer.json()) as Stored[])[0]?.size]).toEqual([201, 28_000])
  })
})

describe('an upload that does not end', () => {
  const head = (url: string, token: string) =>
    [
      `POST ${cellPath}?name=half HTTP/1.1`,
      `Host: ${new URL(url).host}`,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/octet-stream',
      'Content-Length: 1000000',
      '',
      '',
    ].join('\r\n')

  test.each([
    ['because the sender hangs up', true],
    ['because the sender falls silent', false],
  ])('%s leaves nothing', async (_why, isHangUp) => {
    await using service = await startUsed({ environment: { ROWHOUSE_TRANSFER_IDLE_TIMEOUT: '1s' } })
    await makePets(service)
    const { hostname, port } = new URL(service.url)
    const folder = join(service.dataDir, 'files')
    const socket = connect({ host: hostname, port: Number(port) })
    socket.on('error', () => {})
    socket.write(head(service.url, service.token) + 'x'.repeat(100_000))
    await until('bytes are on the disk', () => filesIn(folder).length === 1)
    if (isHangUp) socket.destroy()
    await until('they are gone', () => filesIn(folder).length === 0)
    socket.destroy()
    const record = (await (await call(`${service.url}/api/v1/tables/pets/records/1`, { token: service.token })).json()) as { files: [] }
    expect(record.files).toEqual([])
    expect(service.log.filter(({ level }) => level >= 50)).toEqual([])
  })

  test('of a stranger is not read at all', async () => {
    await using service = await startUsed()
    await makePets(service)
    // Thrown away behind the answer (http/server/lingering.ts), and what the kernels of both sides hold, by their settings.
    const mostSent = 8 * mb + largestBuffer('tcp_rmem') + largestBuffer('tcp_wmem') + mb
    const path = largeFile(Math.ceil((2 * mostSent) / mb))
    const args = ['-s', '-o', '/dev/null', '-w', '%{http_code} %{size_upload}', '-H', 'Expect:', '-X', 'POST', '-T', path]
    for (const [url, headers] of [
      [`${cellPath}?name=x`, []],
      [`${cellPath.replace('/1/', '/999/')}?name=x`, ['-H', `Authorization: Bearer ${service.token}`]],
    ] as const) {
      const [status, sent] = spawnSync('curl', [...args, ...headers, service.url + url])
        .stdout.toString()
        .split(' ')
      expect([headers.length ? '404' : '401', Number(sent) < mostSent]).toEqual([status!, true])
    }
    expect(filesIn(join(service.dataDir, 'files'))).toEqual([])
  })
})

describe.if(mayMountDisk())('a full disk', () => {
  test.each([
    ['0', 'to the last byte'],
    ['8MB', 'down to the floor'],
  ])('with a floor of %s is used %s; then 507, and nothing half is left', async (floor) => {
    await using server = await startPostgres()
    const uri = await server.createDatabase(`disk${floor.toLowerCase()}`)
    await withSmallDisk('24m', async (disk) => {
      const dataDir = join(disk, 'data')
      await using service = await startService({ dataDir, environment: { DATABASE_URL: uri, ROWHOUSE_MIN_FREE_BYTES: floor } })
      const reached = { url: service.url, token: await setUp(service) }
      await makePets(reached)
      const block = new Uint8Array(5 * mb)
      const statuses: number[] = []
      for (let count = 0; count < 6; count++) statuses.push((await upload(reached, `${count}`, block)).status)
      const fits = statuses.filter((status) => status === 201).length
      expect(statuses).toEqual([...Array<number>(fits).fill(201), ...Array<number>(6 - fits).fill(507)])
      expect(fits).toBe(floor === '0' ? 4 : 3)
      expect(filesIn(join(dataDir, 'files'))).toHaveLength(fits)
      expect((await call(`${service.url}/api/v1/tables/pets/records/1`, { token: reached.token })).status).toBe(200)
    })
  })
})

test('files check, beside the service and without it, says what is wrong and exits with 1', async () => {
  const service = await startUsed()
  await makePets(service)
  const [file] = (await (await upload(service, 'a.txt', 'hello')).json()) as [Stored]
  const good = await check(service.dataDir)
  expect([good.code, good.stdout]).toEqual([0, `1 files, 5 bytes in ${join(service.dataDir, 'files')}: all intact.\n`])
  const path = join(service.dataDir, 'files', file.id.slice(-4, -2), file.id.slice(-2), file.id)
  await Bun.write(path, 'HELLO')
  const bad = await check(service.dataDir)
  expect([bad.code, bad.stdout]).toEqual([1, expect.stringContaining(`altered\t${file.id}\t`)])
  await service.stop()
  expect((await check(service.dataDir)).code).toBe(1)
})
