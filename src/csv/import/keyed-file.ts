import type { Actor } from '../../auth/identity/actor'
import type { Query } from '../../db/pool/open'
import { findAnswer, type KeyedRequest, keepAnswer, readKeyedRequest, withoutRules } from '../../records/idempotency'
import type { UploadedFile } from './request'

/** The Idempotency-Key of an import. The file is hashed while it is read. @throws Failure invalid_request */
export function openKeyedFile({ request, actor }: { request: Request; actor: Actor }) {
  if (!readKeyedRequest(request, actor, '', withoutRules)) return null
  const hash = new Bun.CryptoHasher('sha256')
  let keyed: KeyedRequest | null | undefined
  async function* hashed(source: UploadedFile['source']) {
    for await (const chunk of source) {
      hash.update(chunk)
      yield chunk
    }
  }
  return {
    reading: (file: UploadedFile): UploadedFile => {
      hash.update(JSON.stringify([...file.fields]))
      return { ...file, source: hashed(file.source) }
    },
    /**
     * Finds an earlier response. Call it after the file has been read.
     * @throws Failure request_in_progress, idempotency_key_reused
     */
    find: async (query: Query): Promise<Response | null> => {
      keyed ??= readKeyedRequest(request, actor, hash.digest('hex'), withoutRules)
      return keyed && findAnswer(query, keyed)
    },
    keep: async (query: Query, response: Response): Promise<void> => {
      if (keyed) await keepAnswer(query, keyed, response, await response.text())
    },
  }
}
