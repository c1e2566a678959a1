import { plural } from './plural'

export const backups = {
  title: 'Backups',
  text: 'Each backup is restored into a scratch folder, started and compared before it counts as proven.',
  now: 'Back up now',
  off: 'No folder is set. Set ROWHOUSE_BACKUP_TO to a folder, and the service makes a backup every night. “rowhouse backup FILE” makes one by hand.',
  folder: 'Folder',
  schedule: 'Schedule',
  next: 'Next',
  never: 'never',
  late: 'overdue',
  walArchive: 'Log archive',
  archived: 'Last archived',
  notYet: 'not yet',
  waiting: (count: number) => plural(count, { one: '# segment waits', other: '# segments wait' }),
  steps: { Copying: 'Copying…', 'Trying it out': 'Trying it out…', Sending: 'Sending…' },
  none: 'No backups yet',
  noneText: 'Backups appear here when they end.',
  states: { proven: 'proven', unproven: 'not whole', failed: 'failed' },
  origins: { schedule: 'scheduled', request: 'on request', command: 'command line' },
  took: (seconds: string) => `${seconds} s`,
  contents: (tables: number, records: number, files: number) =>
    [
      plural(tables, { one: '# table', other: '# tables' }),
      plural(records, { one: '# record', other: '# records' }),
      plural(files, { one: '# attachment', other: '# attachments' }),
    ].join(', '),
  download: 'Download',
  downloadOf: (time: string) => `Download the backup of ${time}`,
  gone: 'not there any more',
}
