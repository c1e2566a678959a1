const lowest = '00000000-0000-0000-0000-000000000000'

/**
 * Yields rows in the order of their ids, in batches.
 * @param read returns at most `size` rows, the first after an id
 */
export async function* pagesById<Row extends { id: string }>(size: number, read: (after: string) => Promise<Row[]>): AsyncGenerator<Row[]> {
  for (let after = lowest; ; ) {
    const page = await read(after)
    yield page
    if (page.length < size) return
    after = page.at(-1)!.id
  }
}
