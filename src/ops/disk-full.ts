/** Whether the operating system reports a full disk, or a used-up quota of the user. */
export const isDiskFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes((error as { code?: string } | null)?.code ?? '')
