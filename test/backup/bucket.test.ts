import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { S3Client } from 'bun'
import { type BucketObject, putObject, sendToBucket } from '../../src/backup/bucket'
import { UncertainUpload } from '../../src/backup/errors'
import { newFolder } from '../support/executable'
import { rejection } from '../support/rejection'

type Ends = { write?: () => Promise<void>; end?: () => Promise<void>; delete?: () => Promise<void> }

/** A bucket whose uploads end as a test wants. Nothing answers at its URLs. */
const objectOf = ({ write = async () => {}, end = async () => {}, delete: remove = async () => {} }: Ends): BucketObject => {
  let isThere = false
  const finish = async () => {
    await end()
    isThere = true
  }
  const client = {
    exists: async () => isThere,
    delete: remove,
    presign: () => 'http://127.0.0.1:1/',
    file: () => ({ writer: () => ({ write, flush: async () => {}, end: finish }) }),
  }
  return { client: client as unknown as S3Client, key: 'b', address: 's3://bucket/b' }
}

async function* bytes() {
  yield Buffer.from('bytes')
}

const failureOf = async (work: Promise<void>) => (await rejection(work)) as Error

const silent = () => Promise.reject(new Error('S3 has not answered in 30000 ms'))
const options = (signal = new AbortController().signal) => ({ partBytes: 1, signal, onBytes: () => {} })

test('an upload that fails before its end leaves nothing; one that fails at its end may leave its object', async () => {
  const early = await failureOf(putObject(objectOf({ write: silent }), bytes(), options()))
  expect(early.message).toBe('S3 taking it failed: S3 has not answered in 30000 ms. Nothing was left behind.')
  const late = await failureOf(putObject(objectOf({ end: silent }), bytes(), options()))
  expect(late.message).toBe(
    'S3 taking it failed: S3 has not answered in 30000 ms. s3://bucket/b may be there nevertheless; look before you try again.',
  )
})

test('an interruption says that nothing is left only where that is known', async () => {
  const interruption = new Error('Interrupted; nothing was left behind.')
  for (const [ends, isKnown] of [
    ['write', true],
    ['end', false],
  ] as const) {
    const controller = new AbortController()
    const object = objectOf({
      [ends]: () => {
        controller.abort(interruption)
        return new Promise<void>(() => {})
      },
    })
    const error = await rejection(putObject(object, bytes(), options(controller.signal)))
    if (isKnown) expect(error).toBe(interruption)
    else expect(error).toBeInstanceOf(UncertainUpload)
  }
})

test('an object that cannot be read back, and not be removed, is named', async () => {
  const path = join(newFolder(), 'backup')
  writeFileSync(path, 'bytes')
  const send = (object: BucketObject) => failureOf(sendToBucket(object, path, new AbortController().signal, () => {}))
  expect((await send(objectOf({}))).message).toEndWith('Nothing was left behind.')
  expect((await send(objectOf({ delete: silent }))).message).toEndWith('s3://bucket/b is still there; remove it.')
})
