import { describe, expect, test } from 'bun:test'
import { fileBombs, pictureBomb } from '../support/bombs'
import { call } from '../support/executable'
import { makePets, memory, type Stored, upload } from '../support/pets'
import { startUsed } from '../support/used-data'

const mb = 2 ** 20

/** Less than the 256 MB that the smallest of the bombs unpacks to. */
const allowedMb = 192

/** The service has done the same with harmless bytes, so that its code is loaded. */
async function startWarm() {
  const service = await startUsed()
  await makePets(service)
  await upload(service, 'a.docx', 'hello')
  return service
}

const thumbnailOf = async (service: { url: string; token: string }, body: Uint8Array<ArrayBuffer>) => {
  const [{ url }] = (await (await upload(service, 'bomb.png', body)).json()) as [Stored]
  return () => call(`${service.url}${url}?size=large`, { token: service.token })
}

describe('the memory of the service', () => {
  test('does not hold files that unpack to hundreds of megabytes, nor a picture of 10 GB', async () => {
    await using service = await startWarm()
    const bombs = fileBombs.map(([what, name, bytes]) => ({ what, name, bytes: bytes() }))
    const thumbnail = await thumbnailOf(service, await pictureBomb())
    const idle = memory(service.pid).now
    const expectLittle = (what: string) => {
      const tookMb = (memory(service.pid).most - idle) / mb
      expect({ what, tookMb, isLittle: tookMb < allowedMb }).toEqual({ what, tookMb, isLittle: true })
    }
    for (const { what, name, bytes } of bombs) {
      expect((await upload(service, name, bytes)).status).toBe(201)
      expectLittle(what)
    }
    const answers = await Promise.all(Array.from({ length: 10 }, thumbnail))
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(404))
    expectLittle('a picture of 10 GB')
  })

  test('does not grow with a file that is imported', async () => {
    await using service = await startWarm()
    const columns = ['name', 'notes'].map((name) => ({ name, type: 'text' }))
    await call(`${service.url}/api/v1/tables`, { token: service.token, body: { name: 'lines', columns } })
    const importLines = async (megabytes: number) => {
      const file = new Blob(['name,notes\n', ...Array<string>(megabytes).fill(`name,${'x'.repeat(250)}\n`.repeat(4096))])
      const answer = await fetch(`${service.url}/api/v1/tables/lines/import`, {
        method: 'POST',
        body: file,
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'text/csv' },
      })
      expect([answer.status, (await answer.json()).inserted]).toEqual([200, megabytes * 4096])
      return memory(service.pid).most / mb
    }
    const small = await importLines(8)
    expect((await importLines(64)) - small).toBeLessThan(48)
  })
})
