/** An origin that is safe in a page's policy: nothing in it ends a source, a directive or a header. */
const origin = /^https?:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::\d{1,5})?$/

export const isEmbeddingSite = (site: string): boolean => origin.test(site) && URL.canParse(site) && new URL(site).origin === site

/** Whether a form may redirect there after a submission. */
export function isRedirect(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  return url?.protocol === 'https:' && url.username === '' && url.password === '' && origin.test(url.origin) && url.href.length <= 2000
}
