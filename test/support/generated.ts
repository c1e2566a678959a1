import { packGenerated } from './generated-files'

// The first preload of bunfig.toml. `test/run.ts` has done it for all of its processes.
if (!process.env.TEST_GENERATED) await packGenerated()
