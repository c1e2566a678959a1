const QUOTE = 34

/**
 * Quotes the literal quotation marks of a record for COPY, to which every mark opens or closes quotes. Consecutive
 * marks share quotes and are doubled within them, which COPY accepts anywhere in a cell.
 */
export class LiteralMarks {
  private positions: number[] = []
  /** Whether the bytes taken so far end within such quotes, since more marks may follow. */
  private isOpen = false

  /** Whether the record cannot be passed on unchanged. */
  get isPending(): boolean {
    return this.isOpen || this.positions.length > 0
  }

  add(at: number): void {
    this.positions.push(at)
  }

  clear(): void {
    this.positions = []
    this.isOpen = false
  }

  /** Drops the bytes before this position, which becomes the first. */
  rebase(at: number): void {
    if (at) this.positions = this.positions.map((position) => position - at)
  }

  /** The bytes from `start` to `end` for COPY. @param isEnd whether the record ends there */
  take(bytes: Uint8Array, start: number, end: number, isEnd: boolean): Uint8Array {
    if (!this.isPending) return bytes.subarray(start, end)
    const out = new Uint8Array(end - start + 3 * this.positions.length + 1)
    let size = 0
    let from = start
    const put = (byte: number) => {
      out[size++] = byte
    }
    const close = () => {
      if (this.isOpen) put(QUOTE)
      this.isOpen = false
    }
    const copy = (to: number) => {
      if (to === from) return
      close()
      out.set(bytes.subarray(from, to), size)
      size += to - from
    }
    for (const position of this.positions) {
      copy(position)
      if (!this.isOpen) put(QUOTE)
      this.isOpen = true
      put(QUOTE)
      put(QUOTE)
      from = position + 1
    }
    copy(end)
    if (isEnd) close()
    this.positions = []
    return out.subarray(0, size)
  }
}
