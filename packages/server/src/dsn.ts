/** Where a database is: host, port and name, without user, password and options. */
export function addressOf(dsn: string): string {
  const { host, pathname } = new URL(dsn);
  return hasStrayPassword(dsn) ? 'postgres://…' : `postgres://${host}${pathname}`;
}

/** A password with a `/`, `?` or `#` that was not encoded: what seems to be the host is a part of it. */
export function hasStrayPassword(dsn: string): boolean {
  const { username, pathname, search, hash } = new URL(dsn);
  return username === '' && `${pathname}${search}${hash}`.includes('@');
}
