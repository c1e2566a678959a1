/** What a process says of one of its files. */
export type FileResult = { file: string; ms: number; passed: number; failed: number }
/** A process that has ended. `cpuMs` is without Chromium and the shared PostgreSQL. */
export type Finished = { files: string[]; code: number; ms: number; cpuMs: number; results: FileResult[]; output: string; isHung?: boolean }

/** More than these did not fail by chance. */
const maxSecondRun = 5
/** Of the output of a failed file, at the end of a run: what a log that is cut in its middle still has. */
const endLines = 60

const sum = <Item>(items: Item[], pick: (item: Item) => number) => items.reduce((total, item) => total + pick(item), 0)
const isGood = ({ code, results }: Finished) => code === 0 && results.every(({ failed }) => failed === 0)

/** A process that ended badly though no test of it failed fails all of its files. */
const failedIn = ({ results }: Finished) =>
  results.some(({ failed }) => failed > 0) ? results.filter(({ failed }) => failed > 0) : results

const listFailed = (jobs: Finished[]) => jobs.filter((job) => !isGood(job)).flatMap(failedIn)

/** The files that are to run once more, each alone. */
export function chooseSecondRun(first: Finished[], isStrict: boolean): string[] {
  // One that hung keeps the others of its process from being tried.
  const failed = listFailed(first.filter(({ isHung }) => !isHung)).map(({ file }) => file)
  const hung = first.filter(({ isHung }) => isHung).flatMap(({ files }) => files)
  return isStrict || failed.length > maxSecondRun || first.filter(({ isHung }) => isHung).length > 1 ? [] : [...failed, ...hung]
}

/** The files that failed, with both runs of each where it ran twice; unstable ones passed alone. */
function judge(first: Finished[], second: Finished[]) {
  const failed = first
    .filter((job) => !isGood(job))
    .flatMap((job) =>
      failedIn(job).map(({ file, failed }) => ({ file, failed, runs: [job, ...second.filter(({ files }) => files[0] === file)] })),
    )
  const isUnstable = ({ runs }: { runs: Finished[] }) => runs.length > 1 && isGood(runs.at(-1)!)
  return { unstable: failed.filter(isUnstable), failed: failed.filter((each) => !isUnstable(each)) }
}

export const isRed = (first: Finished[], second: Finished[]): boolean => judge(first, second).failed.length > 0

/** A line, and for a process that failed what it has said. */
export function reportOf(result: Finished, done: number, all: number): string {
  const { files, ms, results, output } = result
  const name = files.length === 1 ? files[0] : `${files[0]} and ${files.length - 1} more`
  const passed = sum(results, (each) => each.passed)
  const line = `${isGood(result) ? 'ok  ' : 'FAIL'} ${name}  ${passed} tests, ${(ms / 1000).toFixed(1)} s  (${done}/${all})`
  return isGood(result) ? line : `${line}\n${withoutPassed(output).trimEnd()}\n`
}

const withoutPassed = (output: string) => output.replace(/^\(pass\).*\n/gm, '')

/** What is to be read first comes last. */
export function summaryOf(first: Finished[], second: Finished[]): string {
  const { unstable, failed } = judge(first, second)
  const list = (title: string, files: { file: string }[]) =>
    files.length === 0 ? [] : [`\n${title}:\n${files.map(({ file }) => `  ${file}`).join('\n')}`]
  const passed = sum(
    first.flatMap(({ results }) => results),
    (each) => each.passed,
  )
  const cpuMs = sum([...first, ...second], (job) => job.cpuMs)
  return [
    slowest(first),
    ...[...unstable, ...failed].map(endsOf),
    ...list('UNSTABLE (failed once, passed alone). Each is a fault to be mended', unstable),
    ...list('Failed', failed),
    `\n${passed} passed, ${sum(failed, (each) => Math.max(each.failed, 1))} failed, ${unstable.length} unstable files; ${seconds(cpuMs).trim()} of a processor in their processes`,
  ].join('\n')
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1).padStart(6)} s`

function slowest(first: Finished[]): string {
  const all = first.flatMap(({ results, files, cpuMs }) => results.map((each) => ({ ...each, cpuMs: files.length === 1 ? cpuMs : null })))
  const lines = all
    .toSorted((one, other) => other.ms - one.ms)
    .slice(0, 20)
    .map(({ file, ms, cpuMs }) => `${seconds(ms)} ${cpuMs === null ? '        ' : seconds(cpuMs)}  ${file}`)
  return `\nThe 20 slowest files, with the processor time of each that has a process of its own (without Chromium and the shared PostgreSQL):\n${lines.join('\n')}`
}

const runNames = ['beside others', 'alone']

const endsOf = ({ file, runs }: { file: string; runs: Finished[] }) =>
  runs.map((run, index) => `\n── ${file}, ${runNames[index]}: the end of its output\n${endOf(run, file)}`).join('\n')

/** Bun puts the path of a file above what it says of it. */
function endOf({ output }: Finished, file: string): string {
  const lines = withoutPassed(output).trimEnd().split('\n')
  const from = lines.lastIndexOf(`${file}:`)
  const rest = lines.slice(from + 1)
  const length = from === -1 ? -1 : rest.findIndex((line) => /^test\/\S+\.test\.ts:$/.test(line))
  const own = (length === -1 ? rest : rest.slice(0, length)).join('\n').trimEnd().split('\n')
  return own.slice(-endLines).join('\n')
}
