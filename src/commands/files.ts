import { checkFiles } from '../attachments/check'
import { type Command, databaseSettings, s3Settings } from './command'
import { withDeps } from './with-deps'

const explained = {
  missing: 'its bytes are not in the storage',
  altered: 'its bytes are not those that were uploaded',
  orphaned: 'bytes that belong to no file',
}

export const filesCheck: Command = {
  name: 'files check',
  summary: 'Compare attachments with the database, byte by byte.',
  description:
    'Reads every file and prints one line for each that is missing, altered or orphaned. Changes nothing. Exits with 1 when there are any. May run beside the service.',
  settings: [...databaseSettings, 'databasePoolSize', 'queryTimeoutMs', ...s3Settings],
  run: ({ config }) =>
    withDeps(config, async (deps) => {
      let faults = 0
      const { files, bytes } = await checkFiles(deps, ({ kind, name, about }) => {
        faults++
        console.log(`${kind}\t${name}\t${explained[kind]} (${about})`)
      })
      console.log(`${files} files, ${bytes} bytes in ${deps.storage.place}: ${faults === 0 ? 'all as they came' : `${faults} at fault`}.`)
      return faults === 0 ? 0 : 1
    }),
}
