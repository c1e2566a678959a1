import { expect, test } from 'bun:test'
import { chooseSecondRun, type Finished, isRed, resultsFromOutput, summaryOf, unstableOutputs } from './results'

/** A process that ran these files, of which some failed. */
function job(files: string[], failed: string[] = [], output = ''): Finished {
  const results = files.map((file) => ({ file, ms: 1, passed: 1, failed: failed.includes(file) ? 1 : 0, isRun: true }))
  return { files, code: failed.length > 0 ? 1 : 0, ms: 1, cpuMs: 1, results, output }
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `test/${index}.test.ts`)
const lines = (count: number, text: string) => Array.from({ length: count }, (_, index) => `${text} ${index}`).join('\n')

test('two files that failed run once more; three do not, and none do with STRICT=1', () => {
  expect(chooseSecondRun([job(names(9), names(2))], false)).toEqual(names(2))
  expect(chooseSecondRun([job(names(9), names(3))], false)).toEqual([])
  expect(chooseSecondRun([job(names(9), names(1))], true)).toEqual([])
})

test.each([
  'test/executable/backup.test.ts',
  'test/executable/restore-table.test.ts',
  'test/backup/wal.test.ts',
  'test/executable/kill.test.ts',
])('a failure of %s is red at once, and keeps others from a second run', (file) => {
  expect(chooseSecondRun([job([file], [file]), job(names(1), names(1))], false)).toEqual([])
})

test('all files of a process that ended badly without a failed test run once more', () => {
  expect(chooseSecondRun([{ ...job(names(2)), code: 132 }], false)).toEqual(names(2))
  expect(chooseSecondRun([{ ...job(names(3)), code: 132 }], false)).toEqual([])
})

test('files that a hung process did not come to run alone, and do not count as unstable', () => {
  const [done = '', hung = '', next = '', last = ''] = names(4)
  const output = `bun test v1\n\n${done}:\n(pass) one\n(pass) two\n\n${hung}:\n(pass) three\n`
  const results = resultsFromOutput(output, names(4))
  expect(results).toEqual([
    { file: done, ms: 0, passed: 2, failed: 0, isRun: true },
    { file: hung, ms: 0, passed: 1, failed: 1, isRun: true },
    { file: next, ms: 0, passed: 0, failed: 0, isRun: false },
    { file: last, ms: 0, passed: 0, failed: 0, isRun: false },
  ])
  const first = [{ ...job(names(4)), code: 137, results, output }]
  expect(chooseSecondRun(first, false)).toEqual([next, last, hung])
  expect(chooseSecondRun(first, true)).toEqual([next, last])
  const passedAlone = [job([next]), job([last]), job([hung])]
  expect(isRed(first, passedAlone)).toBe(false)
  expect(summaryOf(first, passedAlone)).toEndWith(`unstable: 1 file (${hung}): passed alone\n5 passed, 0 failed`)
  expect(isRed(first, [job([next], [next]), job([last]), job([hung])])).toBe(true)
  expect(isRed(first, [job([next]), job([hung])])).toBe(true)
})

test('a process that printed nothing failed in its first file', () => {
  expect(resultsFromOutput('', names(2)).map(({ failed, isRun }) => [failed, isRun])).toEqual([
    [1, true],
    [0, false],
  ])
})

test('a file that passes alone is not red, but named, and its first output is kept; one that fails twice, or did not run again, is red', () => {
  const [one = '', other = ''] = names(2)
  const first = [job(names(9), [one, other], 'what it said')]
  expect(isRed(first, [job([one]), job([other])])).toBe(false)
  expect(isRed(first, [job([one]), job([other], [other])])).toBe(true)
  expect(isRed(first, [])).toBe(true)
  const summary = summaryOf(first, [job([one]), job([other], [other])])
  expect(summary).toContain(`Failed:\n  ${other}\n`)
  expect(summary).toEndWith(`unstable: 1 file (${one}): passed alone\n9 passed, 1 failed`)
  expect(unstableOutputs(first, [job([one]), job([other], [other])])).toEqual([{ file: one, output: 'what it said' }])
})

test('the summary repeats the last 60 lines of a failed file, for both of its runs', () => {
  const [one = '', other = ''] = names(2)
  const output = `${one}:\n${lines(100, 'beside')}\n(pass) something\n\n${other}:\n${lines(5, 'of the other')}\n`
  const summary = summaryOf([job([one, other], [one], output)], [job([one], [one], `${one}:\n${lines(70, 'again')}`)])
  expect(summary.match(/^beside \d+$/gm)).toHaveLength(60)
  expect(summary).toContain('beside 99')
  expect(summary.match(/^again \d+$/gm)).toHaveLength(60)
  expect(summary).not.toContain('(pass)')
  expect(summary).not.toContain('of the other')
})
