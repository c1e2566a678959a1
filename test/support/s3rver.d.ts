/** As much of s3rver 3.7 as the tests use; it has no types of its own. */
declare module 's3rver' {
  type Options = {
    port: number
    address: string
    silent: boolean
    directory: string
    configureBuckets: { name: string; configs: (string | Buffer)[] }[]
  }
  export default class S3rver {
    httpServer: import('node:http').Server
    constructor(options: Options)
    run(): Promise<{ address: string; port: number }>
    close(): Promise<void>
  }
}
