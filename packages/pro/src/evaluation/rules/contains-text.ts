/** The engine's own search may compare every character of one with every one of the other: so many take some milliseconds. */
const FEW_STEPS = 2_000_000;

/** Whether a text contains another, in time in proportion to both lengths together. */
export function containsText(text: string, part: string): boolean {
  if (text.length * part.length <= FEW_STEPS) return text.includes(part);
  const repeats = repeatsIn(part);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = repeats[matched - 1] as number;
    if (part.charCodeAt(matched) === code) matched++;
    if (matched === part.length) return true;
  }
  return false;
}

/** For each beginning of a text, how many characters its end has in common with its own beginning (Knuth, Morris, Pratt). */
function repeatsIn(part: string): Uint32Array {
  const repeats = new Uint32Array(part.length);
  for (let at = 1, matched = 0; at < part.length; at++) {
    const code = part.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = repeats[matched - 1] as number;
    if (part.charCodeAt(matched) === code) matched++;
    repeats[at] = matched;
  }
  return repeats;
}
