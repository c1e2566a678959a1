/** The result of one file. `isRun` is false where its process ended before the file began. */
export type FileResult = { file: string; ms: number; passed: number; failed: number; isRun: boolean }
/** A process that has ended. `cpuMs` excludes Chromium and the shared PostgreSQL. */
export type Finished = { files: string[]; code: number; ms: number; cpuMs: number; results: FileResult[]; output: string }

/** More failures than these are no accident of a busy machine. */
const maxUnstable = 2
/** A failure in these files is never explained by a busy machine: twice it was the product that lost something. */
const criticalFile = /backup|restore|move|kill/
/** How many lines of a failed file's output the summary repeats, for logs that are cut in the middle. */
const maxTailLines = 60

const sum = <Item>(items: Item[], pick: (item: Item) => number) => items.reduce((total, item) => total + pick(item), 0)
const isGood = ({ code, results }: Finished) => code === 0 && results.every(({ failed, isRun }) => failed === 0 && isRun)

/** The failed files of a process. One that ended badly though no test failed fails all files that it had begun. */
function failedIn({ code, results }: Finished): FileResult[] {
  const failed = results.filter((each) => each.failed > 0)
  return failed.length > 0 || code === 0 ? failed : results.filter(({ isRun }) => isRun)
}

const listFailed = (jobs: Finished[]) => jobs.flatMap((job) => failedIn(job).map((result) => ({ ...result, job })))

/** The files to run alone after the lanes: those that another file's process kept from running, and those that may be unstable. */
export function chooseSecondRun(first: Finished[], isStrict: boolean): string[] {
  const unrun = first.flatMap(({ results }) => results.filter(({ isRun }) => !isRun).map(({ file }) => file))
  const failed = listFailed(first).map(({ file }) => file)
  const mayPass = !isStrict && failed.length <= maxUnstable && !failed.some((file) => criticalFile.test(file))
  return [...unrun, ...(mayPass ? failed : [])]
}

/** The failed files of a whole run, apart by whether they passed alone. */
function judge(first: Finished[], second: Finished[]) {
  const alone = new Map(second.map((job) => [job.files[0]!, job]))
  const failedFirst = listFailed(first)
  const isUnstable = ({ file }: FileResult) => alone.has(file) && isGood(alone.get(file)!)
  const unrun = first.flatMap(({ results }) => results.filter(({ isRun }) => !isRun))
  const failedLater = listFailed(second.filter(({ files }) => unrun.some(({ file }) => file === files[0])))
  const lost = unrun.filter(({ file }) => !alone.has(file)).map((result) => ({ ...result, failed: 1, job: first[0]! }))
  return {
    unstable: failedFirst.filter(isUnstable),
    failed: [...failedFirst.filter((each) => !isUnstable(each)), ...failedLater, ...lost],
    runsOf: (file: string) => [...first, ...second].filter(({ results }) => results.some((each) => each.file === file && each.isRun)),
  }
}

export const isRed = (first: Finished[], second: Finished[]): boolean => judge(first, second).failed.length > 0

/** The output of the first failure of each unstable file. */
export const unstableOutputs = (first: Finished[], second: Finished[]): { file: string; output: string }[] =>
  judge(first, second).unstable.map(({ file, job }) => ({ file, output: job.output }))

/** One line for a process, and its output if it failed. */
export function reportOf(result: Finished, done: number, all: number): string {
  const { files, ms, results, output } = result
  const name = files.length === 1 ? files[0] : `${files[0]} and ${files.length - 1} more`
  const passed = sum(results, (each) => each.passed)
  const line = `${isGood(result) ? 'ok  ' : 'FAIL'} ${name}  ${passed} tests, ${(ms / 1000).toFixed(1)} s  (${done}/${all})`
  return isGood(result) ? line : `${line}\n${withoutPassed(output).trimEnd()}\n`
}

const withoutPassed = (output: string) => output.replace(/^\(pass\).*\n/gm, '')

/** Ends with the unstable files and the line `N passed, N failed`. */
export function summaryOf(first: Finished[], second: Finished[]): string {
  const { unstable, failed, runsOf } = judge(first, second)
  const results = [...first, ...second].flatMap((job) => job.results)
  const passed = sum(
    [...new Set(results.map(({ file }) => file))].map((file) => results.findLast((each) => each.file === file)!),
    (each) => each.passed,
  )
  const cpuMs = sum([...first, ...second], (job) => job.cpuMs)
  const names = (files: FileResult[]) => files.map(({ file }) => file)
  return [
    slowest(first),
    ...[...unstable, ...failed].flatMap(({ file }) => runsOf(file).map((run, index) => tailOf(run, file, index))),
    ...(failed.length > 0
      ? [
          `\nFailed:\n${names(failed)
            .map((file) => `  ${file}`)
            .join('\n')}`,
        ]
      : []),
    `\n${seconds(cpuMs).trim()} of processor time in the test processes`,
    ...(unstable.length > 0
      ? [`unstable: ${unstable.length} file${unstable.length === 1 ? '' : 's'} (${names(unstable).join(', ')}): passed alone`]
      : []),
    `${passed} passed, ${sum(failed, (each) => Math.max(each.failed, 1))} failed`,
  ].join('\n')
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1).padStart(6)} s`

function slowest(first: Finished[]): string {
  const all = first.flatMap(({ results, files, cpuMs }) => results.map((each) => ({ ...each, cpuMs: files.length === 1 ? cpuMs : null })))
  const lines = all
    .toSorted((one, other) => other.ms - one.ms)
    .slice(0, 20)
    .map(({ file, ms, cpuMs }) => `${seconds(ms)} ${cpuMs === null ? '        ' : seconds(cpuMs)}  ${file}`)
  return `\nThe 20 slowest files, with the processor time of those that had a process of their own (without Chromium and the shared PostgreSQL):\n${lines.join('\n')}`
}

const tailOf = (run: Finished, file: string, index: number) =>
  `\n── ${file}, ${index === 0 ? 'beside others' : 'alone'}: the end of its output\n${outputOf(run.output, file).split('\n').slice(-maxTailLines).join('\n')}`

const headerPattern = /^(test\/\S+\.test\.ts):$/gm

/** What Bun printed between the header of `file` and the next one. */
function outputOf(output: string, file: string): string {
  const parts = withoutPassed(output).split(headerPattern)
  const at = parts.lastIndexOf(file)
  return (at === -1 ? parts.join('\n') : parts[at + 1]!).trim()
}

/** Results by the output alone, of a process that ended before it wrote its report: the file that it was in failed. */
export function resultsFromOutput(output: string, files: string[]): FileResult[] {
  const parts = output.split(headerPattern)
  const last = files.includes(parts.at(-2) ?? '') ? parts.at(-2)! : files[0]!
  const count = (text: string, word: string) => text.match(new RegExp(`^\\(${word}\\)`, 'gm'))?.length ?? 0
  return files.map((file) => {
    const text = parts[parts.lastIndexOf(file) + 1] ?? ''
    const isRun = file === last || parts.includes(file)
    const failed = isRun ? count(text, 'fail') : 0
    return { file, ms: 0, passed: isRun ? count(text, 'pass') : 0, failed: file === last ? Math.max(failed, 1) : failed, isRun }
  })
}
