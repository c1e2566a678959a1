import type { Event, Events } from '../ops/log/events'

type Started = Extract<Event, { kind: 'started' }>

const eraseLine = '\r\x1b[K'

/**
 * For people: shows slow steps of the start in one line that is updated (on a terminal), and then the URLs.
 * @returns the kinds of events shown here, which the log need not repeat
 */
export function showStart(events: Events): Event['kind'][] {
  const isTerminal = process.stdout.isTTY
  events.subscribe((event) => {
    if (event.kind === 'progress' && isTerminal) process.stdout.write(`${eraseLine}${event.message} …`)
    if (event.kind === 'note' && isTerminal) process.stdout.write(eraseLine)
    if (event.kind === 'started') process.stdout.write(`${isTerminal ? eraseLine : ''}${banner(event)}`)
  })
  return isTerminal ? ['progress', 'started'] : ['started']
}

const banner = ({ url, database, setupUrl }: Started) => `
  Rowhouse is running

  Address      ${url}
  Database     ${database}
  ${setupUrl ? `Set it up    ${setupUrl}` : `Sign in      ${url}`}
  API          ${url}/swagger, after sign-in
  Stop         Ctrl-C

`
