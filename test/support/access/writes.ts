import type { Row } from './document'
import { keyOf, rest } from './reads'
import { type Builder, type Pick, pick, type Request, tableRequest } from './requests'
import { referenceOf } from './world'

/** Requests that write. Their changes are judged by the rows before and after them. */

/** Values that are not canaries. Links lead to any record, readable or not. */
function valuesOf({ table, sight, world, a, b, c }: Pick): Row {
  const kinds: Record<string, (target?: string) => unknown> = {
    text: () => pick(['written', 'red', 'blue', null], c),
    number: () => 1_000_000 + ((a * 7919 + b * 104_729 + c * 31) % 800_000),
    flag: () => pick([true, false, null], c),
    owner: () => pick(sight.state[table.name]!, b)?.owner ?? null,
    link: (target) => pick(sight.state[target!]!, c)?.[world.tables.find(({ name }) => name === target)!.key] ?? null,
    links: (target) => sight.state[target!]!.slice(0, c % 3).map(({ id }) => id),
    back: (target) => sight.state[target!]!.slice(c % 3, (c % 3) + 2).map(({ id }) => id),
    backs: (target) => sight.state[target!]!.slice(0, c % 2).map(({ id }) => id),
  }
  const writable = table.columns.filter(({ kind }) => kind in kinds)
  const chosen = writable.filter((_, place) => ((a * 31 + b) >> place) & 1)
  return Object.fromEntries((chosen.length ? chosen : writable.slice(0, 1)).map(({ name, kind, target }) => [name, kinds[kind]!(target)]))
}

const withKey = (asked: Pick, body: Row): Row => (asked.table.key === 'code' ? { code: `code${asked.a}x${asked.c}`, ...body } : body)

const native =
  (method: string, path: (asked: Pick) => string, body?: (asked: Pick) => unknown, headers = {}): Builder =>
  (asked) => ({
    ...tableRequest(asked, path(asked)),
    ...{ method, body: body?.(asked), headers },
  })

const dry = ({ b }: Pick) => (b % 4 === 0 ? 'dryRun=true' : '')
const search = (...parts: string[]) => (parts.some(Boolean) ? `?${parts.filter(Boolean).join('&')}` : '')
const shown = ({ c }: Pick) => (c % 3 === 1 ? 'select=*' : '')

export const create = native(
  'POST',
  (asked) => `/records${search(dry(asked), shown(asked))}`,
  (asked) => withKey(asked, valuesOf(asked)),
)
export const createMany = native(
  'POST',
  () => '/records',
  (asked) => [withKey(asked, valuesOf(asked)), withKey({ ...asked, a: asked.a + 1 }, valuesOf({ ...asked, a: asked.a + 1 }))],
  {
    prefer: 'return=representation',
  },
)
export const update = native('PATCH', (asked) => `/records/${keyOf(asked)}${search(dry(asked), shown(asked))}`, valuesOf)
export const updateOld = native('PATCH', (asked) => `/records/${keyOf(asked)}`, valuesOf, { 'if-match': '"1-0.1-aaaaaaaaaaaa"' })
export const replace = native(
  'PUT',
  (asked) => `/records/${asked.c % 3 ? keyOf(asked) : 'newkey'}`.replace('newkey', asked.table.key === 'id' ? '77' : 'new'),
  valuesOf,
)
export const replaceNew = native('PUT', (asked) => `/records/${keyOf(asked)}`, valuesOf, { 'if-none-match': '*' })
export const remove = native('DELETE', (asked) => `/records/${keyOf(asked)}${search(dry(asked))}`)
export const updateMany = native('PATCH', (asked) => `/records?${filter(asked)}${asked.b % 4 ? '' : '&dryRun=true'}`, valuesOf, {
  prefer: 'return=representation',
})
export const removeMany = native('DELETE', (asked) => `/records?${filter(asked)}`, undefined, { prefer: 'return=representation' })

const filter = ({ table, a }: Pick) =>
  pick(['flag=is.true', `${table.columns[0]!.name}=not.is.null`, 'num=gt.800000000', 'secret=not.is.null'], a)

