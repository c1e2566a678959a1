import { expect } from 'bun:test'
import { STATUS_CODES } from 'node:http'
import type { FailureKind } from '../../src/errors'

type Problem = {
  type: string
  status: number
  code: FailureKind
  message: string
  requestId: string
  hint?: string
  details?: Record<string, unknown>
  errors?: { path: string; message: string }[]
}

/** Checks a response against RFC 9457 and our envelope. @returns its body */
export async function expectProblem(response: Response, status: number, code: FailureKind): Promise<Problem> {
  const body = (await response.json()) as Problem
  expect({ status: response.status, code: body.code }).toEqual({ status, code })
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(body).toMatchObject({ type: `urn:rowhouse:error:${code}`, title: STATUS_CODES[status]!, status })
  expect(body.message).toMatch(/\.$/)
  expect(body.requestId).toBe(response.headers.get('x-request-id')!)
  const known = ['type', 'title', 'status', 'code', 'message', 'details', 'hint', 'errors', 'requestId']
  expect(Object.keys(body).filter((key) => !known.includes(key))).toEqual([])
  return body
}
