import { afterAll, expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { openFolder } from '../support/backups'
import { expectAccessible, expectNoSideways, visit } from '../support/browser'
import { startUi, takeSession } from '../support/ui'

const archive = openFolder()
const service = await startUi({ ROWHOUSE_WAL_ARCHIVE: archive })
afterAll(() => service.stop())

test('the archive of the log is shown beside the backups: where it is, and why it cannot be written to', async () => {
  const { page } = await visit({})
  await takeSession(page, service.url)
  await page.goto(`${service.url}/settings/backups`)
  await page.getByText('Log archive', { exact: true }).waitFor()
  await page.getByText(archive, { exact: true }).waitFor()
  expect(await page.getByText('Is its disk mounted?').count()).toBe(0)
  await expectAccessible(page)
  if (process.env.SHOW) await page.screenshot({ path: `${process.env.SHOW}/ok.png` })

  renameSync(archive, `${archive}-away`)
  // The page asks again by itself.
  await page.getByText('Is its disk mounted?').waitFor()
  await page.getByText('overdue', { exact: true }).first().waitFor()
  await expectAccessible(page)
  if (process.env.SHOW) await page.screenshot({ path: `${process.env.SHOW}/late.png` })
  await page.getByRole('link', { name: 'About' }).click()
  await page.getByText('behind', { exact: true }).waitFor()

  const { page: phone } = await visit({ size: 'phone' })
  await takeSession(phone, service.url)
  await phone.emulateMedia({ colorScheme: 'dark' })
  await phone.goto(`${service.url}/settings/backups`)
  await phone.getByText('Is its disk mounted?').waitFor()
  await expectNoSideways(phone)
  await expectAccessible(phone)
  if (process.env.SHOW) await phone.screenshot({ path: `${process.env.SHOW}/phone.png` })
  renameSync(`${archive}-away`, archive)
})
