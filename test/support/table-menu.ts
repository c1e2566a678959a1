import type { Page } from 'playwright-core'

export const openActions = (page: Page) => page.getByRole('button', { name: 'More actions', exact: true }).click()

/** Selects an item of the table menu. */
export async function chooseAction(page: Page, name: string) {
  await openActions(page)
  await page.getByRole('menuitem', { name, exact: true }).click()
}
