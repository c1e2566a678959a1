import { expect } from 'bun:test'
import { json, type TestApp } from './app'

/** A text whose SHA-256 begins with the given number of zero bits, found in the same way as in a browser. */
export function solve(challenge: string, difficulty: number): string {
  if (typeof challenge !== 'string' || !(difficulty > 0)) throw new Error('The form gave no challenge.')
  for (let number = 0; ; number++) {
    const proof = `${challenge}:${number}`
    const first = new Bun.CryptoHasher('sha256').update(proof).digest().readUInt32BE(0)
    if (first >>> (32 - difficulty) === 0) return proof
  }
}

/** A shorter type than the arguments of `fetch`. */
type Send = { url: string; headers?: Record<string, string> }

export async function proofFor({ url }: Pick<Send, 'url'>, name: string): Promise<string> {
  const { challenge, difficulty } = await json(fetch(`${url}/api/v1/forms/${name}`))
  return solve(challenge, difficulty)
}

/** Submits a form like a program, with its own proof of work. */
export async function submit({ url, headers = {} }: Send, name: string, values: object, more: object = {}): Promise<Response> {
  const proof = await proofFor({ url }, name)
  return fetch(`${url}/api/v1/forms/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ values, proof, ...more }),
  })
}

export async function makeTable(app: TestApp, name: string, columns: object[]): Promise<{ id: string }> {
  const made = await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })
  expect(made.status).toBe(201)
  return made.json()
}

let count = 0

/** A form with a unique name, which accepts as many submissions per IP as a test sends. */
export async function makeForm(app: TestApp, table: string, fields: object[], more: object = {}): Promise<string> {
  const name = `form-${count++}`
  const body = { name, table, title: 'Ask us', fields, budget: '1000/h', ...more }
  const made = await app.call('/api/v1/form-definitions', { as: 'admin', body })
  expect([made.status, made.status === 201 ? null : await made.text()]).toEqual([201, null])
  return name
}

export const recordsOf = async (app: TestApp, table: string, query = '') =>
  (await json(app.call(`/api/v1/tables/${table}/records${query}`, { as: 'admin' }))).records
