import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exchangeClusters, keptMajors, removeKeptClusters, requireRoomForKept, settleExchange } from '../../../src/db/embedded/exchange'
import { toDataDirPlace } from '../../../src/db/embedded/place'
import { findRuntime, postgresMajor, removeOtherRuntimes } from '../../../src/db/embedded/runtime'
import { newFolder } from '../../support/executable'

/** A data directory with clusters of these major versions, by the names of their folders. */
function dataDirWith(clusters: Record<string, number>) {
  const place = toDataDirPlace(newFolder(), null)
  for (const [name, major] of Object.entries(clusters)) cluster(join(place.dataDir, name), major)
  mkdirSync(place.runtimeDir)
  return place
}

function cluster(folder: string, major: number): string {
  mkdirSync(folder)
  writeFileSync(join(folder, 'PG_VERSION'), `${major}\n`)
  return folder
}

const clustersOf = ({ dataDir }: { dataDir: string }) =>
  Object.fromEntries(
    readdirSync(dataDir)
      .filter((name) => name.startsWith('postgres'))
      .map((name) => [name, Number(readFileSync(join(dataDir, name, 'PG_VERSION'), 'utf8'))]),
  )

const [older, own, newer] = [postgresMajor - 1, postgresMajor, postgresMajor + 1]

test('the new cluster takes the place of the old one, which keeps its version in its name', () => {
  const place = dataDirWith({ postgres: older })
  exchangeClusters(place, cluster(join(place.dataDir, 'work'), own))
  expect(clustersOf(place)).toEqual({ postgres: own, [`postgres-${older}`]: older })
  expect(keptMajors(place)).toEqual([older])
})

test.each([
  ['before the renames the old one counts', { postgres: older, 'postgres.upgraded': own }, { postgres: older }],
  [
    'between them it is finished',
    { [`postgres-${older}`]: older, 'postgres.upgraded': own },
    { [`postgres-${older}`]: older, postgres: own },
  ],
  ['between them a release of the old version undoes it', { [`postgres-${own}`]: own, 'postgres.upgraded': newer }, { postgres: own }],
  [
    'between them a release of neither finishes it',
    { [`postgres-${older - 1}`]: older - 1, 'postgres.upgraded': older },
    { [`postgres-${older - 1}`]: older - 1, postgres: older },
  ],
  [
    'an own one that was put aside by hand is not taken for the old one',
    { [`postgres-${own}`]: own, [`postgres-${older}`]: older, 'postgres.upgraded': own },
    { [`postgres-${own}`]: own, [`postgres-${older}`]: older, postgres: own },
  ],
  ['nothing to do', { postgres: own, [`postgres-${older}`]: older }, { postgres: own, [`postgres-${older}`]: older }],
  ['a removal that was cut off goes on', { postgres: own, 'postgres.removed': older }, { postgres: own }],
])('an exchange that was cut off: %s', (_name, found, settled: Record<string, number>) => {
  const place = dataDirWith(found)
  settleExchange(place)
  expect(clustersOf(place)).toEqual(settled)
})

test('a new cluster that was removed in part before the exchange does not keep the old one from starting', () => {
  const place = dataDirWith({ postgres: older, 'postgres.upgraded': own })
  rmSync(join(place.dataDir, 'postgres.upgraded/PG_VERSION'))
  settleExchange(place)
  expect(clustersOf(place)).toEqual({ postgres: older })
})

test('the name under which the old one is kept has to be free', () => {
  expect(() => requireRoomForKept(dataDirWith({ postgres: older, [`postgres-${older}`]: older }))).toThrow(
    `postgres-${older} is there already`,
  )
  expect(() => requireRoomForKept(dataDirWith({ postgres: older }))).not.toThrow()
})

test('old clusters are removed with their programs, and only where the new one is in its place', () => {
  const place = dataDirWith({ postgres: own, [`postgres-${older}`]: older })
  mkdirSync(join(place.runtimeDir, `postgres-${older}.3-abc/bin`), { recursive: true })
  writeFileSync(join(place.runtimeDir, `postgres-${older}.3-abc/bin/postgres`), Buffer.alloc(100_000))
  expect(findRuntime(place.runtimeDir, older)).toBe(join(place.runtimeDir, `postgres-${older}.3-abc`))
  removeOtherRuntimes(place.runtimeDir, keptMajors(place))
  expect(existsSync(join(place.runtimeDir, `postgres-${older}.3-abc`))).toBe(true)
  const removed = removeKeptClusters(place)
  expect(removed.majors).toEqual([older])
  expect(removed.freedBytes).toBeGreaterThan(100_000)
  expect([clustersOf(place), readdirSync(place.runtimeDir)]).toEqual([{ postgres: own }, []])
  expect(removeKeptClusters(place)).toEqual({ majors: [], freedBytes: 0 })

  const unfinished = dataDirWith({ [`postgres-${older}`]: older, 'postgres.upgraded': own })
  expect(() => removeKeptClusters(unfinished)).toThrow('the old one is still needed')
})

test('a newer database, or one of this version, that was put aside by hand is not removed', () => {
  const aside = { postgres: own, [`postgres-${own}`]: own, [`postgres-${newer}`]: newer }
  const place = dataDirWith({ ...aside, [`postgres-${older}`]: older })
  expect(removeKeptClusters(place).majors).toEqual([older])
  expect(clustersOf(place)).toEqual(aside)
  expect(removeKeptClusters(place)).toEqual({ majors: [], freedBytes: 0 })
})

test('of several releases of a major version the last is run; what is half unpacked is not', () => {
  const { runtimeDir } = dataDirWith({})
  for (const name of [`${older}.9-a`, `${older}.10-a`, `${older}.11-a.unpacking`]) {
    mkdirSync(join(runtimeDir, `postgres-${name}/bin`), { recursive: true })
    writeFileSync(join(runtimeDir, `postgres-${name}/bin/postgres`), '')
  }
  expect(findRuntime(runtimeDir, older)).toBe(join(runtimeDir, `postgres-${older}.10-a`))
  expect(findRuntime(runtimeDir, older - 1)).toBeNull()
  removeOtherRuntimes(runtimeDir, [older])
  expect(readdirSync(runtimeDir).sort()).toEqual([`postgres-${older}.10-a`, `postgres-${older}.9-a`])
})
