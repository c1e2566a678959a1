/** The id of the service user that writes submissions: the same in every database, so that two never exist. */
export const formsUserId = '00000000-0000-7000-8000-00000000f0f0'
