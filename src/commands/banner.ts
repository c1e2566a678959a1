import type { Events } from '../ops/events'

/** Long first steps, on a terminal: what is being done, in one line that is written over. */
export function showProgress(events: Events) {
  if (!process.stderr.isTTY) return
  events.subscribe((event) => {
    if (event.kind === 'progress') process.stderr.write(`\r\x1b[K${event.message} …`)
    else if (event.kind === 'started') process.stderr.write('\r\x1b[K')
  })
}

/** What a person who has just started the service wants to know. */
export function printStarted({ url, database, setupUrl }: { url: string; database: string; setupUrl?: string }) {
  const next = setupUrl ? ['  Set it up      ', setupUrl] : ['  Sign in        ', url]
  const lines = [
    '',
    '  Rowhouse is running',
    '',
    `  Address         ${url}`,
    `  Database        ${database}`,
    `${next.join(' ')}`,
    '  API             /swagger, after sign-in',
    '  Stop            Ctrl-C',
    '',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
