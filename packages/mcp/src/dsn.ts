/** Returns host, port and name of a database, without user, password and options. */
export function addressOfDsn(dsn: string): string {
  if (!URL.canParse(dsn) || hasStrayPassword(dsn)) return 'postgres://…';
  const { host, pathname } = new URL(dsn);
  return `postgres://${host}${pathname}`;
}

/** Detects a password whose `/`, `?` or `#` is not encoded: a part of the password is then parsed as the host. */
export function hasStrayPassword(dsn: string): boolean {
  const { username, pathname, search, hash } = new URL(dsn);
  return username === '' && `${pathname}${search}${hash}`.includes('@');
}
