/** The JSON that payloads were parsed from, while they are in use: a thread gets it as it came. */
const texts = new WeakMap<object, string>();

export function keepText(payload: object, text: string): void {
  texts.set(payload, text);
}

/** The JSON of a value. */
export const jsonOf = (value: unknown): string =>
  (typeof value === 'object' && value !== null ? texts.get(value) : undefined) ?? JSON.stringify(value);

/** How many characters a payload was parsed from, where that is known. */
export const charsOf = (payload: unknown): number | undefined =>
  typeof payload === 'object' && payload !== null ? texts.get(payload)?.length : undefined;
