import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectTo, socketPathOf } from '../bench/socket'
import { backUp, dryRun, openFolder, restoreFrom } from '../support/backups'
import { isDrilling } from '../support/drill'
import { call, newFolder, run, startService } from '../support/executable'
import { until } from '../support/processes'
import { startS3 } from '../support/s3'
import { startUsed } from '../support/used-data'
import { addNumber, archived, destroy, numbersOf, restoreTo, segmentsIn, startArchiving, timeBetween } from '../support/wal-archives'
import { startWriteLoad } from '../support/write-load'

const newDataDir = () => join(newFolder(), 'data')

describe('point in time', () => {
  test('a lost machine comes back with all that was archived, and to any time in between', async () => {
    const [archive, folder] = [openFolder(), openFolder()]
    const service = await startArchiving(archive)
    await addNumber(service, 1)
    const file = join(folder, 'base.tar.zst')
    expect(await backUp(service.dataDir, file)).toMatchObject({ code: 0 })
    await addNumber(service, 2)
    const between = await timeBetween()
    const load = startWriteLoad(service.url, service.token, 8, 100)
    await until('many are written', () => load.acknowledged.length > 400)
    const safe = [...load.acknowledged]
    await archived(service, archive)
    await until('more are written', () => load.acknowledged.length > safe.length + 100)
    const destroyedAt = Date.now()
    await destroy(service)
    await load.stop()

    const said = await dryRun(file, [`--wal-archive=${archive}`])
    expect(said.stdout).toMatch(/With the log in .* it can be restored to any time since, until 2\d{3}-/)

    const latest = newDataDir()
    const restored = await restoreTo(file, archive, 'latest', latest)
    expect({ code: restored.code, stderr: restored.stderr }).toMatchObject({ code: 0 })
    const [, lastChange = ''] = /the last change in it is of (\S+)\.\n/.exec(restored.stdout) ?? []
    const found = new Set(await numbersOf(latest, service.token))
    expect([1, 2, ...safe].filter((number) => !found.has(number))).toEqual([])
    const lost = load.acknowledged.filter((number) => !found.has(number)).length
    console.log(`Of ${load.acknowledged.length} writes ${lost} were lost: ${destroyedAt - Date.parse(lastChange)} ms.`)

    const earlier = newDataDir()
    expect(await restoreTo(file, archive, between, earlier)).toMatchObject({ code: 0 })
    expect(await numbersOf(earlier, service.token)).toEqual([1, 2])
    // What was restored is an installation of its own: its log begins another archive.
    await using again = await startService({ dataDir: earlier, environment: { ROWHOUSE_WAL_ARCHIVE: archive } })
    await until('a second archive begins', () => readdirSync(archive).length === 2)
    expect(again.log.map(({ msg }) => msg)).not.toContainEqual(expect.stringContaining('not archived'))
  })

  test.each(isDrilling ? ['a folder', 'a bucket'] : ['a folder'])('attachments come back, too, encrypted in %s', async (kind) => {
    const s3 = kind === 'a bucket' ? await startS3() : null
    const { S3_BUCKET: _, S3_PREFIX: __, ...access } = s3?.environment ?? { S3_BUCKET: '', S3_PREFIX: '' }
    const [folder, secrets] = [openFolder(), openFolder()]
    const archive = s3 ? 's3://files/wal' : folder
    const passphrase = join(secrets, 'passphrase')
    writeFileSync(passphrase, 'a long enough secret\n')
    const settings = { ROWHOUSE_PASSPHRASE_FILE: passphrase, ROWHOUSE_WAL_ARCHIVE: archive, ...access }
    const service = await startUsed({ environment: settings })
    const columns = [{ name: 'papers', type: 'attachment' }]
    await call(`${service.url}/api/v1/tables`, { token: service.token, body: { name: 'notes', columns } })
    await call(`${service.url}/api/v1/tables/notes/records`, { token: service.token, body: {} })
    const file = join(openFolder(), 'base.tar.zst.age')
    expect(await backUp(service.dataDir, file, [], settings)).toMatchObject({ code: 0 })
    const cell = `${service.url}/api/v1/tables/notes/records/1/attachments/papers`
    const authorization = `Bearer ${service.token}`
    const text = 'what came behind the backup'
    const sent = await fetch(`${cell}?name=late.txt`, {
      method: 'POST',
      body: text,
      headers: { authorization, 'content-type': 'application/octet-stream' },
    })
    expect(sent.status).toBe(201)
    // At its end PostgreSQL puts all of its log aside, and the service brings it.
    expect(await service.stop()).toBe(0)
    expect(existsSync(join(service.dataDir, 'wal/outbox')) && readdirSync(join(service.dataDir, 'wal/outbox'))).toEqual([])
    if (!s3) {
      const [id = ''] = readdirSync(folder)
      const kept = ['wal', 'files'].flatMap((part) => readdirSync(join(folder, id, part)).map((name) => join(folder, id, part, name)))
      expect(kept.length).toBeGreaterThan(1)
      for (const path of kept) expect(readFileSync(path, 'latin1')).toStartWith('age-encryption.org/v1\n')
    }
    rmSync(service.dataDir, { recursive: true })

    const dataDir = newDataDir()
    const environment = { ROWHOUSE_DATA_DIR: dataDir, ...settings }
    const wrong = join(secrets, 'wrong')
    writeFileSync(wrong, 'another secret\n')
    expect(await run(['restore', file, '--to=latest'], { environment: { ...environment, ROWHOUSE_PASSPHRASE_FILE: wrong } })).toMatchObject(
      { code: 1 },
    )
    const restored = await run(['restore', file, '--to=latest'], { environment })
    expect({ code: restored.code, stderr: restored.stderr }).toMatchObject({ code: 0 })
    expect(restored.stdout).not.toContain('nor in the archive')
    await using again = await startService({ dataDir })
    const [found] = (await (await call(`${again.url}/api/v1/tables/notes/records/1`, { token: service.token })).json()).papers
    expect(await (await call(again.url + found.url, { token: service.token })).text()).toBe(text)
    await s3?.[Symbol.asyncDispose]()
  })

  test('what is damaged, missing, too early or of no archive is refused in a sentence, and leaves nothing', async () => {
    const archive = openFolder()
    const service = await startArchiving(archive)
    const before = await timeBetween()
    const file = join(openFolder(), 'base.tar.zst')
    expect(await backUp(service.dataDir, file)).toMatchObject({ code: 0 })
    const times: string[] = []
    const written: string[] = []
    for (const number of [1, 2, 3]) {
      await addNumber(service, number)
      times.push(await timeBetween())
      // PostgreSQL has reached a time when it sees a change behind it.
      await addNumber(service, number + 10)
      written.push(await archived(service, archive))
    }
    const without = await startUsed()
    const plain = join(openFolder(), 'plain.tar.zst')
    expect(await backUp(without.dataDir, plain)).toMatchObject({ code: 0 })
    await Promise.all([service.stop(), without.stop()])
    const dataDir = newDataDir()
    const refused = async (made: ReturnType<typeof restoreTo>, code: number, reason: RegExp) => {
      const { code: found, stderr } = await made
      expect({ found, stderr }).toEqual({ found: code, stderr: expect.stringMatching(reason) })
      expect(existsSync(dataDir) ? readdirSync(dataDir) : []).toEqual([])
    }
    await refused(restoreTo(file, archive, before, dataDir), 1, /Choose an earlier backup or a later time/)
    await refused(restoreTo(file, archive, '2999-01-01 10:00', dataDir), 1, /is in the future/)
    await refused(restoreTo(file, archive, 'yesterday', dataDir), 2, /--to is a time such as/)
    await refused(restoreTo(plain, archive, 'latest', dataDir), 1, /made without an archive of the log/)
    await refused(restoreTo(file, openFolder(), 'latest', dataDir), 1, /has no archive of the log for this backup/)
    await refused(restoreFrom(file, dataDir, ['--to=latest']), 1, /name it in --wal-archive/)

    // The segment of the second number, which those behind it do not make up for.
    const [id = ''] = readdirSync(archive)
    const second = join(archive, id, 'wal', segmentsIn(archive, id).find((name) => name.startsWith(written[1]!))!)
    const kept = join(newFolder(), 'kept')
    renameSync(second, kept)
    await refused(restoreTo(file, archive, 'latest', dataDir), 1, /lacks [0-9A-F]{24}, and has \d+ after it/)
    await refused(restoreTo(file, archive, times[2]!, dataDir), 1, /lacks [0-9A-F]{24}, and has/)
    const cut = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)
    const change = (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 50), Buffer.from('x'), bytes.subarray(51)])
    for (const damage of isDrilling ? [cut, change] : [change]) {
      writeFileSync(second, damage(readFileSync(kept)))
      await refused(restoreTo(file, archive, 'latest', dataDir), 3, /segment [0-9A-F]{24} is damaged/)
    }
    expect(await restoreTo(file, archive, times[0]!, dataDir)).toMatchObject({ code: 0 })
    expect(await numbersOf(dataDir, service.token)).toEqual([1])
    rmSync(second)
    renameSync(kept, second)
    const ends: [to: string, numbers: number[], said: string][] = [
      [await timeBetween(), [1, 2, 3, 11, 12, 13], 'the archive of the log ends before the requested time'],
      ...(isDrilling ? [[times[1]!, [1, 2, 11], ''] as [string, number[], string]] : []),
    ]
    for (const [to, numbers, said] of ends) {
      const whole = newDataDir()
      expect(await restoreTo(file, archive, to, whole)).toMatchObject({ code: 0, stdout: expect.stringContaining(said) })
      expect(await numbersOf(whole, service.token)).toEqual(numbers)
    }
    const { code, stdout, stderr } = await restoreTo(file, archive, await timeBetween(), newDataDir(), ['--quiet'])
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toMatch(/^rowhouse: The backup is of \S+; the archive of the log ends before the requested time: .*\n$/)
  })

  test('a request is taken back with all that came later, whichever of its transactions ended first', async () => {
    const archive = openFolder()
    const service = await startArchiving(archive)
    const { url, token, dataDir: served } = service
    const items = `${url}/api/v1/tables/items/records`
    const as = (requestId: string) => ({ token, headers: { 'x-request-id': requestId } })
    expect((await call(items, { ...as('early'), body: { number: 1 } })).status).toBe(201)
    const file = join(openFolder(), 'base.tar.zst')
    expect(await backUp(served, file)).toMatchObject({ code: 0 })
    const load = startWriteLoad(url, token, 8, 100)
    await until('many are written', () => load.acknowledged.length > 40)
    await load.stop()
    const before = [1, ...load.acknowledged].sort((one, other) => one - other)
    expect((await call(`${items}?number=gt.0`, { ...as('accident'), method: 'DELETE' })).status).toBe(200)
    await addNumber(service, 2)
    const [slow, fast] = [connectTo(socketPathOf(served)), connectTo(socketPathOf(served))]
    for (const [sql, number] of [
      [slow, 3],
      [fast, 4],
    ] as const)
      await sql.unsafe(`begin; set local rowhouse.origin = '- - - twice'; insert into data.items (number) values (${number})`)
    await fast.unsafe('commit')
    await addNumber(service, 5)
    await slow.unsafe('commit')
    await Promise.all([slow.end(), fast.end()])
    await archived(service, archive)
    await destroy(service)

    const restore = (dataDir: string, requestId: string, more: string[] = []) =>
      restoreFrom(file, dataDir, [`--wal-archive=${archive}`, `--before-request=${requestId}`, ...more])
    for (const [requestId, numbers] of [
      ['accident', before],
      ['twice', [2]],
    ] as const) {
      const dataDir = newDataDir()
      const { code, stdout, stderr } = await restore(dataDir, requestId)
      expect({ code, stderr }).toMatchObject({ code: 0 })
      expect(stdout).toContain('the last change in it is of')
      expect(await numbersOf(dataDir, token)).toEqual([...numbers])
    }
    const dataDir = newDataDir()
    for (const [requestId, code, reason, more] of [
      ['early', 1, /The request early ended before the backup did/, []],
      ['never', 1, /No change of the request never is in the archive/, []],
      ['never', 2, /either --to or --before-request/, ['--to=latest']],
    ] as const) {
      const refused = await restore(dataDir, requestId, [...more])
      expect(refused).toMatchObject({ code, stderr: expect.stringMatching(reason) })
      expect(existsSync(dataDir) ? readdirSync(dataDir) : []).toEqual([])
    }
  })
})
