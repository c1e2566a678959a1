import { commit, version as number } from '../ops/version'
import type { Command } from './command'

export const versionCommand: Command = {
  name: 'version',
  summary: 'Print the version.',
  description: 'Prints the version of Rowhouse and the commit it was built from.',
  settings: [],
  run: async () => {
    console.log(`rowhouse ${number} (${commit})`)
    return 0
  },
}
