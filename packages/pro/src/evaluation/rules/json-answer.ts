type AnsweredObject = Record<string, unknown>;

/** So much of the end is looked at, and so many places where an object may begin, from the last one. */
const MAX_CHARS = 50_000;
const MAX_TRIED = 50;

/** What some models write before their answer. */
const THOUGHTS = /^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/i;

/**
 * The last object in a model's answer that is one, with words or a block of code around it or not. An object without the fields
 * is taken only where none has them: it may be an example, or a part of another.
 */
export function objectIn(text: string, hasFields: (members: AnsweredObject) => boolean): AnsweredObject | undefined {
  const answer = text.replace(THOUGHTS, '').slice(-MAX_CHARS);
  let other: AnsweredObject | undefined;
  let start = answer.lastIndexOf('{');
  for (let tried = 0; start >= 0 && tried < MAX_TRIED; tried++) {
    const found = parsed(answer.slice(start, endOf(answer, start)));
    if (found && hasFields(found)) return found;
    other ??= found;
    start = start === 0 ? -1 : answer.lastIndexOf('{', start - 1);
  }
  return other;
}

/** Behind the bracket that ends the object which begins there; brackets in texts do not count. */
function endOf(text: string, start: number): number {
  let depth = 0;
  let inText = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (inText && char === '\\') at++;
    else if (char === '"') inText = !inText;
    else if (!inText && char === '{') depth++;
    else if (!inText && char === '}' && --depth === 0) return at + 1;
  }
  return start;
}

function parsed(text: string): AnsweredObject | undefined {
  try {
    return JSON.parse(text) as AnsweredObject;
  } catch {
    return undefined;
  }
}
