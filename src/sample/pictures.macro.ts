import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dir, 'pictures')

/** The pictures of the sample in base64, by the names of their files, taken into the executable when it is built. */
export const pictureTexts = (): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'base64')]))
