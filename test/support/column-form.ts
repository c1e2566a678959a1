import type { Page } from 'playwright-core'

/** Chooses a type in the form of a column, by typing its name. @param type as users see it */
export async function chooseType(page: Page, type: string) {
  const field = page.getByRole('dialog').getByRole('combobox', { name: 'Type' })
  await field.click()
  await field.fill(type)
  await page
    .getByRole('option', { name: new RegExp(`^${type}`) })
    .first()
    .click()
}
