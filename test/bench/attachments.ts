import { text } from 'node:stream/consumers'
import { cellPath, largeFile, makePets, type Stored, upload } from '../support/pets'
import { startUsed } from '../support/used-data'
import { inFlight, type Measured, measure } from './load'
import { pssOf } from './memory'
import { count, mb, median, ms, notThere, percent, type Row } from './table'

type Service = Awaited<ReturnType<typeof startUsed>>

const rounds = 5
const large = 1024
const bars = { rate: '≥ 70 %', memory: '< 64 MB', range: '± 30 %' }

/**
 * Files out, beside Bun alone sending the same file to everybody; a gigabyte in and out; and how soon the end of it
 * comes.
 */
export async function measureAttachments(): Promise<Row[]> {
  const path = largeFile(large)
  const [up, range] = await measureLarge(path)
  return [...(await measureRate()), ...up!, ...range!]
}

/** In turn, so that a slow moment of the machine falls on both. */
async function measureRate(): Promise<Row[]> {
  await using service = await startUsed()
  await makePets(service)
  const path = largeFile(1)
  const [file] = (await (await upload(service, 'one.bin', Bun.file(path))).json()) as [Stored]
  const bare = await startBare(path)
  const measured: { bare: Measured[]; ours: Measured[] } = { bare: [], ours: [] }
  try {
    for (let round = 0; round < rounds; round++) {
      measured.bare.push(await measure({ url: `${bare.url}/` }))
      measured.ours.push(await measure({ url: service.url + file.url, headers: { authorization: `Bearer ${service.token}` } }))
    }
  } finally {
    bare.stop()
  }
  const rate = (of: Measured[]) => median(of.map(({ perSecond }) => perSecond))
  const ratio = rate(measured.ours) / rate(measured.bare)
  const row = (what: string, of: Measured[]): Row => ({
    what,
    figure: `${count(rate(of))} MB/s`,
    p50: ms(median(of.map(({ p50Ms }) => p50Ms))),
    p99: ms(median(of.map(({ p99Ms }) => p99Ms))),
  })
  return [
    row(`Bun.serve alone, file of 1 MB, ${inFlight} connections`, measured.bare),
    {
      ...row(`Attachment of 1 MB, Bearer, ${inFlight} connections`, measured.ours),
      ratio: percent(ratio),
      bar: bars.rate,
      isMet: ratio >= 0.7,
    },
  ]
}

/** Of no credential, no database and no header. */
async function startBare(path: string): Promise<{ url: string; stop: () => void }> {
  const program = `const file = Bun.file(${JSON.stringify(path)})
    console.log(Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(file) }).url.origin)`
  const child = Bun.spawn(['bun', '-e', program], { stdout: 'pipe' })
  const reader = child.stdout.getReader()
  const url = new TextDecoder().decode((await reader.read()).value).trim()
  return { url, stop: () => child.kill() }
}

async function measureLarge(path: string): Promise<Row[][]> {
  await using service = await startUsed()
  await makePets(service)
  await upload(service, 'small', 'x')
  await Bun.sleep(2000)
  const up = await watched(service, 'A file of 1 GB comes in', ['-X', 'POST', '-T', path, `${service.url}${cellPath}?name=large.bin`])
  const form = await watched(service, 'A file of 1 GB comes in as a form', ['-F', `file=@${path}`, service.url + cellPath])
  const [file] = JSON.parse(up.answer) as [Stored]
  const down = await watched(service, 'A file of 1 GB goes out', ['-o', '/dev/null', service.url + file.url])
  return [[up.row, form.row, down.row], await measureRange(service, file)]
}

const curl = (service: Service, args: string[]) =>
  Bun.spawn(['curl', '-sS', '-f', '-H', 'Expect:', '-H', `Authorization: Bearer ${service.token}`, ...args], { stdout: 'pipe' })

/** The service's memory above what it was before, while curl does its work. */
async function watched(service: Service, what: string, args: string[]): Promise<{ row: Row; answer: string }> {
  if (process.platform !== 'linux') return { row: notThere(what, bars.memory), answer: await text(curl(service, args).stdout) }
  const idle = pssOf(service.pid)
  let most = idle
  const sampling = setInterval(() => {
    most = Math.max(most, pssOf(service.pid))
  }, 20)
  const startedAt = performance.now()
  const child = curl(service, args)
  const answer = await text(child.stdout)
  const tookMs = performance.now() - startedAt
  clearInterval(sampling)
  if ((await child.exited) !== 0) throw new Error(`${what}: curl failed.`)
  const figure = `${mb(most - idle)} more memory, ${count(large / (tookMs / 1000))} MB/s`
  return { row: { what, figure, bar: bars.memory, isMet: most - idle < 64 * 2 ** 20 }, answer }
}

/** The time to the first byte of a hundred, at the beginning and at the end of the file, in turn. */
async function measureRange({ url, token }: Service, file: Stored): Promise<Row[]> {
  const took: [number[], number[]] = [[], []]
  const ranges = ['bytes=0-99', `bytes=${file.size - 100}-${file.size - 1}`]
  for (let round = 0; round < 300; round++) {
    for (const [place, range] of ranges.entries()) {
      const startedAt = performance.now()
      const answer = await fetch(url + file.url, { headers: { range, authorization: `Bearer ${token}` } })
      if (answer.status !== 206) throw new Error(`A range answered ${answer.status}.`)
      took[place]!.push(performance.now() - startedAt)
      await answer.arrayBuffer()
    }
  }
  const [start, end] = took.map(median) as [number, number]
  const ratio = end / start
  return [
    { what: 'First byte of a range at the start of 1 GB', figure: ms(start) },
    {
      what: 'First byte of a range at its end',
      figure: ms(end),
      ratio: percent(ratio),
      bar: bars.range,
      isMet: ratio <= 1.3 && ratio >= 0.7,
    },
  ]
}
