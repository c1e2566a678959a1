import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** An example request in a document, with the documented response. */
export type Example = {
  title: string
  method: string
  path: string
  headers: Record<string, string>
  body?: string
  status: number
  answer: string
}

/**
 * The examples of a document: blocks marked `http`; `> ` before a header, `→ ` before the response, an empty line
 * between two examples.
 */
export function examplesOf(document: string): Example[] {
  const text = readFileSync(join(import.meta.dir, '../../docs', document), 'utf8')
  return [...text.matchAll(/```http\n(.*?)```/gs)].flatMap(([, block = '']) => block.trim().split('\n\n')).map(read)
}

function read(example: string): Example {
  const [title = '', ...rest] = example.split('\n')
  const [method = '', path = ''] = title.split(' ')
  const headers = rest.filter((line) => line.startsWith('> ')).map((line) => line.slice(2).split(': ') as [string, string])
  const body = rest.find((line) => /^[{[]/.test(line))
  const [, status = '', answer = ''] = /^→ (\d+) ?(.*)$/.exec(rest.at(-1) ?? '') ?? []
  return {
    title,
    method,
    path: encodeURI(path).replaceAll('%25', '%'),
    headers: Object.fromEntries(headers),
    body,
    status: Number(status),
    answer,
  }
}
