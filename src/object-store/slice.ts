/** The bytes from `start` up to but not including `end`. */
export type Slice = { start: number; end: number }

/** The part to read: all, or a slice. `size` is the expected size of the whole file; absent if unknown. */
export type RequestedFile = { size?: number; slice?: Slice }
