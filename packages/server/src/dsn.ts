/** Returns host, port and name of a database, without user, password and options. */
export function addressOf(dsn: string): string {
  const { host, pathname } = new URL(dsn);
  return hasStrayPassword(dsn) ? 'postgres://…' : `postgres://${host}${pathname}`;
}

/** Detects a password whose `/`, `?` or `#` is not encoded: a part of the password is then parsed as the host. */
export function hasStrayPassword(dsn: string): boolean {
  const { username, pathname, search, hash } = new URL(dsn);
  return username === '' && `${pathname}${search}${hash}`.includes('@');
}
