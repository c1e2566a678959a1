const browsers: [mark: RegExp, name: string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/(HeadlessChrome|Chrome|Chromium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
]
const systems: [mark: RegExp, name: string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux|X11/, 'Linux'],
]

const find = (list: [RegExp, string][], agent: string) => list.find(([mark]) => mark.test(agent))?.[1] ?? null

/** Browser and operating system of a `User-Agent`; null if they are unknown. */
export const parseUserAgent = (agent: string): { browser: string | null; system: string | null } => ({
  browser: find(browsers, agent),
  system: find(systems, agent),
})
