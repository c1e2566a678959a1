/** The part of s3rver 3.7 that the tests use; it includes no types. */
declare module 's3rver' {
  type Options = {
    port: number
    address: string
    silent: boolean
    directory: string
    configureBuckets: { name: string; configs: (string | Buffer)[] }[]
  }
  type ListOptions = { maxKeys?: number; startAfter?: string; prefix?: string }
  type Listed = { objects: { key: string }[]; isTruncated: boolean }
  export default class S3rver {
    store: { listObjects: (bucket: string, options: ListOptions) => Promise<Listed> }
    httpServer: import('node:http').Server
    constructor(options: Options)
    run(): Promise<{ address: string; port: number }>
    close(): Promise<void>
  }
}
