import { checkFiles, countMissing } from '../../attachments/check'
import { adoptStorage, isOwnStorage } from '../../attachments/storage/identity'
import { openStorage } from '../../attachments/storage/open'
import type { SettingKey } from '../../ops/settings/settings'
import { type Command, databaseSettings, s3Settings } from '../command'
import { withDeps } from '../with-deps'

export const explainedFindings = {
  missing: 'its bytes are not in the storage',
  altered: 'its bytes are not those that were uploaded',
  orphaned: 'bytes that belong to no file',
}

export const storageSettings: SettingKey[] = [...databaseSettings, 'databasePoolSize', 'queryTimeoutMs', ...s3Settings]

export const filesCheck: Command = {
  name: 'files check',
  summary: 'Compare attachments with the database, byte by byte.',
  description:
    'Reads every file and prints one line for each that is missing, altered or orphaned. Changes nothing. Exits with 1 when there are any, or when the storage is not that of this database. May run beside the service.',
  settings: storageSettings,
  run: (context) =>
    withDeps(context, async ({ db, config, events }) => {
      const storage = openStorage(config, events)
      await isOwnStorage(db.query, storage)
      let faults = 0
      const { files, bytes } = await checkFiles({ db, storage }, ({ kind, name, about }) => {
        faults++
        console.log(`${kind}\t${name}\t${explainedFindings[kind]} (${about})`)
      })
      console.log(`${files} files, ${bytes} bytes in ${storage.place}: ${faults === 0 ? 'all intact' : `${faults} faulty`}.`)
      return faults === 0 ? 0 : 1
    }),
}

export const filesAdopt: Command = {
  name: 'files adopt',
  summary: 'Accept the configured storage as that of this database.',
  description:
    'For files that were moved or restored to another folder or bucket without their storage-id, and for a database that was restored without its files. Prints how many files of the database are missing there. Then the service starts with this storage, and no longer with the one before. No file is changed or deleted.',
  settings: storageSettings,
  run: (context) =>
    withDeps(context, async ({ db, config, events }) => {
      const storage = openStorage(config, events)
      const { files, missing } = await countMissing({ db, storage })
      console.log(`${missing} of ${files} files of this database are missing in ${storage.place}.`)
      await adoptStorage(db, storage)
      console.log(`${storage.place} is the storage of this database now.`)
      return 0
    }),
}