const restWrite =
  (
    method: string,
    query: (asked: Pick) => string,
    body: ((asked: Pick) => unknown) | null,
    prefer: string,
    accept = 'application/json',
  ): Builder =>
  (asked): Request => ({
    ...rest(asked, query(asked), { prefer, accept }, undefined, method),
    body: body?.(asked),
  })

const isKey = (asked: Pick) => `?${asked.table.key || 'code'}=eq.${keyOf(asked)}`
const represented = 'return=representation'
const ordered = (asked: Pick) => `?${filter(asked)}&order=num&select=*`

export const restCreate = restWrite(
  'POST',
  (asked) => pick(['', '?select=*', '?order=num'], asked.b),
  (asked) => withKey(asked, valuesOf(asked)),
  represented,
)
export const restCreateQuietly = restWrite(
  'POST',
  () => '',
  (asked) => withKey(asked, valuesOf(asked)),
  'return=headers-only',
)
export const restUpdate = restWrite('PATCH', isKey, valuesOf, represented)
export const restUpdateMany = restWrite('PATCH', ordered, valuesOf, `${represented},count=exact`)
export const restUpdateCsv = restWrite('PATCH', ordered, valuesOf, represented, 'text/csv')
export const restRemove = restWrite('DELETE', ordered, null, represented)
export const restPut = restWrite(
  'PUT',
  isKey,
  (asked) => ({ [asked.table.key || 'code']: decoded(asked), ...valuesOf(asked) }),
  represented,
)
export const restUpsert = restWrite(
  'POST',
  () => '',
  (asked) => [{ [asked.table.key || 'code']: decoded(asked), ...valuesOf(asked) }],
  `${represented},resolution=merge-duplicates`,
)
export const restUpsertByNumber = restWrite(
  'POST',
  ({ b }) => `?on_conflict=num${b % 2 ? '&order=num' : ''}`,
  (asked) => [{ ...withKey(asked, valuesOf(asked)), num: numberOf(asked) }],
  `${represented},resolution=merge-duplicates`,
)
export const restIgnore = restWrite(
  'POST',
  () => '',
  (asked) => [{ [asked.table.key || 'code']: decoded(asked), ...valuesOf(asked) }],
  `${represented},resolution=ignore-duplicates`,
)

const decoded = (asked: Pick): unknown => {
  const text = decodeURIComponent(keyOf(asked))
  return asked.table.key === 'id' ? Number(text) : text
}
const numberOf = ({ table, sight, c }: Pick) => pick(sight.state[table.name]!, c)?.num

export const batch: Builder = (asked) => ({
  method: 'POST',
  path: `/api/v1/batch${asked.b % 3 ? '' : '?dryRun=true'}`,
  body: {
    operations: [
      { method: 'PATCH', table: referenceOf(asked.table), pk: keyOf(asked), body: valuesOf(asked) },
      asked.c % 2
        ? { method: 'POST', table: referenceOf(asked.table), body: withKey(asked, valuesOf({ ...asked, b: asked.b + 1 })) }
        : { method: 'PUT', table: referenceOf(asked.table), pk: keyOf({ ...asked, a: asked.a + 1 }), body: valuesOf(asked) },
    ],
  },
})

/** A file of one line; for an upsert, with an existing key. */
const file = (asked: Pick, key: unknown) => {
  const values = { ...(key === undefined ? {} : { [asked.table.key || 'code']: key }), ...scalars(valuesOf(asked)) }
  return `${Object.keys(values).join(',')}\n${Object.values(values)
    .map((value) => value ?? '')
    .join(',')}\n`
}
const scalars = (row: Row) => Object.fromEntries(Object.entries(row).filter(([, value]) => !Array.isArray(value)))

const imported =
  (query: (asked: Pick) => string, key: (asked: Pick) => unknown): Builder =>
  (asked) => ({
    ...tableRequest(asked, `/import?${query(asked)}`),
    ...{ method: 'POST', body: file(asked, key(asked)), headers: { 'content-type': 'text/csv' } },
  })

