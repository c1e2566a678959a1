/** Whether the operating system reports a full disk or an exhausted quota. */
export const isDiskFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes((error as { code?: string } | null)?.code ?? '')
