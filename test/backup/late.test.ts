import { expect, test } from 'bun:test'
import { createLateAlert, isOverdue } from '../../src/backup/schedule/late-alert'
import { createEvents } from '../../src/ops/log/events'
import { readSchedule } from '../../src/ops/settings/backup-settings'

test.each([
  ['2026-11-26T03:15:00Z', '2026-11-26T23:00:00Z', false],
  ['2026-11-26T03:15:00Z', '2026-11-27T03:15:00Z', true],
  ['2026-11-26T03:16:00Z', '2026-11-29T00:00:00Z', true],
])('a backup that began at %s and is under way at %s takes longer than its schedule allows: %p', (startedAt, now, expected) => {
  expect(isOverdue(readSchedule('15 3 * * * UTC'), new Date(startedAt), new Date(now))).toBe(expected)
})

test('an alert of being late is sent once, and again after it was not late', () => {
  const events = createEvents()
  const messages: string[] = []
  events.subscribe((event) => void (event.kind === 'alert' && messages.push(event.message)))
  const notify = createLateAlert('/backups/', events)
  for (const isLate of [false, true, true, false, true]) notify({ isLate, ageSeconds: isLate ? 2 * 86_400 : 60 })
  notify({ isLate: false, ageSeconds: 60 })
  notify({ isLate: true, ageSeconds: null })
  expect(messages).toEqual([
    'The backup is late. The last proven backup began 48 hours ago (/backups/).',
    'The backup is late. The last proven backup began 48 hours ago (/backups/).',
    'The backup is late. There is no proven backup yet (/backups/).',
  ])
})