export const importNew = imported(
  (asked) => dry(asked),
  ({ table, a, c }) => (table.key === 'code' ? `imp${a}x${c}` : undefined),
)
export const importUpsert = imported((asked) => `mode=upsert&${dry(asked)}`, decoded)
export const importByNumber: Builder = (asked) => ({
  ...tableRequest(asked, `/import?mode=upsert&on=num${asked.b % 2 ? '&dryRun=true' : ''}`),
  ...{ method: 'POST', body: `num,name\n${numberOf(asked)},imported\n`, headers: { 'content-type': 'text/csv' } },
})

/** Rows with files come first. */
const ofFirst = (asked: Pick): Pick => ({
  ...asked,
  table: asked.world.tables.find(({ columns }) => columns.some(({ kind }) => kind === 'files')) ?? asked.table,
  a: asked.a % 3,
})
const fileOf = (asked: Pick) =>
  (pick(asked.sight.state[asked.table.name]!, asked.a)?.papers as { id: string }[] | undefined)?.[0]?.id ?? Bun.randomUUIDv7()
const cell = (asked: Pick) => `/records/${keyOf(asked)}/attachments/papers`
const inFiles =
  (build: Builder): Builder =>
  (asked) =>
    build(ofFirst(asked))

export const upload = inFiles(
  native(
    'POST',
    (asked) => `${cell(asked)}?name=new.txt${asked.b % 2 ? '&replace=true' : ''}`,
    () => 'uploaded',
    { 'content-type': 'text/plain' },
  ),
)
export const download = inFiles(native('GET', (asked) => `${cell(asked)}/${fileOf(asked)}${asked.b % 4 ? '' : '?size=small'}`))
export const removeFile = inFiles(native('DELETE', (asked) => `${cell(asked)}/${fileOf(asked)}`))

const custom =
  (method: string, path: (asked: Pick) => string, body?: (asked: Pick) => unknown): Builder =>
  (asked) => ({
    ...{ method, path: `/api/v1/custom/probe${path(asked)}`, body: body?.(asked) },
  })

export const customList = custom('GET', ({ table }) => `/list/${referenceOf(table)}`)
export const customFind = custom('GET', (asked) => `/find/${referenceOf(asked.table)}/${keyOf(asked)}`)
export const customWrite = custom(
  'POST',
  ({ table }) => `/write/${referenceOf(table)}`,
  (asked) => ({ key: asked.b % 2 ? decoded(asked) : null, values: withKey(asked, valuesOf(asked)) }),
)
export const customSql = custom('GET', ({ table }) => `/sql/${table.schema}/${table.name}`)
export const document: Builder = ({ table }) => ({
  method: 'POST',
  path: '/api/v1/documents/probe/sheet?format=md',
  body: { params: { table: referenceOf(table) } },
})

export const rpc: Builder = ({ world, a }) => ({
  method: 'POST',
  path: `/rest/v1/rpc/${world.name}_${a % 2 ? 'all' : 'touch'}`,
  headers: { 'content-profile': 'ext' },
  body: {},
})
export const rpcGet: Builder = ({ world }) => ({
  method: 'GET',
  path: `/rest/v1/rpc/${world.name}_all`,
  headers: { 'accept-profile': 'ext' },
})
export const between: Builder = (asked) => {
  const column = asked.table.columns.find(({ kind }) => kind === 'links')
  const name = column?.between ?? asked.table.name
  const pair = { [`${asked.table.name}_id`]: (asked.a % 6) + 1, [`${column?.target}_id`]: (asked.b % 6) + 1 }
  return pick<Request>(
    [
      { method: 'GET', path: `/rest/v1/${name}` },
      { method: 'GET', path: `/api/v1/tables/${name}/records` },
      { method: 'POST', path: `/rest/v1/${name}`, body: pair },
      { method: 'DELETE', path: `/rest/v1/${name}?limit=2&${Object.keys(pair)[0]}=gt.0` },
      { method: 'DELETE', path: `/api/v1/tables/${name}/records?${Object.keys(pair)[0]}=gt.0` },
    ],
    asked.c,
  )
}
