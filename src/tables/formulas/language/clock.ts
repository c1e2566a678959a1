/** The column from which a formula reads the time. It belongs to no table; a read adds it. */
export const clockName = 'NOW()'
