/** An address of the dashboard, as in `#/memory/checkout/api?key=retry-policy`. */
export type PageAddress = {
  /** The first segment: which page. */
  page: string;
  /** What follows it, decoded: a path, an id. */
  rest: string;
  search: Readonly<Record<string, string>>;
};

export function parseHash(hash: string): PageAddress {
  const text = hash.replace(/^#?\/?/, '');
  const [path = '', query = ''] = splitOnce(text, '?');
  const [page = '', ...rest] = path.split('/').map(decode);
  return { page, rest: rest.join('/'), search: Object.fromEntries(new URLSearchParams(query)) };
}

export type SearchValues = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The address of a page: `hrefOf('memory', 'checkout/api', { key: 'retry-policy' })`. */
export function hrefOf(page: string, rest = '', search: SearchValues = {}): string {
  const segments = rest === '' ? [] : rest.split('/').map(encodeURIComponent);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search))
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  const text = query.toString();
  return `#/${[page, ...segments].join('/')}${text === '' ? '' : `?${text}`}`;
}

function splitOnce(text: string, at: string): [string, string] {
  const found = text.indexOf(at);
  return found < 0 ? [text, ''] : [text.slice(0, found), text.slice(found + 1)];
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A stray % in an address that somebody typed.
    return segment;
  }
}
