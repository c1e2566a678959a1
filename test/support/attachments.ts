import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { markerName } from '../../src/attachments/storage/storage'
import { json, startApp, type TestApp } from './app'

export type FileView = { id: string; name: string; size: number; type: string; width?: number; height?: number; url: string }

/**
 * An app with the table `pets`: `photos` accepts any files, `papers` at most two, `icon` one image. Record 1 is Rex, 2
 * is Tom.
 */
export type Files = TestApp & {
  dataDir: string
  tableId: string
  columnId: (name: string) => string
  /** One file as the body. @returns the response */
  send: (name: string, body: BodyInit, options?: { cell?: string; as?: 'admin' | 'editor' | 'viewer'; query?: string }) => Promise<Response>
  /** Like `send`, but returns the created files; requires status 201. */
  attach: (name: string, body: BodyInit, cell?: string) => Promise<FileView>
  /** Like `filesIn`: everything in storage. */
  stored: () => string[]
  cell: (column: string, pk?: number) => Promise<FileView[]>
}

export const firstCell = '/api/v1/tables/pets/records/1/attachments'

export async function startFiles(environment: Record<string, string> = {}): Promise<Files> {
  const app = await startApp({ ROWHOUSE_MIN_FREE_BYTES: '0', ...environment })
  const { dataDir } = app.deps.config
  const columns = [
    { name: 'name', type: 'text' },
    { name: 'photos', type: 'attachment' },
    { name: 'papers', type: 'attachment', options: { maxFiles: 2 } },
    { name: 'icon', type: 'attachment', options: { maxFiles: 1, accept: ['image/*', '.pdf'] } },
  ]
  const table = await json(app.call('/api/v1/tables', { as: 'admin', body: { name: 'pets', columns } }))
  await app.call('/api/v1/tables/pets/records', { as: 'editor', body: [{ name: 'Rex' }, { name: 'Tom' }] })
  const send: Files['send'] = (name, body, { cell = `${firstCell}/photos`, as = 'editor', query = '' } = {}) =>
    fetch(`${app.url}${cell}?name=${encodeURIComponent(name)}${query}`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${app.tokens[as]}`, 'content-type': 'application/octet-stream' },
    })
  return {
    ...app,
    dataDir,
    tableId: table.id,
    columnId: (name) => table.columns.find((column: { name: string }) => column.name === name).id,
    send,
    attach: async (name, body, cell) => {
      const answer = await send(name, body, { cell })
      if (answer.status !== 201) throw new Error(`The upload answered ${answer.status}: ${await answer.text()}`)
      return ((await answer.json()) as FileView[])[0]!
    },
    stored: () => filesIn(join(dataDir, 'files')),
    cell: async (column, pk = 1) => (await json(app.call(`/api/v1/tables/pets/records/${pk}`, { as: 'viewer' })))[column],
  }
}

/** All files except the one that identifies the database. */
export const filesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== markerName)
      .map(({ name }) => name)
      .sort()
  } catch {
    return []
  }
}

/** A form as a browser sends it. */
export function form(files: [name: string, body: BlobPart][]): FormData {
  const data = new FormData()
  for (const [name, body] of files) data.append('file', new Blob([body]), name)
  return data
}

/** An image of one colour. */
export const picture = async (width: number, height: number, format: 'jpeg' | 'png' | 'webp' = 'png'): Promise<Uint8Array<ArrayBuffer>> => {
  const dot = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64')
  return new Uint8Array(await new Bun.Image(dot).resize(width, height)[format]().bytes())
}
