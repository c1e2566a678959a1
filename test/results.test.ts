import { expect, test } from 'bun:test'
import { chooseSecondRun, type Finished, isRed, summaryOf } from './results'

/** A process that ran these files, of which some failed. */
function job(files: string[], failed: string[] = [], output = ''): Finished {
  const results = files.map((file) => ({ file, ms: 1, passed: 1, failed: failed.includes(file) ? 1 : 0 }))
  return { files, code: failed.length > 0 ? 1 : 0, ms: 1, cpuMs: 1, results, output }
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `test/${index}.test.ts`)
const lines = (count: number, text: string) => Array.from({ length: count }, (_, index) => `${text} ${index}`).join('\n')

test('up to five files that failed run once more; more do not, and none do when it is strict', () => {
  expect(chooseSecondRun([job(names(9), names(5))], false)).toEqual(names(5))
  expect(chooseSecondRun([job(names(9), names(6))], false)).toEqual([])
  expect(chooseSecondRun([job(names(9), names(1))], true)).toEqual([])
})

test('all files of a process that ended badly without a failed test run once more', () => {
  expect(chooseSecondRun([{ ...job(names(3)), code: 132 }], false)).toEqual(names(3))
})

test('the files of a process that hung run once more beside the five; those of two do not', () => {
  const hung = { ...job(names(12), names(12)), isHung: true }
  expect(chooseSecondRun([hung, job(['test/other.test.ts'], ['test/other.test.ts'])], false)).toEqual(['test/other.test.ts', ...names(12)])
  expect(chooseSecondRun([hung, hung], false)).toEqual([])
})

test('what passes alone is not red, but named; what fails twice, or did not run again, is red', () => {
  const [one = '', other = ''] = names(2)
  const first = [job(names(9), [one, other])]
  expect(isRed(first, [job([one]), job([other])])).toBe(false)
  expect(isRed(first, [job([one]), job([other], [other])])).toBe(true)
  expect(isRed(first, [])).toBe(true)
  const summary = summaryOf(first, [job([one]), job([other], [other])])
  expect(summary).toContain(`UNSTABLE (failed once, passed alone). Each is a fault to be mended:\n  ${one}\n`)
  expect(summary).toContain(`Failed:\n  ${other}\n`)
  expect(summary).toEndWith('1 failed, 1 unstable files; 0.0 s of a processor in their processes')
})

test('the summary repeats the last 60 lines of a failed file, of both of its runs', () => {
  const [one = '', other = ''] = names(2)
  const output = `${one}:\n${lines(100, 'beside')}\n(pass) something\n\n${other}:\n${lines(5, 'of the other')}\n`
  const summary = summaryOf([job([one, other], [one], output)], [job([one], [one], `${one}:\n${lines(70, 'again')}`)])
  expect(summary.match(/^beside \d+$/gm)).toHaveLength(60)
  expect(summary).toContain('beside 99')
  expect(summary.match(/^again \d+$/gm)).toHaveLength(60)
  expect(summary).not.toContain('(pass)')
  expect(summary).not.toContain('of the other')
})
