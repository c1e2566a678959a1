import { describe, expect, test } from 'bun:test'
import type { S3Client } from 'bun'
import { createS3Client, listObjects, readBucketAddress, removeObject } from '../../src/object-store/bucket'
import { readConfig } from '../../src/ops/settings/config'
import { settled } from '../support/rejection'

/** Lists like S3, two keys a page; fails as often as it is asked to. */
function bucketOf(keys: string[], failures = 0) {
  const sorted = keys.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
  let left = failures
  const fail = (code: string) => {
    if (left-- > 0) throw Object.assign(new Error(code), { code })
  }
  const list = async ({ prefix = '', delimiter, startAfter = '' }: { prefix?: string; delimiter?: string; startAfter?: string }) => {
    fail('SlowDown')
    const isAfter = (key: string) => Buffer.compare(Buffer.from(key), Buffer.from(startAfter)) > 0
    const entries = sorted
      .filter((key) => key.startsWith(prefix) && isAfter(key))
      .map((key) => {
        const end = delimiter ? key.indexOf(delimiter, prefix.length) : -1
        return end < 0 ? { key } : { prefix: key.slice(0, end + 1) }
      })
    const distinct = [...new Map(entries.map((entry) => [entry.key ?? entry.prefix, entry])).values()]
    const page = distinct.slice(0, 2)
    return {
      contents: page.flatMap(({ key }) => (key === undefined ? [] : [{ key }])),
      commonPrefixes: page.flatMap(({ prefix: inner }) => (inner === undefined ? [] : [{ prefix: inner }])),
      isTruncated: distinct.length > 2,
    }
  }
  const remove = async (key: string) => {
    fail('SlowDown')
    if (!keys.includes(key)) throw Object.assign(new Error('no such folder'), { code: 'InternalError' })
  }
  return { list, delete: remove, exists: async (key: string) => keys.includes(key) } as unknown as S3Client
}

const keysOf = async (client: S3Client, prefix: string, delimiter?: string) =>
  (await Array.fromAsync(listObjects(client, prefix, delimiter))).flat().map(({ key }) => key)

const keys = ['a/1', 'a/2', 'a/b/3', 'a/b/4', 'a/b/5', 'a/c/6', 'a/d', 'a/é', 'b/7']

test('all pages are listed', async () => {
  expect(await keysOf(bucketOf(keys), 'a/')).toEqual(['a/1', 'a/2', 'a/b/3', 'a/b/4', 'a/b/5', 'a/c/6', 'a/d', 'a/é'])
  expect(await keysOf(bucketOf(keys), 'a/b/')).toEqual(['a/b/3', 'a/b/4', 'a/b/5'])
  expect(await keysOf(bucketOf([]), '')).toEqual([])
})

test('only keys directly under the prefix are listed with a delimiter', async () => {
  expect(await keysOf(bucketOf(keys), 'a/', '/')).toEqual(['a/1', 'a/2', 'a/d', 'a/é'])
  expect(await keysOf(bucketOf(['a/b/1', 'a/c/1', 'a/d/1', 'a/e/1']), 'a/', '/')).toEqual([])
})

test('S3 may fail twice, and a missing object is removed already', async () => {
  expect(await keysOf(bucketOf(['a'], 2), '')).toEqual(['a'])
  expect(await settled(keysOf(bucketOf(['a'], 3), ''))).toThrow('SlowDown')
  await removeObject(bucketOf(['a'], 2), 'a')
  await removeObject(bucketOf([]), 'a')
  expect(await settled(removeObject(bucketOf(['a'], 3), 'a'))).toThrow('SlowDown')
})

test.each([
  ['s3://bucket/some/key', { bucket: 'bucket', key: 'some/key' }],
  ['s3://bucket', { bucket: 'bucket', key: '' }],
  ['s3://b', null],
  ['s3://bucket/key?versionId=1', null],
  ['https://bucket/key', null],
  ['/srv/files', null],
])('the address %s is read', (address, expected) => {
  expect(readBucketAddress(address)).toEqual(expected)
})

describe('virtual-hosted, where the host name has the bucket,', () => {
  const settings = { S3_VIRTUAL_HOSTED: '1', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret', S3_REGION: 'eu-central-1' }
  const urlOf = (bucket: string, more: Record<string, string>) =>
    createS3Client(readConfig({ ...settings, ...more }), bucket)
      .presign('a/b')
      .split('?')[0]!
  const own = { S3_ENDPOINT: 'https://files.s3.example.org:9000' }

  test('every bucket has its own', () => {
    for (const bucket of ['files', 'backups'])
      expect(urlOf(bucket, { ...own, S3_BUCKET: 'files' })).toBe(`https://${bucket}.s3.example.org:9000/a/b`)
    expect(urlOf('backups', {})).toBe('https://backups.s3.eu-central-1.amazonaws.com/a/b')
  })

  test('a domain of its own is for the bucket of the settings', () => {
    const domain = { S3_ENDPOINT: 'https://files.example.com', S3_BUCKET: 'team' }
    expect(urlOf('team', domain)).toBe('https://files.example.com/a/b')
    expect(() => urlOf('backups', domain)).toThrow('S3_ENDPOINT is not for the bucket backups')
  })

  test('without S3_BUCKET it is for the bucket in it', () => {
    expect(urlOf('files', own)).toBe('https://files.s3.example.org:9000/a/b')
    expect(() => urlOf('backups', own)).toThrow('S3_ENDPOINT is not for the bucket backups')
  })
})
