import { expect, test } from 'bun:test'
import { createEvents, type Event, eventsUntilEnd } from '../../src/ops/log/events'

test('who listened to the events of one database hears nothing after its end; what is emitted is told all the same', () => {
  const all = createEvents()
  const [told, heard]: Event[][] = [[], []]
  all.subscribe((event) => void told!.push(event))
  const own = eventsUntilEnd(all)
  own.subscribe((event) => void heard!.push(event))
  const [first, second] = ['first', 'second'].map((message): Event => ({ kind: 'note', message }))
  own.emit(first!)
  own.end()
  own.emit(second!)
  expect([told, heard]).toEqual([[first!, second!], [first!]])
})
