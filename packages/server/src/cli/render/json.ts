import { JsonText } from '@mem-service/contract';
import { clean } from './text.ts';

/** A value for people: text as it is, anything else as indented JSON with its exact digits. */
export function pretty(value: unknown): string {
  const json = JsonText.of(value);
  return clean(typeof json.value === 'string' ? json.value : indent(json.text));
}

/** Indents valid JSON without parsing its numbers, so that none is rounded. */
export function indent(json: string): string {
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g) ?? [];
  let out = '';
  let depth = 0;
  tokens.forEach((token, at) => {
    const line = () => `\n${'  '.repeat(depth)}`;
    if (token === '{' || token === '[') {
      const empty = tokens[at + 1] === '}' || tokens[at + 1] === ']';
      depth++;
      out += empty ? token : token + line();
    } else if (token === '}' || token === ']') {
      depth--;
      const empty = tokens[at - 1] === '{' || tokens[at - 1] === '[';
      out += empty ? token : line() + token;
    } else if (token === ',') out += token + line();
    else out += token === ':' ? ': ' : token;
  });
  return out;
}
