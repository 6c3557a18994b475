/** Whether a name fits; `*` stands for any characters. Takes time in proportion to both lengths. */
export function fitsWildcard(wildcard: string, name: string): boolean {
  const [first = '', ...rest] = wildcard.split('*');
  const last = rest.pop();
  if (last === undefined) return wildcard === name;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
