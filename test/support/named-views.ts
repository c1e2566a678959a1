import type { Page } from 'playwright-core'
import { call } from './executable'
import type { GridService } from './grid'

export const viewButton = (page: Page, name: string) => page.getByRole('button', { name: `View: ${name}`, exact: true })
export const viewItem = (page: Page, name: string) => page.getByRole('menu').getByText(name, { exact: true })

/** Selects an item of the views menu. @param view the name on its button */
export async function act(page: Page, view: string, action: string) {
  await viewButton(page, view).click()
  await viewItem(page, action).click()
}

export async function saveAsView(page: Page, from: string, name: string, isShared = false) {
  await act(page, from, 'Save as new view…')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
  if (isShared) await dialog.getByRole('checkbox', { name: 'For everyone' }).check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await viewButton(page, name).waitFor()
}

export async function chooseOfColumn(page: Page, column: string, action: string) {
  await page.getByRole('columnheader', { name: column }).hover()
  await page.getByRole('button', { name: `Menu for column ${column}` }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

export const viewIdIn = (page: Page) => new URL(page.url()).searchParams.get('view')

export const viewsApi = (service: GridService, table: string, path = '', body?: object, method?: string) =>
  call(`${service.url}/api/v1/tables/${service.tableId(table)}/views${path}`, { token: service.token, body, method })
