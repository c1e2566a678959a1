import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { closeBrowser } from '../support/chromium'
import { call, cleanUp, startService } from '../support/executable'
import { startShowcase } from '../support/ui'
import { administrator, cookieOf } from '../support/used-data'
import { firstScreens, type Screen, screens } from './screens'
import { show } from './show'

/** `bun run screenshots [name …]`: pictures of the compiled executable's screens, into docs/screenshots/. */
const folder = resolve(import.meta.dir, '../../docs/screenshots')
mkdirSync(folder, { recursive: true })
const asked = process.argv.slice(2)
const isAsked = ({ name }: Screen) => asked.length === 0 || asked.includes(name)

async function take(screen: Screen, place: Parameters<typeof show>[1]) {
  const { page, context } = await show(screen, place)
  await page.screenshot({ path: join(folder, `${screen.name}.png`), animations: 'disabled', caret: 'hide' })
  await context.close()
  console.log(`docs/screenshots/${screen.name}.png`)
}

try {
  if (firstScreens.some(isAsked)) {
    await using fresh = await startService()
    for (const screen of firstScreens.filter(isAsked)) await take(screen, fresh)
  }
  const service = await startShowcase()
  const cookie = cookieOf(await call(`${service.url}/auth/login`, { body: administrator }))
  for (const screen of screens.filter(isAsked)) await take(screen, { ...service, cookie })
  await service.stop()
} finally {
  await closeBrowser()
  cleanUp()
}
