/** Overrides the settings of the database and the role, as pg_dump does, except for the search path of the output. */
export const sessionSettings = `set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set timezone = 'UTC'; set extra_float_digits = 3;
  set bytea_output = 'hex'; set lc_monetary = 'C'; set xmloption = 'content'; set array_nulls = on; set row_security = off;
  set synchronize_seqscans = off; set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0; set client_min_messages = 'warning'`

/** PostgreSQL 17 and newer have it; a transaction that reads all rows takes its time. */
export const noTransactionTimeout = `do $$ begin perform pg_catalog.set_config('transaction_timeout', '0', false);
  exception when undefined_object then null; end $$`
