import type { Locator, Page } from 'playwright-core'

/** Selects a type in the form of a column by typing its name. @param type as users see it */
export async function chooseType(page: Page, type: string) {
  const field = page.getByRole('dialog').getByRole('combobox', { name: 'Type' })
  await field.click()
  await field.fill(type)
  await page
    .getByRole('option', { name: new RegExp(`^${type}`) })
    .first()
    .click()
}

/** Selects an item of a list that opens below its field. */
export async function chooseOption(page: Page, field: Locator, option: string | RegExp) {
  await field.click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
