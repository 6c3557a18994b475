/** Scheme with user and password, hosts with their ports, and the rest. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/**
 * The address of a database for each of its hosts: `postgres://a,b:5433/mem` names two. Undefined where it cannot be
 * read.
 */
export function hostsOfDsn(dsn: string): URL[] | undefined {
  const [, start = '', hosts = '', rest = ''] = PARTS.exec(dsn) ?? [];
  const addresses = hosts.split(',').map((host) => `${start}${host}${rest}`);
  const isReadable = start !== '' && addresses.every((address) => URL.canParse(address));
  return isReadable ? addresses.map((address) => new URL(address)) : undefined;
}

/** Returns host, port and name of a database, without user, password and options. */
export function addressOfDsn(dsn: string): string {
  const urls = hostsOfDsn(dsn);
  if (!urls?.[0] || hasStrayPassword(dsn)) return 'postgres://…';
  return `postgres://${urls.map(({ host }) => host).join(',')}${urls[0].pathname}`;
}

/** Detects a password whose `/`, `?` or `#` is not encoded: a part of the password is then parsed as the host. */
export function hasStrayPassword(dsn: string): boolean {
  const [first] = hostsOfDsn(dsn) ?? [];
  if (!first) return false;
  const { username, pathname, search, hash } = first;
  return username === '' && `${pathname}${search}${hash}`.includes('@');
}
